"""Contractions that are planned once and executed often."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _flopcast
from ._errors import ArrayError, InputError
from ._planner import PLANNER, PRECISIONS, Array, DType, blas_threads, decides


def _array_of(operand: Any, dtype: Any) -> tuple[tuple[int, ...], DType, tuple[int, ...] | None, Any]:
    """Returns shape, type, strides in bytes and data of an operand: an array, or a shape for a dense array."""
    if isinstance(operand, (tuple, list)) and all(isinstance(size, (int, np.integer)) for size in operand):
        return tuple(int(size) for size in operand), np.dtype(dtype if dtype is not None else np.float64), None, None
    array = _plain_array(operand)
    return array.shape, array.dtype, array.strides, array.__array_interface__["data"][0]


def _plain_array(operand: Any) -> Array:
    """Returns an operand as an array. Raises ArrayError for arrays whose class has a rule of its own for NumPy's functions."""
    if decides(operand):
        raise ArrayError(
            f"a plan can't compute a {type(operand).__name__}, whose class has a rule of its own. Call flopcast.einsum, which follows the rule,"
            " or give the numbers alone, by numpy.asarray"
        )
    return np.asarray(operand)


def _dense_strides(shape: Sequence[int]) -> list[int]:
    strides, step = [0] * len(shape), 1
    for i in reversed(range(len(shape))):
        strides[i] = step
        step *= max(shape[i], 1)
    return strides


def _elements(strides: Sequence[int] | None, shape: Sequence[int], dtype: DType) -> list[int]:
    """Returns strides in elements; those of a dense array where the given ones are no multiples of an element."""
    if strides is None or any(stride % dtype.itemsize for stride in strides):
        return _dense_strides(shape)
    return [stride // dtype.itemsize for stride in strides]


def _planned_strides(strides: Sequence[int] | None, shape: Sequence[int], kind: DType, wanted: DType) -> list[int]:
    """Returns strides in elements for an operand of type `kind` in a plan of type `wanted`. An array that is to be converted becomes dense,
    unless its elements share memory, for which a dense copy might not have room."""
    keeps = kind == wanted or (strides is not None and _flopcast.overlaps_itself(shape, strides, kind.itemsize))
    return _elements(strides if keeps else None, shape, kind)


def _empty(shape: Sequence[int], strides: Sequence[int], dtype: DType) -> Array:
    """Returns a new array with these strides in elements."""
    if 0 in shape:
        return np.empty(shape, dtype)
    low = sum((size - 1) * stride for size, stride in zip(shape, strides) if stride < 0)
    high = sum((size - 1) * stride for size, stride in zip(shape, strides) if stride > 0)
    memory = np.empty(high - low + 1, dtype)
    return np.ndarray(shape, dtype, memory, -low * dtype.itemsize, [stride * dtype.itemsize for stride in strides])


#: Members of a wish, in the words of messages.
_EXPECTED = {
    "subscripts": "a text such as 'ij,jk->ik'",
    "shapes": "sizes of 63 bits at most",
    "effort": "estimate, microbench, measure or incremental",
    "threads": "an integer from 1 to 1024",
    "time_budget": "a number of seconds",
    "fresh": "True or False",
    "max_bytes": "a number of bytes",
}


def make_wish(subscripts: str, shapes: Sequence[Sequence[int]], max_bytes: Any, threads: int | None, **options: Any) -> Any:
    """Returns a wish with these members and options. Raises TypeError, which names the member, for a value of another type."""
    wish = _flopcast.PlanWish()
    options["threads"] = blas_threads() if threads is None else threads
    if max_bytes is not None:
        options["max_bytes"] = max_bytes
    members = {"subscripts": subscripts, "shapes": [list(shape) for shape in shapes]}
    for name, value in (members | options).items():
        try:
            if name in members:
                setattr(wish, name, value)
            else:
                wish.set(name, value)
        except (TypeError, RuntimeError):
            raise TypeError(f"{name} of a plan: {value!r} given, expected {_EXPECTED[name]}") from None
    return wish


def _require_array(out: Any) -> None:
    """Raises TypeError if `out` is no NumPy array."""
    if not isinstance(out, np.ndarray) or decides(out):
        raise TypeError(f"out is a {type(out).__name__}; expected a NumPy array, which takes the result")


def _require_room(out: Array, dtype: DType) -> None:
    """Raises ArrayError if numbers of a plan's type may lose digits in `out`, as numpy.einsum does."""
    if not np.can_cast(dtype, out.dtype):
        raise ArrayError(f"out is {out.dtype}, in which numbers of the result's type {dtype} may lose digits. Give an array of {dtype}")


class Plan:
    """A planned contraction, for arrays of the planned shapes and type.

    Arrays with other strides than the planned ones are copied first; conversions that may lose digits are refused. `seconds` is the expected time of one execution, `flops` its
    floating-point operations and `workspace_bytes` the memory for packing and intermediates. `resident_bytes` adds operands and result. `decided` tells whether the choice is final.
    str() explains the choice. Several threads may call a plan at once.
    """

    __slots__ = ("subscripts", "shapes", "dtype", "effort", "threads", "_strides", "_result_strides", "_handle", "_execute")

    def __init__(self, wish: Any, dtype: DType, effort: str) -> None:
        self.subscripts: str = wish.subscripts
        self.shapes: tuple[tuple[int, ...], ...] = tuple(tuple(shape) for shape in wish.shapes)
        self.dtype = dtype
        self.effort = effort
        self.threads: int = wish.threads
        self._strides = wish.strides
        self._result_strides = wish.result_strides
        self._handle = PLANNER.plan(wish)
        self._execute = self._handle.function()

    @property
    def seconds(self) -> float:
        """Expected time of one execution, in seconds."""
        return self._handle.seconds

    @property
    def decided(self) -> bool:
        """True if the choice is final; False while calls of a plan of effort "incremental" try candidates."""
        return self._handle.decided

    @property
    def flops(self) -> float:
        """Floating-point operations of one execution."""
        return self._handle.flops

    @property
    def workspace_bytes(self) -> int:
        """Bytes for packing and intermediates."""
        return self._handle.workspace_bytes

    @property
    def resident_bytes(self) -> int:
        """Predicted peak of resident memory: bytes of operands, result, intermediates and packing."""
        return self._handle.resident_bytes

    @property
    def result_shape(self) -> tuple[int, ...]:
        """Shape of the result."""
        return self._handle.result_shape

    def explain(self) -> str:
        """Returns the choice, its reason and other candidates in several lines."""
        return self._handle.explain()

    def __call__(self, *operands: Any, out: Array | None = None, alpha: complex = 1.0, beta: complex = 0.0) -> Any:
        """Returns out := alpha * contraction + beta * out. Without `out`, the result is a new array."""
        if out is None and alpha == 1.0 and beta == 0.0:
            result = self._execute(*operands)
        else:
            result = self._execute(*operands, out=out, alpha=alpha, beta=beta)
        return self._converted(operands, out, alpha, beta) if result is NotImplemented else result

    def _converted(self, operands: Sequence[Any], out: Array | None, alpha: complex, beta: complex) -> Any:
        """Executes the plan on operands that have the planned strides and type, copies where the given ones haven't."""
        if len(operands) != len(self.shapes):
            raise InputError(f"the plan of '{self.subscripts}' has {len(self.shapes)} operands, but {len(operands)} are given")
        copies = []
        for i, (operand, shape, strides) in enumerate(zip(operands, self.shapes, self._strides)):
            array = _plain_array(operand)
            if array.shape != shape:
                raise InputError(f"operand {i + 1} of '{self.subscripts}' has shape {array.shape}, but the plan is for {shape}")
            if not np.can_cast(array.dtype, self.dtype):
                raise ArrayError(
                    f"operand {i + 1} of '{self.subscripts}' is {array.dtype}, but the plan is for {self.dtype}, in which numbers may lose digits."
                    " Convert the operand, or plan for its type"
                )
            if array.dtype == self.dtype and array.strides == tuple(self.dtype.itemsize * stride for stride in strides):
                copies.append(array)
                continue
            copy = _empty(shape, strides, self.dtype)
            np.copyto(copy, array)
            if _flopcast.overlaps_itself(shape, strides, 1) and not all(
                np.array_equal(own, given, equal_nan=True) for own, given in zip(copy, array)
            ):
                raise InputError(
                    f"operand {i + 1} of '{self.subscripts}' is planned as a view whose elements share memory, but the given elements differ."
                    " Plan for an array without such elements"
                )
            copies.append(copy)
        if out is not None:
            _require_array(out)
        if out is not None and out.shape != self.result_shape:
            raise InputError(f"out is {out.dtype} of shape {out.shape}, but the plan's result is {self.dtype} of shape {self.result_shape}")
        if out is not None:
            _require_room(out, self.dtype)
        if out is not None and not out.flags.writeable:
            raise InputError("out is read-only; the result needs an array that can be written")
        if beta != 0 and out is None:
            raise InputError(f"beta is {beta}, which needs an array `out` to scale")
        strides = self._result_strides if self._result_strides is not None else _dense_strides(self.result_shape)
        result = _empty(self.result_shape, strides, self.dtype)
        is_wider = beta != 0 and out is not None and not np.can_cast(out.dtype, self.dtype)
        if beta != 0 and out is not None and not is_wider:
            np.copyto(result, out)
        self._execute(*copies, out=result, alpha=alpha, beta=0.0 if is_wider else beta)
        if out is None:
            return result[()] if result.ndim == 0 else result
        np.copyto(out, result + beta * out if is_wider else result)
        return out

    def __str__(self) -> str:
        return self.explain().rstrip("\n")

    def __repr__(self) -> str:
        return f"<flopcast.Plan '{self.subscripts}' of {self.dtype}, {self.threads} threads, expected {self.seconds:.3g} s>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def plan(
    subscripts: str,
    *operands: Any,
    out: Array | None = None,
    dtype: Any = None,
    effort: str = "estimate",
    threads: int | None = None,
    time_budget: float | str = 2.0,
    fresh: bool = False,
    max_bytes: float | str | None = None,
) -> Plan:
    """Plans a contraction of any number of operands. The plan is called with arrays.

    An operand is an array, or the shape of a dense array of `dtype` (float64 by default). With `out`, plans have the strides of that array.
    `effort` is "estimate" (a model decides, in milliseconds), "microbench" (tiles are timed) or "measure" (the best candidates are
    executed, for `time_budget` seconds at most). With "incremental", a model decides at first; then each call tries one of the best
    candidates and is timed, until the fastest is known, after 2 to 80 calls. Every call computes the right result, and equal plans of a
    process share what was measured. Measured choices are kept in flopcast's store, and `fresh` measures anew.
    `threads=None` stands for the threads that NumPy's BLAS has now. Intermediates of three operands and more take `max_bytes` at most.
    Times and bytes may be texts: "10s", "2GiB".

    >>> import numpy as np
    >>> p = plan("ij,jk->ik", (3, 4), (4, 5))
    >>> p(np.ones((3, 4)), np.ones((4, 5)))[0]
    array([4., 4., 4., 4., 4.])
    >>> p.result_shape
    (3, 5)
    """
    described = [_array_of(operand, dtype) for operand in operands]
    wanted = np.result_type(*(kind for _, kind, _, _ in described)) if described else np.dtype(np.float64)
    if out is not None:
        _require_array(out)
        wanted = np.result_type(wanted, out.dtype)
        _require_room(out, wanted)
    if wanted not in PRECISIONS:
        raise InputError(f"arrays of {wanted} can't be planned; expected float32, float64, complex64 or complex128")
    options = {"precision": PRECISIONS[wanted], "effort": effort, "time_budget": time_budget, "fresh": fresh}
    wish = make_wish(subscripts, [shape for shape, _, _, _ in described], max_bytes, threads, **options)
    wish.strides = [_planned_strides(strides, shape, kind, wanted) for shape, kind, strides, _ in described]
    if out is not None:
        shape = _flopcast.result_shape(subscripts, wish.shapes)
        if out.shape != shape:
            raise InputError(f"out has shape {out.shape}, but the result of '{subscripts}' has {shape}")
        wish.result_strides = _elements(out.strides if out.dtype == wanted else None, out.shape, wanted)
    if len(described) > 2:
        same = [(data, tuple(shape), strides) for shape, _, strides, data in described]
        wish.tensors = [i if data is None else same.index(same[i]) for i, (data, _, _) in enumerate(same)]
    return Plan(wish, wanted, effort)


__all__ = ["Plan", "plan"]
