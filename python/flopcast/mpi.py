"""MPI programs: tuning, advice and simulation, and regions of programs that use mpi4py.

Functions that mark a program's own code do nothing in a program that flopcast doesn't trace:

>>> from flopcast import mpi
>>> with mpi.region("pack", 100, 200):
...     packed = [0] * 100
>>> if mpi.kernel("sort", 100):
...     packed.sort()
...     mpi.end()
>>> [configuration.integer("nb", 64) for configuration in mpi.configurations()]
[64]
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
from collections.abc import Iterator

from ._errors import InputError
from ._commands import mpi_advise as advise
from ._commands import mpi_describe as describe
from ._commands import mpi_run as run
from ._commands import mpi_simulate as simulate
from ._commands import mpi_tune as tune

__all__ = [
    "Configuration", "advise", "configurations", "describe", "end", "kernel", "region", "reset", "run", "simulate", "start", "stop", "tune",
]  # fmt: skip

_SIZES = 8  # most sizes of a region


class _Hooks(ctypes.Structure):
    """The functions of the preloaded library, as flopcast/regions.h declares them."""

    _fields_ = [
        ("enter", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(ctypes.c_int64), ctypes.c_int)),
        ("leave", ctypes.CFUNCTYPE(None)),
        ("measure", ctypes.CFUNCTYPE(None, ctypes.c_int)),
        ("reset", ctypes.CFUNCTYPE(None)),
        ("next_configuration", ctypes.CFUNCTYPE(ctypes.c_int)),
        ("parameter", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_char_p)),
    ]


@functools.lru_cache(maxsize=1)
def _hooks() -> _Hooks | None:
    """Returns the functions of flopcast, or None if flopcast doesn't trace this program."""
    give = getattr(ctypes.CDLL(None), "flopcast_region_hooks_2", None)
    if give is None:
        return None
    give.restype = ctypes.POINTER(_Hooks)
    found = give()
    return found.contents if found else None


def _enter(name: str, sizes: tuple[int, ...], may_be_left_out: bool) -> bool:
    if len(sizes) > _SIZES:
        raise InputError(f"region '{name}' has {len(sizes)} sizes, expected {_SIZES} at most")
    hooks = _hooks()
    values = (ctypes.c_int64 * max(len(sizes), 1))(*sizes)
    return hooks is None or bool(hooks.enter(name.encode(), len(sizes), values, int(may_be_left_out)))


@contextlib.contextmanager
def region(name: str, *sizes: int) -> Iterator[None]:
    """Marks code that is always executed. `sizes` are up to 8 numbers on which the time of the code depends."""
    _enter(name, sizes, False)
    try:
        yield
    finally:
        end()


def kernel(name: str, *sizes: int) -> bool:
    """Begins code that may be skipped. Returns False if the code is to be skipped, because its time is known. Otherwise end() ends it."""
    return _enter(name, sizes, True)


def end() -> None:
    """Ends the code that kernel() began."""
    hooks = _hooks()
    if hooks is not None:
        hooks.leave()


def start() -> None:
    """Puts the actions of this process on the critical path again, after stop()."""
    hooks = _hooks()
    if hooks is not None:
        hooks.measure(1)


def stop() -> None:
    """Takes the actions of this process off the critical path until start()."""
    hooks = _hooks()
    if hooks is not None:
        hooks.measure(0)


def reset() -> None:
    """Forgets paths and counts, but keeps the statistics of kernels. All processes must call this function."""
    hooks = _hooks()
    if hooks is not None:
        hooks.reset()


class Configuration:
    """The parameters of one configuration of the program."""

    def text(self, name: str, otherwise: str) -> str:
        """Returns the value of a parameter; `otherwise` if flopcast has none."""
        hooks = _hooks()
        value: bytes | None = hooks.parameter(name.encode()) if hooks is not None else None
        return value.decode() if value is not None else otherwise

    def integer(self, name: str, otherwise: int) -> int:
        """Returns the value of a parameter as an integer. Raises InputError if the value is none."""
        value = self.text(name, str(otherwise))
        try:
            return int(value)
        except ValueError:
            raise InputError(f"parameter '{name}' is '{value}', expected an integer") from None


def configurations() -> Iterator[Configuration]:
    """Yields the configurations that one launch of `flopcast mpi tune` runs; without flopcast, one configuration.

    All processes must go through the loop, with no communication under way at its head.
    """
    hooks = _hooks()
    following = hooks.next_configuration() if hooks is not None else -1
    if hooks is None or following < 0:
        yield Configuration()
        return
    while following > 0:
        yield Configuration()
        following = hooks.next_configuration()
