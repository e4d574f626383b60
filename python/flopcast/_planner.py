"""The planner of this process, and what NumPy offers besides."""

from __future__ import annotations

import logging
import os
from typing import Any

import numpy as np

from . import _flopcast

Array = np.ndarray[Any, Any]
DType = np.dtype[Any]

LOG = logging.getLogger("flopcast")


def tell(text: str) -> None:
    """Passes a remark of flopcast to the log `flopcast`: warnings as warnings, which Python prints by default."""
    prefix = "warning: "
    if text.startswith(prefix):
        LOG.warning("flopcast: %s", text[len(prefix) :])
    else:
        LOG.info("flopcast: %s", text)


#: The planner whose libraries and store all contractions of this process share.
PLANNER = _flopcast.Planner(tell)
os.register_at_fork(before=PLANNER.before_fork, after_in_parent=PLANNER.after_fork_in_parent, after_in_child=PLANNER.after_fork_in_child)

#: Letters of BLAS for the types that are planned.
PRECISIONS: dict[DType | None, str] = {np.dtype(np.float32): "s", np.dtype(np.float64): "d", np.dtype(np.complex64): "c", np.dtype(np.complex128): "z"}


_NDARRAYS_RULE = np.ndarray.__array_function__


def decides(argument: Any) -> bool:
    """Returns whether the argument's class has a rule of its own for NumPy's functions (NEP 18): units, other libraries' arrays."""
    kind = type(argument)
    return kind is not np.ndarray and getattr(kind, "__array_function__", _NDARRAYS_RULE) is not _NDARRAYS_RULE


def c_einsum() -> Any:
    """Returns NumPy's einsum without its search of an order of several operands."""
    core = getattr(np, "_core", None) or getattr(np, "core")
    return core.multiarray.c_einsum


def blas_threads() -> int:
    """Returns the number of threads that NumPy's BLAS has now; 1 if the BLAS doesn't tell.

    >>> blas_threads() >= 1
    True
    """
    return _flopcast.blas_threads()


def prepare() -> None:
    """Opens flopcast's libraries now, which takes less than a second.

    Caches are measured if they weren't measured on this machine before, which takes up to 15 s. Without this function, the libraries are
    opened once contractions have taken as long.
    """
    PLANNER.open()
