"""Einstein summation, tensor products and transposition with NumPy's interfaces."""

from __future__ import annotations

import functools
import operator
import re
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _flopcast
from ._errors import Error, InputError, SetupError
from ._planner import PLANNER, PRECISIONS, Array, DType, c_einsum

# A program may put flopcast's functions in place of NumPy's.
numpy_einsum: Any = np.einsum
numpy_tensordot: Any = np.tensordot
numpy_transpose: Any = np.transpose

_NUMPYS_NOTATION = re.compile(r"[a-zA-Z ,.>-]*")
_MAX_LABELS = 52  # of NumPy's notation
_MAX_THREADS = 1024  # of a plan
_SEARCHES = ("greedy", "optimal", "flopcast")  # values of `optimize`
_NAIVE_PRODUCTS = 20_000  # NumPy's search of an order takes longer than this number of products


def _is_foreign(operand: Any) -> bool:
    """Returns whether an array of another library computes by itself (NEP 18)."""
    return not isinstance(operand, np.ndarray) and hasattr(type(operand), "__array_function__")


def _letter(label: int) -> str:
    """Returns the character for a label of NumPy's lists, which are integers. Raises ValueError beyond them."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    if not 0 <= label < _MAX_LABELS:
        raise ValueError(f"label {label} isn't within 0 to {_MAX_LABELS - 1}")
    return letters[label]


def _text_of_list(labels: Sequence[Any]) -> str:
    return "".join("..." if label is Ellipsis else _letter(label.__index__()) for label in labels)


def _with_text(arguments: Sequence[Any]) -> tuple[str, list[Any]]:
    """Returns subscripts as a text, and the operands, of arguments in either of NumPy's notations."""
    if isinstance(arguments[0], str):
        return arguments[0], list(arguments[1:])
    pairs = len(arguments) // 2
    operands = [arguments[2 * i] for i in range(pairs)]
    text = ",".join(_text_of_list(arguments[2 * i + 1]) for i in range(pairs))
    if len(arguments) % 2 == 1:
        text += "->" + _text_of_list(arguments[-1])
    return text, operands


def _is_plain(array: Array, dtype: DType) -> bool:
    """Returns whether the planner can read an array in place."""
    return (
        array.dtype == dtype
        and array.dtype.isnative
        and array.flags.aligned
        and all(stride % dtype.itemsize == 0 for stride in array.strides)
    )


def _column_major(order: str | None, arrays: Sequence[Array]) -> bool:
    """Returns whether NumPy's argument `order` asks for a column-major result."""
    return order in ("F", "f") or (order in ("A", "a") and all(array.flags.f_contiguous for array in arrays))


def _numpys_arguments(text: str, arrays: Sequence[Array]) -> list[Any]:
    """Returns arguments for NumPy of subscripts in any notation that flopcast reads. Raises InputError for others."""
    if _NUMPYS_NOTATION.fullmatch(text):
        return [text, *arrays]
    operands, (kept, conjugated) = _flopcast.labels(text, [array.shape for array in arrays])
    numbers: dict[int, int] = {}
    arguments: list[Any] = []
    for array, (labels, is_conjugated) in zip(arrays, operands):
        arguments.append(np.conj(array) if is_conjugated != conjugated else array)
        arguments.append([numbers.setdefault(label, len(numbers)) for label in labels])
    if len(numbers) > _MAX_LABELS:
        raise InputError(f"'{text}' has {len(numbers)} labels; NumPy, which computes arrays of this type, takes {_MAX_LABELS}")
    arguments.append([numbers[label] for label in kept])
    return arguments


def _default_optimize(arrays: Sequence[Array], dtype: DType | None, text: str) -> Any:
    """Returns the order of operands with which NumPy is called if the caller names none."""
    if len(arrays) < 2 or any(array.dtype != dtype for array in arrays):
        return False
    if dtype is not None and dtype.kind in "iu":
        return "greedy" if len(arrays) > 2 else False  # sums of integers of one type are the same in any order
    if dtype not in PRECISIONS:
        return False
    try:
        operands, _ = _flopcast.labels(text, [array.shape for array in arrays])
    except Error:
        return False
    sizes = {label: size for array, (labels, _) in zip(arrays, operands) for label, size in zip(labels, array.shape)}
    products = 1.0
    for size in sizes.values():
        products *= size
    return len(arrays) > 2 or products > _NAIVE_PRODUCTS


def _by_numpy(text: str, arrays: Sequence[Any], dtype: DType | None, optimize: Any, options: dict[str, Any]) -> Any:
    """Returns NumPy's einsum, and counts its time where a plan might be faster."""
    chooses = optimize is None
    if chooses:
        optimize = _default_optimize(arrays, dtype, text)
    arguments = _numpys_arguments(text, arrays)
    if optimize is False:
        function, options = c_einsum(), options
    else:
        function, options = numpy_einsum, {"optimize": optimize, **options}
    begin = time.perf_counter()
    result = function(*arguments, **options)
    if dtype in PRECISIONS and not PLANNER.is_open:
        PLANNER.pays(time.perf_counter() - begin, 0.0)
    is_number = chooses and isinstance(result, np.ndarray) and result.ndim == 0 and "out" not in options
    return result[()] if is_number else result  # as NumPy does without a search of an order


def _planned(text: str, arrays: Sequence[Array], dtype: DType, out: Array | None, order: str | None, threads: int | None) -> Any:
    """Returns the einsum by a plan of arrays that may need a conversion, or NotImplemented."""
    operands = [array if _is_plain(array, dtype) else np.require(array.astype(dtype, order="K"), requirements="A") for array in arrays]
    target = out
    if out is not None and (not _is_plain(out, dtype) or any(np.may_share_memory(out, operand) for operand in operands)):
        target = np.empty(out.shape, dtype)
    elif out is None and _column_major(order, arrays):
        target = np.empty(_flopcast.result_shape(text, [array.shape for array in operands]), dtype, order="F")
    elif out is None and order is not None and order not in ("K", "k"):
        target = np.empty(_flopcast.result_shape(text, [array.shape for array in operands]), dtype)
    result = planned(text, *operands, out=target, threads=threads)
    if result is NotImplemented or target is out:
        return result
    if out is None:
        return result[()] if result.ndim == 0 else result
    np.copyto(out, result, casting="unsafe")
    return out


def _checked_threads(threads: Any) -> int | None:
    """Returns the argument `threads`. Raises InputError or TypeError for what is no number of threads."""
    number = None if threads is None else operator.index(threads)
    if number is not None and not 1 <= number <= _MAX_THREADS:
        raise InputError(f"threads: {number} given, expected 1 to {_MAX_THREADS}, or None for those that NumPy's BLAS has now")
    return number


def _elsewhere(
    *arguments: Any,
    out: Any = None,
    dtype: Any = None,
    order: str | None = None,
    casting: str | None = None,
    optimize: Any = None,
    threads: int | None = None,
    **others: Any,
) -> Any:
    """Computes calls of einsum for which there is no plan yet: converts arrays for the planner, or calls NumPy."""
    given = {"out": out, "dtype": dtype, "order": order, "casting": casting}
    options = {name: value for name, value in given.items() if value is not None}
    if others:
        raise TypeError(f"einsum() got an unexpected keyword argument '{next(iter(others))}'")
    threads = _checked_threads(threads)
    leaves_order_open = optimize is None or isinstance(optimize, (bool, np.bool_)) or (isinstance(optimize, str) and optimize in _SEARCHES)
    if len(arguments) < 2 or any(_is_foreign(argument) for argument in arguments) or (out is not None and type(out) is not np.ndarray):
        return numpy_einsum(*arguments, optimize=False if optimize in (None, "flopcast") else optimize, **options)
    try:
        text, operands = _with_text(arguments)
    except (AttributeError, TypeError, IndexError, ValueError):
        return numpy_einsum(*arguments, **options)  # raises NumPy's exception
    arrays = [np.asarray(operand) for operand in operands]
    wanted: DType | None
    try:
        wanted = np.dtype(dtype) if dtype is not None else np.result_type(*arrays)
    except TypeError:
        wanted = None
    if isinstance(optimize, str) and optimize == "flopcast":
        optimize = None
    if wanted is not None and wanted in PRECISIONS and wanted.isnative and leaves_order_open and _is_allowed(arrays, wanted, out, order, casting or "safe"):
        try:
            result = _planned(text, arrays, wanted, out, order, threads)
        except SetupError:  # no memory for packing, or no BLAS
            result = NotImplemented
        except InputError:  # shapes that contradict each other: NumPy's exception is what callers expect
            result = NotImplemented
        if result is not NotImplemented:
            return result
    return _by_numpy(text, arrays, wanted, optimize, options)


def _is_allowed(arrays: Sequence[Array], dtype: DType, out: Array | None, order: str | None, casting: Any) -> bool:
    """Returns whether the planner's result has the type and the order that NumPy's has."""
    if order is not None and (order not in tuple("CFAKcfak") or (len(arrays) == 1 and out is None)):
        return False  # of one operand, NumPy may return a view, whatever the order
    try:
        allowed = [np.can_cast(array if array.ndim == 0 else array.dtype, dtype, casting) for array in arrays]
        return all(allowed) and (
            out is None or (out.flags.writeable and np.can_cast(dtype, out.dtype, casting))
        )
    except (TypeError, ValueError):
        return False


_with_blas = functools.partial(numpy_einsum, optimize=True)
einsum, planned, forget_plans, count_plans = _flopcast.einsum_functions(PLANNER, c_einsum(), _with_blas, _elsewhere)


@functools.lru_cache(maxsize=1024)
def _tensordot_text(rank_a: int, rank_b: int, axes_a: tuple[int, ...], axes_b: tuple[int, ...]) -> str:
    """Returns the subscripts of a tensor product."""
    of_a = [_letter(i) for i in range(rank_a)]
    of_b = [_letter(rank_a + i) for i in range(rank_b)]
    for axis_a, axis_b in zip(axes_a, axes_b):
        of_b[axis_b] = of_a[axis_a]
    kept = [label for i, label in enumerate(of_a) if i not in axes_a] + [label for i, label in enumerate(of_b) if i not in axes_b]
    return "".join(of_a) + "," + "".join(of_b) + "->" + "".join(kept)


def _axes_of(axes: Any, rank_a: int, rank_b: int) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Returns the summed axes of both operands, counted from 0; None for axes that NumPy refuses."""
    try:
        pair = (range(rank_a - axes, rank_a), range(axes)) if isinstance(axes, (int, np.integer)) else axes
        of_a, of_b = ((one,) if isinstance(one, (int, np.integer)) else tuple(one) for one in pair)
        axes_a = tuple(axis + rank_a if axis < 0 else axis for axis in of_a)
        axes_b = tuple(axis + rank_b if axis < 0 else axis for axis in of_b)
    except (TypeError, ValueError):
        return None
    valid = len(axes_a) == len(axes_b) and len(set(axes_a)) == len(axes_a) and len(set(axes_b)) == len(axes_b)
    return (axes_a, axes_b) if valid and all(0 <= i < rank_a for i in axes_a) and all(0 <= i < rank_b for i in axes_b) else None


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Computes the sum of products over pairs of axes, as numpy.tensordot does.

    >>> import numpy as np
    >>> tensordot(np.ones((2, 3)), np.ones((3, 4)), axes=1).shape
    (2, 4)
    """
    if type(a) is np.ndarray and type(b) is np.ndarray and a.dtype == b.dtype and a.dtype in PRECISIONS:
        pairs = _axes_of(axes, a.ndim, b.ndim)
        if pairs is not None and all(a.shape[i] == b.shape[j] for i, j in zip(*pairs)):
            return np.asarray(einsum(_tensordot_text(a.ndim, b.ndim, *pairs), a, b))
    return numpy_tensordot(a, b, axes)


def transpose(a: Any, axes: Any = None, out: Array | None = None) -> Any:
    """Returns a view with other axes, as numpy.transpose does; with `out`, writes a copy by flopcast's transposition kernels.

    >>> import numpy as np
    >>> a = np.arange(6.0).reshape(2, 3)
    >>> transpose(a).shape
    (3, 2)
    >>> transpose(a, (1, 0), out=np.empty((3, 2)))[2]
    array([2., 5.])
    """
    view = numpy_transpose(a, axes)
    if out is None:
        return view
    if view.shape != out.shape:
        raise InputError(f"the transposed array has shape {view.shape}, but out has {out.shape}")
    labels = "".join(_letter(i) for i in range(view.ndim))
    if np.may_share_memory(view, out):
        view = view.copy()
    if planned(f"{labels}->{labels}", view, out=out) is NotImplemented:
        np.copyto(out, view)
    return out


@functools.lru_cache(maxsize=1024)
def _conjugated(subscripts: str, conja: bool, conjb: bool) -> str:
    """Returns subscripts of two operands with the operands marked that are conjugated."""
    inputs, arrow, result = subscripts.replace(" ", "").partition("->")
    parts = inputs.split(",")
    if len(parts) != 2:
        raise InputError(f"'{subscripts}' has {len(parts)} operands, expected 2")
    marked = [f"conj({part})" if is_conjugated else part for part, is_conjugated in zip(parts, (conja, conjb))]
    return ",".join(marked) + arrow + result


def contract(
    subscripts: str,
    a: Any,
    b: Any,
    alpha: complex = 1.0,
    beta: complex = 0.0,
    out: Array | None = None,
    conja: bool = False,
    conjb: bool = False,
) -> Any:
    """Computes out := alpha * einsum(subscripts, a, b) + beta * out; `conja` and `conjb` stand for complex conjugates.

    >>> import numpy as np
    >>> c = np.ones((2, 2))
    >>> contract("ik,kj->ij", np.eye(2), np.eye(2), alpha=2.0, beta=1.0, out=c)
    array([[3., 1.],
           [1., 3.]])
    """
    if beta != 0 and out is None:
        raise InputError(f"beta is {beta}, which needs an array `out` to scale")
    text = _conjugated(subscripts, bool(conja), bool(conjb))
    operands = [np.asarray(a), np.asarray(b)]
    if out is None or not any(np.may_share_memory(out, operand) for operand in operands):
        result = planned(text, *operands, out=out, alpha=alpha, beta=beta)
        if result is not NotImplemented:
            return result
    product = alpha * einsum(text, *operands)
    if out is None:
        return product
    np.copyto(out, product if beta == 0 else product + beta * out, casting="same_kind")
    return out
