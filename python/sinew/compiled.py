"""Functions that numba has compiled, as the library calls them: the same ones as in Python, under @numba.njit."""
from __future__ import annotations

from typing import Any, Mapping

from . import _api


def is_compiled(function: Any) -> bool:
    """Whether it is numba's @njit."""
    return hasattr(function, "py_func") and hasattr(function, "compile")


def _at(name: str) -> int:
    """Where SnMaterialMany has a member, all of which take eight bytes."""
    return getattr(_api.SnMaterialMany, name).offset // 8


def _pointer() -> Any:
    """A compiled function from an address to a pointer to double."""
    from numba import types
    from numba.extending import intrinsic

    @intrinsic
    def pointer(_typing: Any, _address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

        return types.CPointer(types.float64)(types.uint64), generate

    return pointer


def compile_material(functions: Mapping[str, Any]) -> Any:
    """A C function for `many` of SnMaterialType, of f(s, mu, lam) for energy, gradient and hessian."""
    import numba
    import numpy
    from numba import types

    energy, gradient, hessian = functions["energy"], functions["gradient"], functions["hessian"]
    at_s, at_mu, at_lambda, at_energy = _at("stretches"), _at("mu"), _at("lambda"), _at("energy")
    at_gradient, at_hessian = _at("gradient"), _at("hessian")
    pointer = _pointer()

    @numba.cfunc(types.void(types.CPointer(types.uint64)))
    def many(asked):  # type: ignore[no-untyped-def]
        n = numpy.int64(asked[0] & numpy.uint64(0xFFFFFFFF))
        s = numpy.empty((3, n))
        for k in range(3):
            s[k, :] = numba.carray(pointer(asked[at_s + k]), n)
        mu = numba.carray(pointer(asked[at_mu]), n).copy()
        lam = numba.carray(pointer(asked[at_lambda]), n).copy()
        if asked[at_energy] != 0:
            numba.carray(pointer(asked[at_energy]), n)[:] = energy(s, mu, lam)
        if asked[at_gradient] != 0:
            first = gradient(s, mu, lam)
            for k in range(3):
                numba.carray(pointer(asked[at_gradient + k]), n)[:] = first[k]
        if asked[at_hessian] != 0:
            second = hessian(s, mu, lam)
            for k in range(6):
                numba.carray(pointer(asked[at_hessian + k]), n)[:] = second[k]

    return many


def compile_obstacle(distance: Any) -> Any:
    """A C function for `distance` of SnObstacleType, of distance(point)."""
    import numba
    from numba import types

    doubles = types.CPointer(types.float64)

    @numba.cfunc(types.float64(types.voidptr, doubles, doubles))
    def call(_shape, point, gradient):  # type: ignore[no-untyped-def]
        value, slope = distance(numba.carray(point, 3).copy())
        for k in range(3):
            gradient[k] = slope[k]
        return value

    return call
