"""Orders of pairwise contractions by predicted time, for NumPy, opt_einsum and others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._einsum import _with_text
from ._plan import make_wish
from ._planner import PLANNER, PRECISIONS

numpy_einsum_path: Any = np.einsum_path  # a program may put flopcast's function in place of NumPy's

Path = list[tuple[int, ...]]

_FIRST_LETTER = 0x4E00  # of a block of 20 000 Unicode letters, so that labels of any kind have one each


def _path(
    text: str, shapes: Sequence[Sequence[int]], precision: str, limit: float | None, threads: int | None, executor: str = "numpy"
) -> Path:
    """Returns pairs of positions in the list of operands; the product of a pair goes to the end of the list. Intermediates have `limit`
    bytes at most."""
    if len(shapes) < 3:
        return [tuple(range(len(shapes)))]
    return [tuple(sorted(pair)) for pair in PLANNER.path(make_wish(text, shapes, limit, threads, precision=precision), executor)]


def einsum_path(*operands: Any, optimize: Any = "greedy", einsum_call: bool = False) -> Any:
    """Returns an order of pairwise contractions and a text on it, as numpy.einsum_path does.

    `optimize="flopcast"` chooses the order by predicted time instead of counting operations; ("flopcast", n) allows intermediates of n
    elements at most. All other values are NumPy's.

    >>> import numpy as np
    >>> path, text = einsum_path("ij,jk,kl->il", np.ones((2, 9)), np.ones((9, 9)), np.ones((9, 3)), optimize="flopcast")
    >>> path[0], len(path)
    ('einsum_path', 3)
    """
    limited = isinstance(optimize, tuple) and len(optimize) == 2 and optimize[0] == "flopcast"
    if not limited and not (isinstance(optimize, str) and optimize == "flopcast"):
        return numpy_einsum_path(*operands, optimize=optimize, einsum_call=einsum_call)
    text, arrays = _with_text(operands, True)
    shapes = [np.shape(array) for array in arrays]
    dtype = np.result_type(*(array.dtype for array in arrays if hasattr(array, "dtype"))) if any(hasattr(a, "dtype") for a in arrays) else None
    itemsize = dtype.itemsize if dtype is not None else 8
    path = _path(text, shapes, PRECISIONS.get(dtype, "d"), optimize[1] * itemsize if limited else None, None)
    return numpy_einsum_path(*operands, optimize=["einsum_path", *path], einsum_call=einsum_call)


def _in_order(labels: Any) -> list[Any]:
    """Returns labels in the order of the axes; those of sets, which don't tell the axes, in alphabetical order."""
    return sorted(labels, key=str) if isinstance(labels, (set, frozenset)) else list(labels)


def _make_optimizer(base: type) -> type:
    class PathOptimizer(base):  # type: ignore[misc]
        """An optimiser for opt_einsum's argument `optimize`, which chooses the order by predicted time on this machine.

        `dtype` is the type of the arrays, and `threads=None` stands for the threads that NumPy's BLAS has now. `executor` says what executes
        the pairs: "numpy", or "flopcast" with `backend="flopcast"`. NumPy multiplies batches of matrices by loops that are much slower than
        BLAS, so that the two may need other orders.
        """

        def __init__(self, dtype: Any = np.float64, threads: int | None = None, executor: str = "numpy") -> None:
            self.dtype = np.dtype(dtype)
            self.threads = threads
            if executor not in ("numpy", "flopcast"):
                raise ValueError(f"executor: {executor!r} given, expected 'numpy' or 'flopcast'")
            self.executor = executor

        def __call__(
            self, inputs: Sequence[Any], output: Any, size_dict: Mapping[Any, int], memory_limit: int | None = None
        ) -> Path:
            operands, result = [_in_order(labels) for labels in inputs], _in_order(output)
            names = list(dict.fromkeys(label for labels in operands for label in labels))
            letters = {label: chr(_FIRST_LETTER + i) for i, label in enumerate(names)}
            text = ",".join("".join(letters[label] for label in labels) for labels in operands)
            text += "->" + "".join(letters[label] for label in result)
            shapes = [[size_dict[label] for label in labels] for labels in operands]
            limit = None if memory_limit is None or memory_limit < 0 else float(memory_limit) * self.dtype.itemsize
            return _path(text, shapes, PRECISIONS.get(self.dtype, "d"), limit, self.threads, self.executor)

    return PathOptimizer


def path_optimizer() -> type:
    """Returns the class PathOptimizer, derived from opt_einsum's if opt_einsum is installed."""
    try:
        from opt_einsum.paths import PathOptimizer as base
    except ImportError:
        base = object
    return _make_optimizer(base)
