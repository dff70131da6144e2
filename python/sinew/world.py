"""Worlds: made from scenes, stepped, looked at, changed, saved."""
from __future__ import annotations

import ctypes
import json
import os
import tempfile
from typing import Any, Callable, Mapping, Union

import numpy

from . import _api
from ._library import array, check, doubles, library
from .mesh import Mesh
from .parts import Function, material_type, obstacle_type

Scene = Union[str, "os.PathLike[str]", Mapping[str, Any]]


def scene_text(scene: Scene, folder: str) -> str:
    """A scene as YAML: of a dictionary, with meshes in it as files in the folder, and arrays as lists."""
    if not isinstance(scene, Mapping):
        return str(scene)
    count = 0

    def plain(value: Any) -> Any:
        nonlocal count
        if not isinstance(value, Mesh):
            return value.tolist()  # an array, or one of NumPy's numbers
        count += 1
        value.save(f"{folder}/mesh-{count}.msh")
        return {"file": f"{folder}/mesh-{count}.msh"}

    return json.dumps(scene, default=plain)


def _pose(rotation: Any, shift: Any) -> Any:
    pose = _api.SnPose()
    pose.rotation[:] = numpy.asarray(numpy.eye(3) if rotation is None else rotation, numpy.float64).reshape(9)
    pose.shift[:] = numpy.asarray(shift, numpy.float64).reshape(3)
    return pose


class Report:
    """What a step came to: the members of SnStepReport, by their names.

    Structures of it (energy, ms, errors) have their own members; fixed arrays are tuples.
    """

    def __init__(self, struct: Any) -> None:
        for name, kind in struct._fields_:
            value = getattr(struct, name)
            if isinstance(value, ctypes.Structure):
                value = Report(value)
            elif isinstance(value, ctypes.Array):
                value = tuple(value)
            elif isinstance(value, bytes):
                value = value.decode(errors="replace")
            setattr(self, name, value)
        if hasattr(self, "outcome"):
            self.outcome = library.sn_outcome_name(self.outcome).decode()

    def __repr__(self) -> str:
        return f"Report({', '.join(f'{k}={v!r}' for k, v in vars(self).items())})"


class Body:
    """A body of a world: name, mass, its nodes in the world's arrays, and its elements; `out`: on the shelf; `asleep`."""

    def __init__(self, info: Any, owner: Any) -> None:
        self.name = info.name.decode()
        self.mass = info.mass
        self.out, self.asleep = bool(info.out), bool(info.asleep)
        self.nodes = slice(info.first_node, info.first_node + info.node_count)
        self.rest = array(info.rest, (info.node_count, 3), owner)
        for name, count, width in (("tetrahedra", info.tetrahedron_count, 4), ("triangles", info.triangle_count, 3),
                                   ("edges", info.edge_count, 2), ("surface", info.surface_count, 3)):
            setattr(self, name, array(getattr(info, name), (count, width), owner, numpy.int32))

    def __repr__(self) -> str:
        return f"Body({self.name!r}, {self.rest.shape[0]} nodes, {self.mass:g} kg)"


class World:
    """A world from a scene: a path, a YAML text, or a dictionary; without one, empty, for `add_body`.

    `overrides` are as with `sinew run --set`: {"solver.type": "newton"}. While it steps, other threads run.

    >>> world = World("bodies: [{name: bar, mesh: {box: {size: [4, 1, 1], cells: [4, 1, 1]}}}]",
    ...               overrides={"gravity": "[0, 0, 0]"}, threads=1)
    >>> world.bodies
    [Body('bar', 20 nodes, 4000 kg)]
    >>> world.step().energy.kinetic
    0.0

    Arrays are views of the library's memory, as they are now; copy what is to stay:

    >>> x = world.positions
    >>> world.set_velocities(x * 0 + [1, 0, 0])
    >>> report = world.step()
    >>> bool(abs(x[0, 0] - world.time_step) < 1e-9)
    True
    """

    def __init__(self, scene: Scene | None = None, overrides: Mapping[str, Any] | None = None, threads: int | None = None) -> None:
        self._world = self._scene = None
        is_file = isinstance(scene, (str, os.PathLike)) and os.path.exists(scene)
        self._made_from = (os.path.abspath(scene) if is_file else scene, dict(overrides or {}), threads)
        self._kept: list[Any] = []  # what the library calls
        self._errors: list[BaseException] = []  # and what was raised there
        world = ctypes.c_void_p()
        if scene is None:
            if overrides:
                raise ValueError("overrides are of a scene, and there is none")
            empty = library.sn_default_world_def()
            empty.threads = threads or 0
            check(library.sn_world_create(ctypes.byref(empty), ctypes.byref(world)))
            self._world = world
            return
        given = [f"{key}={value}".encode() for key, value in (overrides or {}).items()]
        words = (ctypes.c_char_p * len(given))(*given)
        handle = ctypes.c_void_p()
        if is_file:
            status = library.sn_scene_load(os.fsencode(scene), words, len(given), ctypes.byref(handle))
        else:
            with tempfile.TemporaryDirectory() as folder:  # meshes are read at once
                text = scene_text(scene, folder).encode()
                status = library.sn_scene_parse(text, len(text), b"scene.yaml", words, len(given), ctypes.byref(handle))
        self._scene = handle
        check(status)
        if threads is not None:
            definition = library.sn_scene_world_def(handle)
            definition.contents.threads = threads
        check(library.sn_run_start_world(handle, ctypes.byref(world)))
        self._world = world

    def __del__(self) -> None:
        if getattr(self, "_world", None):
            library.sn_world_destroy(self._world)
        if getattr(self, "_scene", None):
            library.sn_scene_destroy(self._scene)

    def add_body(self, mesh: Mesh, material: str | Mapping[str, Function | Callable[..., Any]] = "neo-hookean", young: float = 1e5,
                 poisson: float = 0.45, density: float = 1000, name: str | None = None) -> int:
        """A body, also between steps (but not while a run is written); its number.

        A material is a name of `sinew list materials`, or {"energy": f, "gradient": g, "hessian": h}: C functions of
        the principal stretches as in `examples/own_material.cpp`, by their addresses, or of ctypes or cffi; or
        functions of arrays, f(s, mu, lam) with s of 3 x n stretches, mu and lam (Lame's) of n, of n elements
        at once: energies (n), their derivatives by s (3 x n), and second ones (6 x n: 11 22 33 12 13 23). These are
        slow, but not under @numba.njit.

        >>> world = World(threads=1)
        >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], tetrahedra=[[0, 1, 2, 3]])
        >>> world.add_body(mesh, "stvk", density=600, name="tet")
        0
        >>> world.bodies, world.step().outcome
        ([Body('tet', 4 nodes, 100 kg)], 'converged')

        A spring along each principal direction, by Python:

        >>> springs = {"energy": lambda s, mu, lam: mu * ((s - 1) ** 2).sum(axis=0),
        ...            "gradient": lambda s, mu, lam: 2 * mu * (s - 1),
        ...            "hessian": lambda s, mu, lam: numpy.array([2 * mu] * 3 + [0 * mu] * 3)}
        >>> world = World(threads=1)
        >>> world.add_body(mesh, springs), world.step().outcome
        (0, 'converged')
        """
        definition = library.sn_default_body_def()
        own = material if not isinstance(material, str) else None
        known = b"" if own else str(material).encode()  # lives as long as the definition
        definition.material = library.sn_material(known, young, poisson, density)
        if own:
            kind, keep = material_type(own, self._errors)
            self._kept += keep
            definition.material.custom = ctypes.pointer(kind)
        definition.name = name.encode() if name is not None else None
        definition.mesh, number = mesh.create(), ctypes.c_int()
        try:
            check(library.sn_world_add_body(self._world, ctypes.byref(definition), ctypes.byref(number)))
        finally:
            library.sn_mesh_destroy(definition.mesh)
        if self._errors:
            raise self._errors.pop()
        return number.value

    def add_obstacle(self, distance: Callable[[numpy.ndarray], Any] | Function, friction: float = 0) -> int:
        """An obstacle before the first step, by its signed distance; its number.

        `distance(point)` gives the distance in m, negative inside, and its gradient, of length 1. A Python function is
        called for each node and each trial: slow. The same under @numba.njit is not, nor are C functions (`distance`
        of SnObstacleType) by their addresses, or of ctypes, cffi or numba's @cfunc.

        >>> world = World("bodies: [{mesh: {box: {size: [1, 1, 1], cells: [2, 2, 2]}}}]", threads=1)
        >>> world.add_obstacle(lambda p: (p[1] + 0.01, (0, 1, 0)))
        0
        >>> for _ in range(8): report = world.step()
        >>> bool(world.positions[:, 1].min() > -0.0101), report.contacts
        (True, 9)
        """
        kind, keep = obstacle_type(distance, self._errors)
        self._kept += keep
        definition = library.sn_default_obstacle_def()
        definition.shape.type, definition.shape.custom, definition.friction = None, ctypes.pointer(kind), friction
        number = ctypes.c_int()
        check(library.sn_world_add_obstacle(self._world, ctypes.byref(definition), ctypes.byref(number)))
        return number.value

    def _advance(self) -> Any:
        report = _api.SnStepReport()
        status = library.sn_world_step(self._world, ctypes.byref(report))
        if self._errors:
            raise self._errors.pop()
        check(status)
        return report

    def step(self) -> Report:
        """One step; its report. What a Python function of an obstacle or a material raised is raised again."""
        return Report(self._advance())

    def measure(self) -> Report:
        """The present state, as a report."""
        report = _api.SnStepReport()
        check(library.sn_world_measure(self._world, ctypes.byref(report)))
        return Report(report)

    @property
    def time(self) -> float:
        """s"""
        return library.sn_world_time(self._world)

    @property
    def time_step(self) -> float:
        """s, of the next step"""
        return library.sn_world_time_step(self._world)

    @time_step.setter
    def time_step(self, value: float) -> None:
        check(library.sn_world_set_time_step(self._world, value))

    @property
    def node_count(self) -> int:
        """Nodes of all bodies together."""
        return library.sn_world_node_count(self._world)

    @property
    def positions(self) -> numpy.ndarray:
        """m, a row for each node of all bodies, one body after the other"""
        return array(library.sn_world_positions(self._world), (self.node_count, 3), self)

    @property
    def velocities(self) -> numpy.ndarray:
        """m/s"""
        return array(library.sn_world_velocities(self._world), (self.node_count, 3), self)

    @property
    def forces(self) -> numpy.ndarray:
        """What elements pull at the nodes with, node_count x 3, N, as they are now: the field `elastic-force`.

        A step keeps no such forces, so they are reckoned when they are asked for; `field(..., out=)` needs no memory.

        >>> world = World("bodies: [{mesh: {box: {cells: [1, 1, 1]}}, start: {stretch: [1.1, 1, 1]}}]", threads=1)
        >>> world.forces.shape, bool((world.forces[world.positions[:, 0] < 0.5, 0] > 0).all())
        ((8, 3), True)
        """
        return self.field("elastic-force")

    def set_positions(self, values: Any) -> None:
        """Moves all nodes; what would cross something else is refused."""
        _keep, pointer = doubles(values, (self.node_count, 3))
        check(library.sn_world_set_positions(self._world, pointer))

    def set_velocities(self, values: Any) -> None:
        """m/s, a row for each node"""
        _keep, pointer = doubles(values, (self.node_count, 3))
        check(library.sn_world_set_velocities(self._world, pointer))

    def set_gravity(self, values: Any) -> None:
        """m/s2"""
        _keep, pointer = doubles(values, (3,))
        check(library.sn_world_set_gravity(self._world, pointer))

    def set_stiffness(self, body: int, young: float, poisson: float) -> None:
        """Pa, and Poisson's ratio; of a body whose material is the same everywhere"""
        check(library.sn_world_set_stiffness(self._world, body, young, poisson))

    def set_material(self, body: int, name: str, value: float) -> None:
        """One number of such a body's material: "young", "poisson", "density", or one of its type's own.

        >>> world = World("{gravity: [0, 0, 0], bodies: [{mesh: {box: {}}, velocity: {linear: [1, 0, 0]}}]}", threads=1)
        >>> before = world.measure().momentum[0]
        >>> world.set_material(0, "density", 2000)
        >>> bool(abs(world.measure().momentum[0] / before - 2) < 1e-12), world.material(0, "density")
        (True, 2000.0)
        """
        check(library.sn_world_set_material(self._world, body, name.encode(), value))

    def material(self, body: int, name: str) -> float:
        """A number of a body's material, as it is now"""
        value = ctypes.c_double()
        check(library.sn_world_material(self._world, body, name.encode(), ctypes.byref(value)))
        return value.value

    def set_damping(self, body: int, damping: int, name: str, value: float) -> None:
        """One number of a body's damping, counted from 0: "beta", "shear", "bulk", "strength" or "drag" """
        check(library.sn_world_set_damping(self._world, body, damping, name.encode(), value))

    def damping(self, body: int, damping: int, name: str) -> float:
        """A number of a body's damping, as it is now"""
        value = ctypes.c_double()
        check(library.sn_world_damping(self._world, body, damping, name.encode(), ctypes.byref(value)))
        return value.value

    def set_solver(self, name: str) -> None:
        """Another solver takes over."""
        check(library.sn_world_set_solver(self._world, name.encode()))

    def set_integrator(self, name: str) -> None:
        """Another integrator takes over, one with inertia from another such one."""
        check(library.sn_world_set_integrator(self._world, name.encode()))

    def set_friction(self, obstacle: int, friction: float) -> None:
        """Of an obstacle, or, -1, between bodies"""
        check(library.sn_world_set_friction(self._world, obstacle, friction))

    def set_load(self, load: int, factor: float) -> None:
        """A load is so many times what it was defined as, besides its ramp.

        >>> world = World("{gravity: [0, 0, 0], bodies: [{name: b, mesh: {box: {}}}], loads: [{body: b, force: [100, 0, 0]}]}", threads=1)
        >>> _ = world.step()
        >>> world.set_load(0, -2)
        >>> bool(abs(world.step().momentum[0] + 100 / 60) < 1e-3)
        True
        """
        check(library.sn_world_set_load(self._world, load, factor))

    def set_actuator(self, actuator: int, factor: float) -> None:
        """An actuator is so many times what it was defined as, besides its ramp.

        >>> world = World("{gravity: [0, 0, 0], bodies: [{name: b, mesh: {box: {}}}], actuators: [{body: b, growth: [0.1, 0, 0]}]}", threads=1)
        >>> before = world.measure().energy.elastic
        >>> world.set_actuator(0, 0)
        >>> bool(before > 1 and abs(world.measure().energy.elastic) < 1e-9)
        True
        """
        check(library.sn_world_set_actuator(self._world, actuator, factor))

    def pick(self, origin: Any, direction: Any) -> _api.SnPick | None:
        """What a ray meets first of the bodies' surfaces: body, nodes, weights, point, distance; None: nothing."""
        pick = _api.SnPick()
        _first, start = doubles(origin, (3,))
        _second, along = doubles(direction, (3,))
        check(library.sn_world_pick(self._world, start, along, ctypes.byref(pick)))
        return pick if pick.body >= 0 else None

    def grab(self, pick: _api.SnPick, stiffness: float = 0) -> int:
        """Pulls at a point that was picked with a spring, N/m (0: a usual one), towards where it is, or is dragged to.

        >>> world = World("{gravity: [0, 0, 0], bodies: [{mesh: {box: {size: [1, 1, 1], cells: [2, 2, 2]}}}]}", threads=1)
        >>> grab = world.grab(world.pick([0.5, 9, 0.5], [0, -1, 0]))
        >>> world.drag(grab, [0.5, 2, 0.5])
        >>> report = world.step()
        >>> bool(world.velocities[:, 1].mean() > 0)
        True
        >>> world.let_go(grab)
        """
        number = ctypes.c_int()
        check(library.sn_world_grab(self._world, ctypes.byref(pick), stiffness, ctypes.byref(number)))
        return number.value

    def drag(self, grab: int, target: Any) -> None:
        """Where a grab pulls to, m"""
        _keep, pointer = doubles(target, (3,))
        check(library.sn_world_drag(self._world, grab, pointer))

    def let_go(self, grab: int) -> None:
        """Ends a grab; its number is free again."""
        check(library.sn_world_let_go(self._world, grab))

    def hold(self, body: int, nodes: Any) -> int:
        """Holds nodes of a body where they are; the number of the new handle."""
        numbers = numpy.ascontiguousarray(nodes, numpy.int32)
        handle = ctypes.c_int()
        pointer = numbers.ctypes.data_as(ctypes.POINTER(ctypes.c_int))
        check(library.sn_world_hold(self._world, body, pointer, len(numbers), ctypes.byref(handle)))
        return handle.value

    def move_handle(self, handle: int, places: Any) -> None:
        """Where the handle's nodes are at the end of the next step, and stay: m, a row for each of them"""
        places = numpy.atleast_2d(places)
        _keep, pointer = doubles(places, (len(places), 3))
        event = _api.SnEvent(kind=b"move-handle", target=handle, count=3 * len(places), numbers=pointer)
        check(library.sn_world_apply(self._world, ctypes.byref(event)))  # which counts them

    def pose_handle(self, handle: int, rotation: Any, shift: Any) -> None:
        """The same as a rotation and a shift of where its nodes were when it was added"""
        check(library.sn_world_pose_handle(self._world, handle, ctypes.byref(_pose(rotation, shift))))

    def release_handle(self, handle: int) -> None:
        """Lets its nodes go."""
        check(library.sn_world_release_handle(self._world, handle))

    def move_obstacle(self, obstacle: int, rotation: Any, shift: Any) -> None:
        """Where an obstacle is at the end of the next step, and stays: x = rotation X + shift, X as it was added.

        >>> world = World("{bodies: [{mesh: {box: {size: [1, 1, 1], cells: [2, 2, 2]}}, place: {move: [0, 0.1, 0]}}],"
        ...               " obstacles: [{type: plane}]}", threads=1)
        >>> for i in range(30):
        ...     world.move_obstacle(0, numpy.eye(3), [0, 0.02 * i, 0])
        ...     report = world.step()
        >>> bool(world.positions[:, 1].min() > 0.5)
        True
        """
        check(library.sn_world_move_obstacle(self._world, obstacle, ctypes.byref(_pose(rotation, shift))))

    def shape_obstacle(self, obstacle: int, vertices: Any) -> None:
        """Where the vertices of an obstacle of triangles that has `frames` are at the end of the next step: a row each"""
        vertices = numpy.atleast_2d(vertices)
        _keep, pointer = doubles(vertices, (len(vertices), 3))
        event = _api.SnEvent(kind=b"shape-obstacle", target=obstacle, count=3 * len(vertices), numbers=pointer)
        check(library.sn_world_apply(self._world, ctypes.byref(event)))  # which counts them

    def remove_obstacle(self, obstacle: int) -> None:
        """Takes an obstacle out, onto the shelf: it keeps its number, and touches nothing."""
        check(library.sn_world_remove_obstacle(self._world, obstacle))

    def place_obstacle(self, obstacle: int, rotation: Any = None, shift: Any = (0, 0, 0)) -> None:
        """Takes an obstacle from the shelf: it is put at rotation X + shift, unless something would be inside it.

        >>> world = World("{bodies: [{mesh: {box: {}}, place: {move: [0, 1, 0]}}], obstacles: [{type: plane, shelf: true}]}", threads=1)
        >>> _ = world.step()
        >>> world.place_obstacle(0, shift=[0, 0.5, 0])
        >>> for i in range(60): _ = world.step()
        >>> bool(world.positions[:, 1].min() > 0.5)
        True
        >>> world.remove_obstacle(0)
        """
        check(library.sn_world_place_obstacle(self._world, obstacle, ctypes.byref(_pose(rotation, shift))))

    def drawn(self, body: int) -> tuple[numpy.ndarray, numpy.ndarray]:
        """Positions and normals of what is drawn of a body, its skin or its nodes, in single precision.

        >>> world = World("bodies: [{mesh: {sphere: {radius: 2}}}]", threads=1)
        >>> positions, normals = world.drawn(0)
        >>> outside = numpy.linalg.norm(normals, axis=1) > 0.5
        >>> bool(((positions * normals).sum(axis=1)[outside] > 1.8).all()), positions.dtype
        (True, dtype('float32'))
        """
        info = _api.SnBodyInfo()
        check(library.sn_world_body(self._world, body, ctypes.byref(info)))
        count = info.skin.contents.vertex_count if info.skin and info.skin.contents.carriers else info.node_count
        positions, normals = (numpy.empty((count, 3), numpy.float32) for _ in range(2))
        pointers = [a.ctypes.data_as(ctypes.POINTER(ctypes.c_float)) for a in (positions, normals)]
        check(library.sn_world_draw(self._world, body, *pointers))
        return positions, normals

    def remove_body(self, body: int) -> None:
        """Takes a body out, onto the shelf: it keeps its numbers, all its nodes are in one point, and nothing acts on it."""
        check(library.sn_world_remove_body(self._world, body))

    def place_body(self, body: int, rotation: Any = None, shift: Any = (0, 0, 0), velocity: Any = (0, 0, 0)) -> None:
        """Takes a body from the shelf: its rest shape X is put at rotation X + shift, unless it would cross something.

        >>> world = World("bodies: [{mesh: {box: {}}}, {mesh: {box: {}}, shelf: true}]", threads=1)
        >>> _ = world.step()
        >>> world.place_body(1, shift=[0, 5, 0])
        >>> world.remove_body(0)
        >>> _ = world.step()
        >>> [body.out for body in world.bodies], bool(world.positions[8:, 1].min() > 4.9)
        ([True, False], True)
        """
        _first, speed = doubles(velocity, (3,))
        check(library.sn_world_place_body(self._world, body, ctypes.byref(_pose(rotation, shift)), speed))

    @property
    def residuals(self) -> numpy.ndarray | None:
        """N, a row for each node: what the solve of the last step has left over there; None before the first one."""
        pointer = library.sn_world_residuals(self._world)
        return numpy.ctypeslib.as_array(pointer, (library.sn_world_node_count(self._world), 3)).copy() if pointer else None

    def sleep(self, body: int) -> None:
        """Puts a body to sleep, with all that is near it: they stop, and are held there until something disturbs them."""
        check(library.sn_world_sleep(self._world, body))

    def wake(self, body: int = -1) -> None:
        """Wakes a body, with all that sleep beside it; -1: all bodies.

        >>> world = World("{bodies: [{mesh: {box: {}}}], obstacles: [{type: plane, point: [0, -10, 0]}]}", threads=1)
        >>> world.sleep(0)
        >>> world.step().asleep, world.bodies[0].asleep, float(world.positions[:, 1].min())
        (1, True, 0.0)
        >>> world.wake()
        >>> world.step().asleep
        0
        """
        check(library.sn_world_wake(self._world, body))

    def field(self, name: str, of: str = "nodes", out: numpy.ndarray | None = None) -> numpy.ndarray:
        """What nodes do or elements bear (`of="elements"`), by a name of `sinew list fields`: a row for each.

        The library reckons it when it is asked for, straight into the memory of the array: a new one, or `out`.

        >>> world = World("bodies: [{mesh: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}]", threads=1)
        >>> world.set_positions(world.positions * 2)
        >>> bool((abs(world.field("volume-ratio", of="elements") - 8) < 1e-12).all())
        True
        >>> world.field("stress").shape
        (8, 6)
        >>> mine = numpy.zeros(8)
        >>> world.field("pressure", out=mine) is mine
        True
        """
        info = _api.SnFieldInfo()
        check(library.sn_field_named(name.encode(), ctypes.byref(info)))
        place = ["elements", "nodes"].index(of)
        count = self.node_count if place else library.sn_world_element_count(self._world)
        shape = (count, info.components) if info.components > 1 else (count,)
        values = numpy.zeros(shape) if out is None else out
        if values.shape != shape or values.dtype != numpy.float64 or not values.flags.carray:
            raise ValueError(f"an array of {shape} doubles, one after the other, is wanted as `out`")
        pointer = values.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        check(library.sn_world_field(self._world, name.encode(), place, pointer))
        return values

    def values(self) -> dict[str, float]:
        """What the scene's `measure` asks for, as of the present state: a dictionary by names as "tip.displacement.x".

        >>> world = World("{bodies: [{name: b, mesh: {box: {cells: [2, 2, 2]}}}],"
        ...               " measure: [{name: size, body: b, what: volume}]}", threads=1)
        >>> bool(abs(world.values()["size.volume"] - 1) < 1e-12)
        True
        """
        report = _api.SnStepReport()
        check(library.sn_world_measure(self._world, ctypes.byref(report)))
        result = {}
        for i in range(report.value_count):
            info = _api.SnValueInfo()
            check(library.sn_world_value(self._world, i, ctypes.byref(info)))
            parts = [info.name.decode(), info.what.decode(), info.component.decode()]
            result[".".join(p for p in parts if p)] = report.values[i]
        return result

    def force_of(self, kind: str, index: int) -> tuple[numpy.ndarray, numpy.ndarray]:
        """What handle, obstacle or load number `index` exerts on bodies: force, N, and torque about the origin, N m.

        >>> world = World("{integrator: static, bodies: [{name: b, mesh: {box: {cells: [2, 2, 2]}}}],"
        ...               " handles: [{body: b, where: {y: [max, max]}}]}", threads=1)
        >>> report = world.step()
        >>> force, torque = world.force_of("handle", 0)
        >>> bool(abs(force[1] - 9.81 * 1000) < 1)
        True
        """
        wrench = _api.SnWrench()
        find = {"handle": library.sn_world_handle_force, "obstacle": library.sn_world_obstacle_force,
                "load": library.sn_world_load_force}[kind]
        check(find(self._world, index, ctypes.byref(wrench)))
        return numpy.array(wrench.force), numpy.array(wrench.torque)

    @property
    def bodies(self) -> list[Body]:
        """The bodies, with their places in the arrays of all nodes."""
        result = []
        for i in range(library.sn_world_body_count(self._world)):
            info = _api.SnBodyInfo()
            check(library.sn_world_body(self._world, i, ctypes.byref(info)))
            result.append(Body(info, self))
        return result

    @property
    def contacts(self) -> numpy.ndarray:
        """What pushed in the last step, as a structured array with the members of SnContactInfo."""
        count = library.sn_world_contact_count(self._world)
        items = (_api.SnContactInfo * count)()
        for i in range(count):
            check(library.sn_world_contact(self._world, i, ctypes.byref(items[i])))
        return numpy.ctypeslib.as_array(items) if count else numpy.zeros(0, numpy.dtype(_api.SnContactInfo))

    def save(self) -> bytes:
        """The state as bytes: a world of the same make-up goes on from it to the same bits.

        >>> world = World("bodies: [{mesh: {box: {size: [1, 1, 1], cells: [2, 2, 2]}}}]")
        >>> _ = world.step()
        >>> state = world.save()
        >>> _ = world.step()
        >>> first = hash(world)
        >>> world.restore(state)
        >>> _ = world.step()
        >>> hash(world) == first
        True
        """
        size = library.sn_world_state_size(self._world)
        data = ctypes.create_string_buffer(size)
        check(library.sn_world_save_state(self._world, data, size))
        return data.raw

    def restore(self, state: bytes) -> None:
        """Goes back, or on, to a state that `save` gave."""
        check(library.sn_world_restore_state(self._world, state, len(state)))

    def __reduce__(self) -> tuple[Any, ...]:
        """A world is pickled as what it was made from and its state; a scene that is a path is read again.

        >>> import pickle
        >>> world = World("bodies: [{mesh: {box: {size: [1, 1, 1], cells: [2, 2, 2]}}}]", threads=1)
        >>> _ = world.step()
        >>> other = pickle.loads(pickle.dumps(world))
        >>> _ = world.step(), other.step()
        >>> hash(world) == hash(other), other.time == world.time
        (True, True)
        """
        if self._scene is None or self._kept:
            raise TypeError("a world with parts of one's own cannot be pickled; `save` has its state")
        return _again, (type(self), self._made_from, self.save())

    def __hash__(self) -> int:
        return library.sn_world_hash(self._world) >> 3


def _again(kind: type[World], made_from: tuple[Any, ...], state: bytes) -> World:
    world = kind(*made_from)
    world.restore(state)
    return world
