"""What a notebook shows inline: plots and the viewer's page, both by the program `sinew`."""
from __future__ import annotations

import html
import os
import shutil
import subprocess
import sys
import tempfile
import weakref


def program() -> str:
    """The program: SINEW_PROGRAM of the environment, or `sinew` on the path."""
    found = os.environ.get("SINEW_PROGRAM") or shutil.which("sinew")
    if not found:
        raise FileNotFoundError("the program `sinew` was not found: install it, or name it in the environment variable SINEW_PROGRAM")
    return found


def print_progress(step: int, steps: int) -> None:
    """A bar on standard error, in one line."""
    done = 40 * step // max(steps, 1)
    print(f"\r[{'=' * done}{' ' * (40 - done)}] {step}/{steps}", end="\n" if step == steps else "", file=sys.stderr, flush=True)


class Plot:
    """A plot of runs; `svg` is its text."""

    def __init__(self, paths: list[str], options: list[str]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "plot.svg")
            done = subprocess.run([program(), "plot", *paths, "-o", out, *options], capture_output=True, text=True)
            if done.returncode:
                raise ValueError(done.stderr.strip())
            with open(out, encoding="utf-8") as file:
                self.svg = file.read()

    def _repr_svg_(self) -> str:
        return self.svg


class View:
    """The viewer's page of a run, served from this machine until `close`, or until nobody has this any more."""

    def __init__(self, path: str, height: int) -> None:
        self._height = height
        self._server = subprocess.Popen([program(), "view", path, "--no-browser"], stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        said = ""
        for line in self._server.stdout or ():
            said += line
            words = [word for word in line.split() if word.startswith("http")]
            if words:
                self.address = words[0].rstrip(".,;")
                break
        else:
            raise ValueError(said.strip())
        self.close = weakref.finalize(self, self._server.terminate)

    def _repr_html_(self) -> str:
        return f'<iframe src="{html.escape(self.address)}" width="100%" height="{self._height}" style="border:0"></iframe>'
