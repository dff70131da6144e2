"""Parts of one's own: obstacles as Python functions, obstacles and materials as C functions."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, Mapping, Union

import numpy

from . import _api

_DISTANCE = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.POINTER(ctypes.c_double),
                             ctypes.POINTER(ctypes.c_double))
Function = Union[int, ctypes._CFuncPtr, Any]  # an address, a function of ctypes, of cffi, or numba's @cfunc


def address(function: Function) -> int:
    """Where a C function is: of a number, of ctypes, of cffi (`ffi.addressof`), or numba (`.address`)."""
    if isinstance(function, int):
        return function
    if hasattr(function, "address"):
        return int(function.address)
    if isinstance(function, ctypes._CFuncPtr):
        return ctypes.cast(function, ctypes.c_void_p).value or 0
    import cffi

    return int(cffi.FFI().cast("uintptr_t", function))


def obstacle_type(distance: Callable[[numpy.ndarray], Any] | Function,
                  errors: list[BaseException]) -> tuple[_api.SnObstacleType, list[Any]]:
    """The library's type of an obstacle that is this distance, and what has to live as long.

    What a Python function raises cannot pass through the library: it goes into `errors`, and there is nothing there.
    """
    if callable(distance) and not hasattr(distance, "address") and not isinstance(distance, ctypes._CFuncPtr):
        python = distance

        def call(_shape: Any, point: Any, gradient: Any) -> float:
            try:
                value, slope = python(numpy.ctypeslib.as_array(point, (3,)).copy())
                gradient[0], gradient[1], gradient[2] = slope
                return float(value)
            except BaseException as error:
                errors.append(error)
                gradient[0], gradient[1], gradient[2] = 0, 1, 0
                return 1e9

        distance = _DISTANCE(call)
    kind = _api.SnObstacleType()
    kind.name = b"own"
    kind.distance = address(distance)
    return kind, [kind, distance]


def material_type(functions: Mapping[str, Function]) -> _api.SnMaterialType:
    """The library's type of a material of three C functions, for tetrahedra and triangles."""
    if set(functions) != {"energy", "gradient", "hessian"}:
        raise ValueError(f"a material is its energy, gradient and hessian, not {', '.join(functions) or 'nothing'}")
    kind = _api.SnMaterialType()
    kind.name = b"own"
    kind.elements = _api.SN_ON_TETRAHEDRA | _api.SN_ON_TRIANGLES
    for name, function in functions.items():
        setattr(kind, name, address(function))
    return kind
