"""Meshes as arrays: to and from files, and to and from what other packages have."""
from __future__ import annotations

import ctypes
import os
from typing import Any

import numpy

from . import _api
from ._library import check, doubles, library

_KINDS = (("tetrahedra", "tetrahedron", 4), ("triangles", "triangle", 3), ("edges", "edge", 2))
_MESHIO = {"tetrahedra": "tetra", "triangles": "triangle", "edges": "line"}


class Mesh:
    """Nodes, a row for each, in m, and elements by the numbers of their nodes.

    A scene that is a dictionary takes one in place of a file:

    >>> import sinew
    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> mesh = Mesh(corners, tetrahedra=[[0, 1, 2, 3]])
    >>> mesh
    Mesh(4 nodes, 1 tetrahedra)
    >>> world = sinew.World({"bodies": [{"mesh": mesh, "material": {"density": 600}}]})
    >>> round(world.bodies[0].mass, 9)
    100.0
    """

    def __init__(self, nodes: Any, tetrahedra: Any = (), triangles: Any = (), edges: Any = ()) -> None:
        self.nodes = numpy.ascontiguousarray(nodes, numpy.float64).reshape(-1, 3)
        self.tetrahedra = numpy.ascontiguousarray(tetrahedra, numpy.int32).reshape(-1, 4)
        self.triangles = numpy.ascontiguousarray(triangles, numpy.int32).reshape(-1, 3)
        self.edges = numpy.ascontiguousarray(edges, numpy.int32).reshape(-1, 2)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Mesh:
        """Any format of `sinew list formats`; the ending says which."""
        handle = ctypes.c_void_p()
        check(library.sn_mesh_load(os.fsencode(path), ctypes.byref(handle)))
        try:
            count = library.sn_mesh_node_count(handle)
            arrays = {"nodes": numpy.ctypeslib.as_array(library.sn_mesh_nodes(handle), (count, 3)).copy()}
            for name, kind, width in _KINDS:
                count = getattr(library, f"sn_mesh_{kind}_count")(handle)
                if count:
                    pointer = getattr(library, f"sn_mesh_{name}")(handle)
                    arrays[name] = numpy.ctypeslib.as_array(pointer, (count, width)).copy()
        finally:
            library.sn_mesh_destroy(handle)
        return cls(**arrays)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Into a file; what the format cannot hold is left out.

        >>> import tempfile
        >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles=[[0, 1, 2]])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     mesh.save(folder + "/one.obj")
        ...     Mesh.load(folder + "/one.obj")
        Mesh(3 nodes, 1 triangles)
        """
        handle = self.create()
        try:
            check(library.sn_mesh_save(handle, os.fsencode(path)))
        finally:
            library.sn_mesh_destroy(handle)

    def create(self) -> ctypes.c_void_p:
        """The library's own, to be given to `sn_mesh_destroy`."""
        definition = library.sn_default_mesh_def()
        definition.node_count = len(self.nodes)
        _keep, definition.nodes = doubles(self.nodes, self.nodes.shape)
        for name, kind, _width in _KINDS:
            elements = getattr(self, name)
            setattr(definition, f"{kind}_count", len(elements))
            setattr(definition, name, elements.ctypes.data_as(ctypes.POINTER(ctypes.c_int)))
        handle = ctypes.c_void_p()
        check(library.sn_mesh_create(ctypes.byref(definition), ctypes.byref(handle)))
        return handle

    @classmethod
    def from_meshio(cls, mesh: Any) -> Mesh:
        """Of a meshio.Mesh, or anything with `points` and `cells_dict`; of a trimesh.Trimesh, vertices and faces."""
        if hasattr(mesh, "faces"):
            return cls(mesh.vertices, triangles=mesh.faces)
        others = set(mesh.cells_dict) - set(_MESHIO.values()) - {"vertex"}
        if others:
            raise ValueError(f"cells of {', '.join(sorted(others))}; a mesh has {', '.join(_MESHIO.values())}")
        cells = {name: mesh.cells_dict[kind] for name, kind in _MESHIO.items() if kind in mesh.cells_dict}
        points = numpy.asarray(mesh.points, float)
        return cls(numpy.pad(points, ((0, 0), (0, 3 - points.shape[1]))), **cells)

    def to_meshio(self) -> Any:
        """A meshio.Mesh; needs the package meshio."""
        import meshio

        cells = [(kind, getattr(self, name)) for name, kind in _MESHIO.items() if len(getattr(self, name))]
        return meshio.Mesh(self.nodes, cells)

    def to_trimesh(self) -> Any:
        """A trimesh.Trimesh of the triangles, with all nodes as they are; needs the package trimesh."""
        import trimesh

        return trimesh.Trimesh(vertices=self.nodes, faces=self.triangles, process=False)

    def __repr__(self) -> str:
        counts = [f"{len(self.nodes)} nodes"]
        counts += [f"{len(getattr(self, name))} {name}" for name, _, _ in _KINDS if len(getattr(self, name))]
        return f"Mesh({', '.join(counts)})"
