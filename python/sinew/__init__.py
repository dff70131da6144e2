"""Deformable bodies: rubber, flesh, cloth, ropes.

>>> import sinew
>>> world = sinew.World({
...     "time": {"step": "1/60"},
...     "bodies": [{"mesh": {"box": {"size": [1, 1, 1], "cells": [2, 2, 2]}}}],
... })
>>> report = world.step()
>>> report.outcome, report.step
('converged', 1)
>>> world.positions.shape
(27, 3)
>>> round(float(world.velocities[0, 1]) * 60, 6)
-9.81

A scene is a path, a YAML text or a dictionary of what a scene file has; see `sinew check --defaults` for its keys.
"""
from ._library import SinewError, version
from .mesh import Mesh
from .run import Frame, Run
from .world import Body, Report, World

__all__ = ["Body", "Frame", "Mesh", "Report", "Run", "SinewError", "World", "version"]
__version__ = version()
