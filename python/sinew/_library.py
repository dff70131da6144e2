"""The C library, and its errors as exceptions."""
from __future__ import annotations

import ctypes
import os
from typing import Any

import numpy

from . import _api


def _find() -> ctypes.CDLL:
    here = os.path.dirname(os.path.abspath(__file__))
    for name in (os.environ.get("SINEW_LIBRARY"), os.path.join(here, "libsinew.so"), _api.SONAME, "libsinew.so"):
        if name and (not os.path.isabs(name) or os.path.exists(name)):
            try:
                return ctypes.CDLL(name)
            except OSError:
                continue
    raise ImportError("libsinew.so was not found: install it, or name it in the environment variable SINEW_LIBRARY")


library = _api.declare(_find())


class SinewError(Exception):
    """What the library refused, in its own words; `status` is the kind, as in "bad value"."""

    def __init__(self, status: int) -> None:
        super().__init__(library.sn_last_error().decode())
        self.status = library.sn_status_name(status).decode()


def check(status: int) -> None:
    if status != _api.SN_OK:
        raise SinewError(status)


def version() -> str:
    """The version of the C library.

    >>> version().count(".")
    2
    """
    return library.sn_version().decode()


def array(pointer: Any, shape: tuple[int, ...], owner: Any, dtype: Any = numpy.float64) -> numpy.ndarray:
    """An array over memory of the library, without a copy; `owner` is kept alive by it."""
    size = int(numpy.prod(shape)) * numpy.dtype(dtype).itemsize
    if size == 0 or not pointer:
        return numpy.zeros(shape, dtype)
    buffer = (ctypes.c_char * size).from_address(ctypes.addressof(pointer.contents))
    buffer.owner = owner
    result = numpy.frombuffer(buffer, dtype).reshape(shape)
    result.flags.writeable = False
    return result


def doubles(values: Any, shape: tuple[int, ...]) -> tuple[numpy.ndarray, Any]:
    """Numbers for the library; the array has to live as long as the pointer is used."""
    values = numpy.ascontiguousarray(values, numpy.float64)
    if values.shape != shape:
        raise ValueError(f"an array of shape {shape} is wanted, not {values.shape}")
    return values, values.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
