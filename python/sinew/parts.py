"""Parts of one's own: obstacles and materials, as Python or C functions."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, Mapping, Union

import numpy

from . import _api
from .compiled import compile_material, compile_obstacle, is_compiled

_DISTANCE = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.POINTER(ctypes.c_double),
                             ctypes.POINTER(ctypes.c_double))
Function = Union[int, ctypes._CFuncPtr, Any]  # an address, a function of ctypes, of cffi, or numba's @cfunc


def address(function: Function) -> int:
    """Where a C function is: of a number, of ctypes, of cffi (`ffi.addressof`), or numba's @cfunc (`.address`)."""
    if isinstance(function, int):
        return function
    if hasattr(function, "address"):
        return int(function.address)
    if isinstance(function, ctypes._CFuncPtr):
        return ctypes.cast(function, ctypes.c_void_p).value or 0
    import cffi

    return int(cffi.FFI().cast("uintptr_t", function))


def is_python(function: Any) -> bool:
    """Whether it has to be called by Python."""
    is_c = isinstance(function, ctypes._CFuncPtr) or type(function).__module__ == "_cffi_backend"
    return callable(function) and not is_c and not hasattr(function, "address") and not is_compiled(function)


def obstacle_type(distance: Callable[[numpy.ndarray], Any] | Function,
                  errors: list[BaseException]) -> tuple[_api.SnObstacleType, list[Any]]:
    """The library's type of an obstacle that is this distance, and what has to live as long.

    What a Python function raises cannot pass through the library: it goes into `errors`, and there is nothing there.
    """
    if is_compiled(distance):
        distance = compile_obstacle(distance)
    if is_python(distance):
        python: Any = distance

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


_MANY = ctypes.CFUNCTYPE(None, ctypes.POINTER(_api.SnMaterialMany))
_ROWS = {"energy": 1, "gradient": 3, "hessian": 6}


def _array(pointer: Any, count: int) -> numpy.ndarray:
    return numpy.ctypeslib.as_array(pointer, (count,))


def _many(functions: Mapping[str, Any], errors: list[BaseException]) -> Any:
    """Python functions of arrays, as the library calls them."""

    def call(asked: Any) -> None:
        many = asked.contents
        wanted = {"energy": [many.energy], "gradient": list(many.gradient), "hessian": list(many.hessian)}
        try:
            stretches = numpy.array([_array(row, many.count) for row in many.stretches])
            mu, lam = _array(many.mu, many.count).copy(), _array(getattr(many, "lambda"), many.count).copy()
            for name, rows in wanted.items():
                if not rows[0]:
                    continue
                values = numpy.broadcast_to(functions[name](stretches, mu, lam), (_ROWS[name], many.count))
                for row, value in zip(rows, values):
                    _array(row, many.count)[:] = value
        except BaseException as error:
            errors.append(error)
            for rows in wanted.values():
                for row in rows:
                    if row:
                        _array(row, many.count)[:] = numpy.nan

    return _MANY(call)


def material_type(functions: Mapping[str, Function],
                  errors: list[BaseException]) -> tuple[_api.SnMaterialType, list[Any]]:
    """The library's type of a material of three functions, for tetrahedra and triangles, and what has to live as long.

    They are C functions of one element, or functions of many, of Python or numba; what Python raises goes into `errors`.
    """
    if set(functions) != set(_ROWS):
        raise ValueError(f"a material is its energy, gradient and hessian, not {', '.join(functions) or 'nothing'}")
    kind = _api.SnMaterialType()
    kind.name = b"own"
    kind.elements = _api.SN_ON_TETRAHEDRA | _api.SN_ON_TRIANGLES
    python = [name for name, function in functions.items() if is_python(function)]
    compiled = [name for name, function in functions.items() if is_compiled(function)]
    for some, what in ((python, "Python"), (compiled, "numba's")):
        if some and len(some) < 3:
            raise ValueError(f"{', '.join(some)} of a material cannot be {what} while the others are not: all are, or none")
    if python or compiled:
        many = _many(functions, errors) if python else compile_material(functions)
        kind.many = address(many)
        return kind, [kind, many]
    for name, function in functions.items():
        setattr(kind, name, address(function))
    return kind, [kind, functions]
