"""Run files, read as they are asked for."""
from __future__ import annotations

import ctypes
import os
from typing import Any, Callable, overload

import numpy

from . import _api
from ._library import check, library
from .notebook import Plot, View, print_progress
from .world import Body, Scene, World


class Frame:
    """A frame of a run; its arrays are read when they are asked for."""

    def __init__(self, run: Run, index: int) -> None:
        self._run, self.index = run, index
        self.step = library.sn_run_file_frame_step(run._run, index)
        self.time = library.sn_run_file_frame_time(run._run, index)

    def _read(self, which: int) -> numpy.ndarray:
        values = numpy.empty((library.sn_run_file_node_count(self._run._run), 3))
        pointers = [None, None]
        pointers[which] = values.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        check(library.sn_run_file_read_frame(self._run._run, self.index, *pointers))
        return values

    @property
    def positions(self) -> numpy.ndarray:
        """m, a row for each node"""
        return self._read(0)

    @property
    def velocities(self) -> numpy.ndarray:
        """m/s"""
        return self._read(1)

    def __repr__(self) -> str:
        return f"Frame({self.index}, step {self.step}, {self.time:g} s)"


class Frames:
    """The frames of a run as a sequence, which may grow."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def __len__(self) -> int:
        check(library.sn_run_file_refresh(self._run._run))
        return library.sn_run_file_frame_count(self._run._run)

    @overload
    def __getitem__(self, index: int) -> Frame: ...

    @overload
    def __getitem__(self, index: slice) -> list[Frame]: ...

    def __getitem__(self, index: int | slice) -> Frame | list[Frame]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        count = len(self)
        if index < -count or index >= count:
            raise IndexError(f"frame {index} of {count}")
        return Frame(self._run, index % count)


class Run:
    """A run file.

    >>> import tempfile, subprocess, os
    >>> folder = tempfile.mkdtemp()
    >>> run = Run.simulate({"bodies": [{"mesh": {"box": {"size": [1, 1, 1], "cells": [2, 2, 2]}}}]},
    ...                    os.path.join(folder, "cube.run"), steps=3)
    >>> len(run.frames), run.frames[-1]
    (4, Frame(3, step 3, 0.05 s))
    >>> run.frames[3].positions.shape
    (27, 3)
    >>> [str(outcome) for outcome in run.steps["outcome"][1:]]
    ['converged', 'converged', 'converged']
    >>> run.steps.dtype["time"], run.scene[:9]
    (dtype('float64'), '{"bodies"')
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        handle = ctypes.c_void_p()
        self._run, self.path = None, os.path.abspath(path)
        check(library.sn_run_file_open(os.fsencode(path), ctypes.byref(handle)))
        self._run = handle

    def __del__(self) -> None:
        if getattr(self, "_run", None):
            library.sn_run_file_destroy(self._run)

    @classmethod
    def simulate(cls, scene: Scene | World, path: str | os.PathLike[str], steps: int,
                 progress: bool | Callable[[int, int], Any] = False, **options: Any) -> Run:
        """Simulates a scene into a run file, and opens it.

        In place of a scene a world goes on from where it is, with what was added to it. `options` are those of World.
        `progress` is True for a bar on standard error, or is called as progress(step, steps) after each step.

        >>> import os, tempfile
        >>> world = World("bodies: [{mesh: {box: {cells: [1, 1, 1]}}}]", threads=1)
        >>> world.add_obstacle(lambda p: (p[1] + 0.01, (0, 1, 0)))
        0
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     run = Run.simulate(world, os.path.join(folder, "cube.run"), steps=8)
        ...     len(run.frames), bool((run.frames[-1].positions == world.positions).all()), int(run.steps["contacts"][-1])
        (9, True, 4)
        """
        tell = print_progress if progress is True else progress
        if isinstance(scene, World) and options:
            raise TypeError(f"a world has its {', '.join(options)} already")
        world = scene if isinstance(scene, World) else World(scene, **options)
        handle = ctypes.c_void_p()
        settings = library.sn_default_run_options()
        settings.name = os.path.basename(os.fsencode(path))
        if world._scene:
            settings.scene = library.sn_scene_text(world._scene)
        check(library.sn_run_file_create(os.fsencode(path), world._world, ctypes.byref(settings), ctypes.byref(handle)))
        try:
            for step in range(steps):
                check(library.sn_run_file_add_step(handle, ctypes.byref(world._advance())))
                check(library.sn_run_file_write_frame(handle, world._world))
                if tell:
                    tell(step + 1, steps)
        finally:
            status = library.sn_run_file_close(handle)
        check(status)
        return cls(path)

    @property
    def frames(self) -> Frames:
        """The frames, as a sequence that grows with the file; each is read when it is asked for."""
        return Frames(self)

    @property
    def name(self) -> str:
        """The title of the scene."""
        return library.sn_run_file_name(self._run).decode()

    @property
    def scene(self) -> str:
        """The text that it was made from."""
        return library.sn_run_file_scene(self._run).decode()

    @property
    def time_step(self) -> float:
        """s"""
        return library.sn_run_file_time_step(self._run)

    @property
    def bodies(self) -> list[Body]:
        """The bodies, with their places in the arrays of a frame."""
        infos = library.sn_run_file_bodies(self._run)
        return [Body(infos[i], self) for i in range(library.sn_run_file_body_count(self._run))]

    @property
    def steps(self) -> numpy.ndarray:
        """The table of steps as a structured array, a row for each, with the columns of `sinew stats --csv`."""
        rows, count, width = ctypes.POINTER(_api.SnRunStep)(), ctypes.c_int(), ctypes.c_int()
        check(library.sn_run_file_read_steps(self._run, -1, ctypes.byref(rows), ctypes.byref(count)))
        columns = library.sn_run_columns(ctypes.byref(width))
        kinds = {_api.SN_COLUMN_INT64: "i8", _api.SN_COLUMN_INT: "i4", _api.SN_COLUMN_REAL: "f8", _api.SN_COLUMN_TEXT: "u8"}
        chosen = [columns[i] for i in range(width.value) if columns[i].type in kinds]
        names = [c.name.decode() for c in chosen]
        table = numpy.zeros(count.value, [(n, "O" if kinds[c.type] == "u8" else kinds[c.type]) for n, c in zip(names, chosen)])
        if count.value == 0:
            return table
        size = ctypes.sizeof(_api.SnRunStep)  # their rows, as they are, with texts as the addresses that they are
        layout = {"names": names, "formats": [kinds[c.type] for c in chosen], "offsets": [c.offset for c in chosen], "itemsize": size}
        memory = (ctypes.c_char * (size * count.value)).from_address(ctypes.addressof(rows.contents))
        view = numpy.frombuffer(memory, numpy.dtype(layout))
        texts = {0: ""}
        for name, column in zip(names, chosen):
            if kinds[column.type] != "u8":
                table[name] = view[name]
                continue
            for place in set(view[name].tolist()) - set(texts):
                texts[place] = ctypes.string_at(place).decode(errors="replace")
            table[name] = [texts[place] for place in view[name].tolist()]
        return table

    def plot(self, what: str = "energy", *others: Run, of: str | None = None, against: str | None = None) -> Plot:
        """A plot that a notebook shows, as `sinew plot --what` makes it, of this run or of several.

        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     run = Run.simulate("bodies: [{mesh: {box: {cells: [1, 1, 1]}}}]", folder + "/cube.run", steps=3)
        ...     "<svg" in run.plot("iterations").svg
        True
        """
        options = ["--what", what, *(["--of", of] if of else []), *(["--against", against] if against else [])]
        return Plot([self.path, *(other.path for other in others)], options)

    def view(self, height: int = 500) -> View:
        """The viewer's page, which a notebook shows; it goes on to show what is being written."""
        return View(self.path, height)

    def __repr__(self) -> str:
        return f"Run({self.name!r}, {len(self.frames)} frames)"
