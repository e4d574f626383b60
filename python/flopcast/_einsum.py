"""Einstein summation, tensor products and transposition with NumPy's interfaces."""

from __future__ import annotations

import functools
import operator
import re
import string
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _flopcast
from ._errors import Error, InputError, SetupError
from ._planner import PLANNER, PRECISIONS, Array, DType, c_einsum, decides

# A program may put flopcast's functions in place of NumPy's.
numpy_einsum: Any = np.einsum
numpy_tensordot: Any = np.tensordot
numpy_transpose: Any = np.transpose

numpy_einsum_path: Any = np.einsum_path

_NUMPYS_NOTATION = re.compile(r"[a-zA-Z ,.>-]*")
_MAX_LABELS = 52  # of NumPy's notation
_MAX_UNSEARCHED_LABELS = 32  # of all versions of NumPy's einsum without its search of an order
_MAX_THREADS = 1024  # of a plan
_ANY = "flopcast"  # value of `optimize` that leaves the order of operands to flopcast, as no value does
_SEARCHES = ("greedy", "optimal")  # other such values, which NumPy has, too
_NAIVE_PRODUCTS = 20_000  # NumPy's search of an order takes longer than this number of products


def _exceeds_its_memory(array: Array) -> bool:
    """Returns whether an array has more elements than the memory that they span has room for: sliding windows, or a repeated element."""
    spanned = array.itemsize + sum((size - 1) * abs(stride) for size, stride in zip(array.shape, array.strides))
    return array.size * array.itemsize > spanned


def _overlaps_itself(array: Array) -> bool:
    """Returns whether two elements of an array share memory."""
    return _flopcast.overlaps_itself(array.shape, array.strides, array.itemsize)


def _letter(label: int, is_searched: bool = False) -> str:
    """Returns the character for a label of NumPy's lists, which are integers. Raises ValueError beyond them.

    NumPy's search of an order takes the small letters first, its sum without a search the capital ones. On that depends the order in memory,
    and the order of the result's axes where the subscripts don't tell it.
    """
    if not 0 <= label < _MAX_LABELS:
        raise ValueError(f"label {label} isn't within 0 to {_MAX_LABELS - 1}")
    return (string.ascii_letters if is_searched else string.ascii_uppercase + string.ascii_lowercase)[label]


def _text_of_list(labels: Sequence[Any], is_searched: bool) -> str:
    return "".join("..." if label is Ellipsis else _letter(label.__index__(), is_searched) for label in labels)


def _with_text(arguments: Sequence[Any], is_searched: bool) -> tuple[str, list[Any]]:
    """Returns subscripts as a text, and the operands, of arguments in either of NumPy's notations."""
    if isinstance(arguments[0], str):
        return arguments[0], list(arguments[1:])
    pairs = len(arguments) // 2
    operands = [arguments[2 * i] for i in range(pairs)]
    text = ",".join(_text_of_list(arguments[2 * i + 1], is_searched) for i in range(pairs))
    if len(arguments) % 2 == 1:
        text += "->" + _text_of_list(arguments[-1], is_searched)
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
    """Returns arguments for NumPy of subscripts beyond NumPy's notation. Raises InputError for what flopcast doesn't read either."""
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


def _kept_axes(text: str, arrays: Sequence[Array]) -> list[int]:
    """Returns the axes of NumPy's result without a search of an order, as they lie in memory, from the outermost inwards."""
    return _flopcast.axes_in_memory(text, [array.shape for array in arrays], [array.strides for array in arrays])


def _searched_axes(text: str, arrays: Sequence[Array], optimize: str) -> list[int]:
    """Returns the axes of NumPy's result with a search of an order, as they lie in memory, from the outermost inwards.

    NumPy tells them by the result of the arrays' corners. Its intermediates have the longest axes last, so that the corners' lengths are the
    places of the axes' lengths among all lengths, from 2 on.
    """
    many_labels, many_operands, many_products = 20, 6, 1e5
    if len(set(text)) > many_labels:
        return _kept_axes(text, arrays)
    if len(arrays) > many_operands:
        optimize = "greedy"  # the other search may take for ever
    lengths = sorted({size for array in arrays for size in array.shape if size > 1})
    corner = {0: 0, 1: 1, **{size: place + 2 for place, size in enumerate(lengths)}}
    try:
        operands, _ = _flopcast.labels(text, [array.shape for array in arrays])
        sizes = {label: corner[size] for array, (labels, _) in zip(arrays, operands) for label, size in zip(labels, array.shape)}
        if np.prod(list(sizes.values()), dtype=float) > many_products:
            corner = {size: min(size, 2) for size in corner}
        path, _ = numpy_einsum_path(text, *arrays, optimize=optimize)
        corners = [array[tuple(slice(corner[size]) for size in array.shape)] for array in arrays]
        strides = numpy_einsum(text, *corners, optimize=path).strides
    except (AttributeError, Error, IndexError, KeyError, MemoryError, TypeError, ValueError):  # not NumPy's notation
        return _kept_axes(text, arrays)
    reach = [-abs(int(stride)) for stride in strides]
    return sorted(range(len(reach)), key=reach.__getitem__)


def _new_array(shape: Sequence[int], axes: Sequence[int], dtype: DType) -> Array:
    """Returns a new array whose axes lie in memory in this order, from the outermost inwards."""
    return np.empty([shape[axis] for axis in axes], dtype).transpose(np.argsort(axes) if len(axes) else ())


def _as_without_search(result: Any, text: str, arrays: Sequence[Array]) -> Any:
    """Returns a result of NumPy's einsum that searched an order, in the class and the order in memory that it has without a search."""
    if result.ndim == 0:
        return result[()]
    expected = _new_array(result.shape, _kept_axes(text, arrays), result.dtype)
    if all(size < 2 or own == wanted for size, own, wanted in zip(result.shape, result.strides, expected.strides)):
        return result
    np.copyto(expected, result)
    return expected


def _default_search(arrays: Sequence[Array], dtype: DType | None, text: str, options: dict[str, Any]) -> Any:
    """Returns the search of an order with which NumPy is faster and computes the same, if the caller names none; False: none."""
    out = options.get("out")
    if len(arrays) < 2 or any(name != "out" for name in options) or any(_exceeds_its_memory(array) for array in arrays):
        return False
    if any(array.dtype != dtype for array in arrays) or (out is not None and out.dtype != dtype):
        return False  # intermediates would have a narrower type than the result
    if out is not None and _overlaps_itself(out):
        return False  # NumPy without a search adds up in the elements that share memory
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
    return len(arrays) > 2 or products > _NAIVE_PRODUCTS or len(sizes) > _MAX_UNSEARCHED_LABELS


def _by_numpy(
    arguments: Sequence[Any], text: str, arrays: Sequence[Array], dtype: DType | None, optimize: Any, options: dict[str, Any]
) -> Any:
    """Returns NumPy's einsum, and counts its time where a plan might be faster."""
    if not isinstance(arguments[0], str):
        arguments = [text, *arguments[: 2 * len(arrays) : 2]]  # lists mean another order of labels where NumPy searches
    elif not _NUMPYS_NOTATION.fullmatch(text):
        arguments = _numpys_arguments(text, arrays)
    begin = time.perf_counter()
    if not _leaves_order_to_flopcast(optimize):
        result = numpy_einsum(*arguments, optimize=optimize, **options)
    elif search := _default_search(arrays, dtype, text, options):
        result = numpy_einsum(*arguments, optimize=search, **options)
        if options.get("out") is None:
            result = _as_without_search(result, text, arrays)
    else:
        result = c_einsum()(*arguments, **options)
    if dtype in PRECISIONS and not PLANNER.is_open:
        PLANNER.pays(time.perf_counter() - begin, 0.0)
    return result


def _planned(
    text: str, arrays: Sequence[Array], dtype: DType, out: Array | None, order: str | None, search: str | None, threads: int | None
) -> Any:
    """Returns the einsum by a plan of arrays that may need a conversion, or NotImplemented. `search` is NumPy's way of finding an order."""
    is_plain = [_is_plain(array, dtype) for array in arrays]
    if any(not plain and _exceeds_its_memory(array) for plain, array in zip(is_plain, arrays)):
        return NotImplemented  # a copy would need more memory than the array
    if out is not None and _overlaps_itself(out):
        return NotImplemented
    operands = [
        array if plain else np.require(array.astype(dtype, order="K"), requirements="A") for plain, array in zip(is_plain, arrays)
    ]
    target = out
    if out is not None and (not _is_plain(out, dtype) or any(np.may_share_memory(out, operand) for operand in operands)):
        target = np.empty(out.shape, dtype)
    elif out is None:
        shape = _flopcast.result_shape(text, [array.shape for array in arrays])
        if _column_major(order, arrays):
            target = np.empty(shape, dtype, order="F")
        elif order is not None and order not in ("K", "k"):
            target = np.empty(shape, dtype)
        elif search is not None or not all(is_plain):
            target = _new_array(shape, _kept_axes(text, arrays) if search is None else _searched_axes(text, arrays, search), dtype)
    result = planned(text, *operands, out=target, threads=threads)
    if result is NotImplemented or target is out:
        return result
    if out is None:
        return result[()] if result.ndim == 0 and search is None else result
    np.copyto(out, result, casting="unsafe")
    return out


def _checked_threads(threads: Any) -> int | None:
    """Returns the argument `threads`. Raises InputError or TypeError for what is no number of threads."""
    number = None if threads is None else operator.index(threads)
    if number is not None and not 1 <= number <= _MAX_THREADS:
        raise InputError(f"threads: {number} given, expected 1 to {_MAX_THREADS}, or None for those that NumPy's BLAS has now")
    return number


def _is_view(text: str, arrays: Sequence[Array]) -> bool:
    """Returns whether an expression of one operand sums nothing, so that NumPy returns a view, whatever the order."""
    if len(arrays) != 1:
        return False
    try:
        [(labels, _)], (kept, _) = _flopcast.labels(text, [array.shape for array in arrays])
    except Error:
        return True  # NumPy's exception is what callers expect
    return _NUMPYS_NOTATION.fullmatch(text) is not None and set(labels) <= set(kept)


def _leaves_order_to_flopcast(optimize: Any) -> bool:
    return isinstance(optimize, str) and optimize == _ANY


def _elsewhere(*arguments: Any, optimize: Any = _ANY, threads: int | None = None, **options: Any) -> Any:
    """Computes calls of einsum for which there is no plan yet: converts arrays for the planner, or calls NumPy.

    Whatever computes, the value, the type, the order in memory, the class and the exceptions are NumPy's.
    """
    threads = _checked_threads(threads)
    if options.get("out", ()) is None:
        del options["out"]  # NumPy's einsum without a search doesn't know None
    numpys_optimize = {} if _leaves_order_to_flopcast(optimize) else {"optimize": optimize}
    if len(arguments) < 2 or any(map(decides, arguments)) or decides(options.get("out")):
        return numpy_einsum(*arguments, **numpys_optimize, **options)
    is_searched = optimize is not False and not _leaves_order_to_flopcast(optimize)
    try:
        text, operands = _with_text(arguments, is_searched)
        arrays = [np.asarray(operand) for operand in operands]
    except (AttributeError, TypeError, IndexError, ValueError):
        return numpy_einsum(*arguments, **numpys_optimize, **options)  # raises NumPy's exception
    wanted = _common_type(arrays, options)
    if wanted is not None and _may_be_planned(text, arrays, wanted, optimize, options):
        search = ("greedy" if optimize is True else optimize) if is_searched else None
        try:
            result = _planned(text, arrays, wanted, options.get("out"), options.get("order"), search, threads)
        except SetupError:  # no memory for packing, or no BLAS
            result = NotImplemented
        except InputError:  # shapes that contradict each other: NumPy's exception is what callers expect
            result = NotImplemented
        if result is not NotImplemented:
            return result
    return _by_numpy(arguments, text, arrays, wanted, optimize, options)


def _common_type(arrays: Sequence[Array], options: dict[str, Any]) -> DType | None:
    """Returns the type in which NumPy computes without a search: `dtype`, or what all arrays and `out` can be converted to."""
    dtype, out = options.get("dtype"), options.get("out")
    try:
        if dtype is not None:
            return np.dtype(dtype)
        together = [*arrays, out] if type(out) is np.ndarray else arrays
        scalars = [array for array in together if array.ndim == 0]
        return np.result_type(*scalars, *[array.dtype for array in together if array.ndim > 0])  # in NumPy's order, which matters
    except TypeError:
        return None


def _may_be_planned(text: str, arrays: Sequence[Array], dtype: DType, optimize: Any, options: dict[str, Any]) -> bool:
    """Returns whether a plan computes what NumPy does: the same intermediate types and conversions, and a new array."""
    out, order, casting = options.get("out"), options.get("order"), options.get("casting", "safe")
    if dtype not in PRECISIONS or not dtype.isnative or any(name not in ("out", "order", "casting", "dtype") for name in options):
        return False
    if (out is not None and type(out) is not np.ndarray) or any(array.dtype.kind not in "biufc" for array in arrays):
        return False
    if (order is not None and order not in tuple("CFAKcfak")) or (out is None and _is_view(text, arrays)):
        return False
    if optimize is False:
        if len(set(text)) > _MAX_UNSEARCHED_LABELS:
            return False  # NumPy refuses, or not
    elif not _leaves_order_to_flopcast(optimize):
        if not (optimize is True or (isinstance(optimize, str) and optimize in _SEARCHES)):
            return False
        if "dtype" in options or "casting" in options or any(array.dtype != dtype for array in (*arrays, *([] if out is None else [out]))):
            return False  # with a search, NumPy's intermediates have the operands' types
    try:
        allowed = [np.can_cast(array if array.ndim == 0 else array.dtype, dtype, casting) for array in arrays]
        allowed += [np.can_cast(array.dtype, dtype, "same_kind") for array in arrays]
        if out is not None:
            allowed += [out.flags.writeable, out.dtype.newbyteorder("=") in PRECISIONS]
            allowed += [np.can_cast(dtype, out.dtype, rule) and np.can_cast(out.dtype, dtype, rule) for rule in {casting, "same_kind"}]
        return all(allowed)
    except (TypeError, ValueError):
        return False


_with_blas = functools.partial(numpy_einsum, optimize=True)
einsum, planned, forget_plans, count_plans = _flopcast.einsum_functions(PLANNER, c_einsum(), _with_blas, _elsewhere, _searched_axes)


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


@functools.lru_cache(maxsize=1024)
def _tensordot_axes(text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Returns the summed axes of both operands of subscripts that _tensordot_text() made."""
    of_a, of_b = text.partition("->")[0].split(",")
    summed = [label for label in of_a if label in of_b]
    return tuple(map(of_a.index, summed)), tuple(map(of_b.index, summed))


def _numpys_tensordot(text: str, a: Array, b: Array) -> Any:
    """Returns numpy.tensordot by subscripts that _tensordot_text() made, without copies that are larger than the operands' memory."""
    if (_exceeds_its_memory(a) or _exceeds_its_memory(b)) and len(set(text)) <= _MAX_UNSEARCHED_LABELS:
        return np.asarray(c_einsum()(text, a, b, order="C"))
    return numpy_tensordot(a, b, _tensordot_axes(text))


def _unplanned_tensordot(text: str, a: Array, b: Array) -> Any:
    """Returns _numpys_tensordot(), and counts its time where a plan might be faster."""
    begin = time.perf_counter()
    result = _numpys_tensordot(text, a, b)
    if not PLANNER.is_open:
        PLANNER.pays(time.perf_counter() - begin, 0.0)
    return result


_row_major_product, _, _, _ = _flopcast.einsum_functions(
    PLANNER, _numpys_tensordot, _numpys_tensordot, _unplanned_tensordot, is_row_major=True
)


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Computes the sum of products over pairs of axes, as numpy.tensordot does.

    >>> import numpy as np
    >>> tensordot(np.ones((2, 3)), np.ones((3, 4)), axes=1).shape
    (2, 4)
    """
    if type(a) is np.ndarray and type(b) is np.ndarray and a.dtype == b.dtype and a.dtype in PRECISIONS:
        pairs = _axes_of(axes, a.ndim, b.ndim)
        if pairs is not None and a.ndim + b.ndim <= _MAX_LABELS and all(a.shape[i] == b.shape[j] for i, j in zip(*pairs)):
            return _row_major_product(_tensordot_text(a.ndim, b.ndim, *pairs), a, b)
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


def _into(out: Any, result: Any) -> Any:
    """Returns `result`, or writes it to `out` and returns that. Raises TypeError if numbers would lose digits, as numpy.einsum does."""
    if out is None:
        return result
    np.copyto(out, result, casting="safe")
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
    if any(map(decides, (a, b, out))):
        return _scaled(einsum(subscripts, np.conj(a) if conja else a, np.conj(b) if conjb else b), alpha, beta, out)
    operands = [np.asarray(a), np.asarray(b)]
    if out is None or not any(np.may_share_memory(out, operand) for operand in operands):
        result = planned(text, *operands, out=out, alpha=alpha, beta=beta)
        if result is not NotImplemented:
            return result
    return _scaled(einsum(text, *operands), alpha, beta, out)


def _scaled(product: Any, alpha: complex, beta: complex, out: Any) -> Any:
    """Returns out := alpha * product + beta * out."""
    return _into(out, alpha * product if beta == 0 else alpha * product + beta * out)
