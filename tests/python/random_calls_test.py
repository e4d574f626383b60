"""Random calls of flopcast.einsum and tensordot beside NumPy's, five times each with the same arguments.

Values, type, order in memory, class, exceptions and untouched operands are NumPy's each time: before and after the planner is open, while
trials run, and after them. Usage: random_calls_test.py [calls [seed]]
"""

import sys
import unittest
import warnings

import numpy as np

import flopcast as fc

REPEATS = 5
PLANNED = ["f4", "f8", "c8", "c16"]
OTHERS = ["?", "i1", "u2", "i4", "i8", "f2", "g", "G", "O", ">f8", ">c8", ">i4"]


class Marked(np.ndarray):
    """A class whose results keep it."""

    def __array_function__(self, function, types, arguments, options):
        result = super().__array_function__(function, types, arguments, options)
        return result.view(Marked) if type(result) is np.ndarray else result


class Refusing(np.ndarray):
    def __array_function__(self, function, types, arguments, options):
        raise TypeError("refused")


class Derived(np.ndarray):
    """A class without a rule of its own."""


class Convertible:
    """An object that NumPy converts to an array."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None):
        return self.array if dtype is None else self.array.astype(dtype)


class Foreign(Convertible):
    def __array_function__(self, function, types, arguments, options):
        return "foreign", function.__name__, len(arguments), sorted(options)


def masked(array):
    return np.ma.masked_array(array, mask=array == 1)


CLASSES = [
    lambda array: array.view(Marked),
    lambda array: array.view(Refusing),
    lambda array: array.view(Derived),
    lambda array: array.view(np.matrix) if array.ndim == 2 else array.view(Derived),
    masked,
    Convertible,
    Foreign,
    lambda array: array.tolist(),
]


class Layout:
    """The place of an array in a block of memory, so that two equal sets can be made."""

    def __init__(self, random, shape, dtype, block=None):
        self.shape, self.dtype = tuple(int(size) for size in shape), np.dtype(dtype)
        strides, step = [0] * len(shape), self.dtype.itemsize
        order = random.permutation(len(shape)) if random.random() < 0.6 else np.arange(len(shape))[::-1]
        is_small = self.dtype.itemsize * np.prod(shape, dtype=float) < 1e5  # bytes
        for axis in order:
            gap = int(random.choice([1, 1, 1, 1, 2, 3])) if is_small else 1
            strides[axis] = step * gap
            step *= gap * max(self.shape[axis], 1)
        kind = random.random()
        if kind < 0.08 and len(shape):
            strides[int(random.integers(len(shape)))] = 0  # a repeated element
        elif kind < 0.16 and len(shape) > 1:
            first, second = random.permutation(len(shape))[:2]
            strides[first] = strides[second] = min(strides[first], strides[second])  # sliding windows
        strides = [-stride if random.random() < 0.1 else stride for stride in strides]
        self.strides = tuple(strides)
        reach = [(size - 1) * stride for size, stride in zip(self.shape, strides)] if 0 not in self.shape else []
        low, high = sum(min(one, 0) for one in reach), sum(max(one, 0) for one in reach) + self.dtype.itemsize
        self.first, self.bytes = -low, high - low
        self.is_misaligned = block is None and random.random() < 0.03
        self.block = block


def values(random, dtype, count):
    """Returns small integers, so that sums are exact in every type and order."""
    whole = random.integers(-1, 3, count)
    if dtype.kind in "ub":
        whole = np.abs(whole)
    if dtype.kind == "c":
        return (whole + 1j * random.integers(-1, 2, count)).astype(dtype)
    return whole.astype(dtype)


class SharedArrays:
    """Blocks of memory with arrays in them."""

    def __init__(self, call):
        self.blocks, self.arrays, self.out = [], [], None
        for layout, contents in zip(call.layouts, call.contents):
            if layout.dtype.kind == "O":
                self.blocks.append(None)
                self.arrays.append(np.array(contents[: int(np.prod(layout.shape))], dtype=object).reshape(layout.shape))
            elif layout.block is not None:
                self.blocks.append(None)
                self.arrays.append(self.view(self.blocks[layout.block], layout, layout.shift))
            else:
                shift = 1 if layout.is_misaligned else 0
                block = np.zeros(len(contents) + 64 + shift, np.uint8)
                skipped = -block.ctypes.data % 64 + shift
                self.blocks.append(block[skipped : skipped + len(contents)])
                self.arrays.append(self.view(self.blocks[-1], layout, 0))
        self.contents = call.contents
        self.reset()

    @staticmethod
    def view(block, layout, shift):
        return np.ndarray(layout.shape, layout.dtype, block, layout.first + shift, layout.strides)

    def reset(self):
        for block, contents in zip(self.blocks, self.contents):
            if block is not None:
                block[:] = contents

    def without_out(self):
        """Returns the blocks with zeros in `out`, whose values are compared as numbers."""
        if self.out is not None and self.out.flags.writeable:
            np.asarray(self.out)[...] = 0
        padded = (np.longdouble, np.clongdouble)  # not all bytes of these elements count
        return [
            array.copy() if array.dtype.type in padded else None if block is None else block.copy()
            for block, array in zip(self.blocks, self.arrays)
        ]


class RandomCall:
    def __init__(self, random):
        self.random = random
        self.is_large = random.random() < 0.15
        self.function = "tensordot" if random.random() < 0.12 else "einsum"
        mixed = random.random()
        kind = str(random.choice(PLANNED if mixed < 0.65 else OTHERS))
        self.kind = lambda: kind if random.random() < 0.85 else str(random.choice(PLANNED + OTHERS))
        self.options = {}
        shapes, result = self.product() if self.function == "tensordot" else self.expression()
        self.layouts = [Layout(random, shape, self.kind()) for shape in shapes]
        if len(shapes) > 1 and random.random() < 0.08 and shapes[0] == shapes[1]:
            self.layouts[1] = self.layouts[0]
        self.operands = len(shapes)
        self.classes = [random.integers(len(CLASSES)) if random.random() < 0.06 else None for _ in shapes]
        if self.function == "einsum":
            self.choose_options(result)
        self.contents = [self.content(layout) for layout in self.layouts]

    def content(self, layout):
        if layout.dtype.kind == "O":
            return list(self.random.integers(-1, 3, int(np.prod(layout.shape))).tolist())
        room = layout.bytes + (3 * layout.bytes if layout.block is None else 0) + 64
        numbers = values(self.random, layout.dtype, room // layout.dtype.itemsize + 1)
        return np.frombuffer(numbers.tobytes(), np.uint8)

    def sizes(self, labels, max_product=1e5):
        choices = [1, 2, 5, 20, 60, 300] if self.is_large else [0, 1, 1, 2, 3, 4, 5]
        sizes = {label: int(self.random.choice(choices)) for label in labels}
        while np.prod(list(sizes.values()) or [1]) > max_product:
            sizes[max(sizes, key=sizes.get)] //= 4
        return sizes

    def product(self):
        random = self.random
        ranks = random.integers(0, 4, 2)
        count = int(random.integers(0, min(ranks) + 1))
        shapes = [[int(size) for size in self.sizes(range(rank), 1e3).values()] for rank in ranks]
        axes = [random.permutation(rank)[:count].tolist() for rank in ranks]
        for i, j in zip(*axes):
            shapes[1][j] = shapes[0][i]
        if random.random() < 0.05 and shapes[0]:
            shapes[0][0] += 1
        self.axes = axes if random.random() < 0.8 else int(random.integers(0, 4))
        return shapes, None

    def expression(self):
        random = self.random
        labels = [str(label) for label in random.permutation(list("abcdefXYZ"))[: random.integers(1, 6)]]
        sizes = self.sizes(labels)
        count = int(random.choice([1, 2, 3, 4], p=[0.15, 0.6, 0.17, 0.08]))
        terms, shapes = [], []
        around = [int(size) for size in random.integers(1, 4, random.integers(0, 3))]
        has_ellipsis = random.random() < 0.12
        for _ in range(count):
            own = [str(label) for label in random.permutation(labels)[: random.integers(0, 5)]]
            if own and not self.is_large and random.random() < 0.08:
                own.append(own[0])
            shape = [1 if random.random() < 0.04 else sizes[label] for label in own]
            if random.random() < 0.01 and shape:
                shape[0] += 1
            if has_ellipsis and random.random() < 0.8:
                place = int(random.integers(0, len(own) + 1))
                own.insert(place, "...")
                shape[place:place] = around[int(random.integers(0, len(around) + 1)) :]
            terms.append("".join(own))
            shapes.append(shape)
        self.text = ",".join(terms)
        result = None
        if random.random() < 0.85:
            used = sorted(set("".join(terms)) - {"."})
            kept = [str(label) for label in random.permutation(used)[: random.integers(0, len(used) + 1)]]
            if random.random() < 0.01:
                kept.append("z")
            result = None if has_ellipsis or "z" in kept else [sizes[label] for label in kept]
            if "..." in self.text:
                kept.insert(int(random.integers(0, len(kept) + 1)), "...")
            self.text += "->" + "".join(kept)
        self.is_list = not has_ellipsis and "z" not in self.text and random.random() < 0.1
        return shapes, result

    def choose_options(self, result):
        random = self.random
        if random.random() < 0.4:
            choices = [True, False, "greedy", "optimal", None, ("greedy", 50), "unknown"]
            self.options["optimize"] = choices[int(random.choice(len(choices), p=[0.4, 0.2, 0.15, 0.1, 0.05, 0.05, 0.05]))]
            if random.random() < 0.1:
                self.options["optimize"] = ["einsum_path", tuple(range(self.operands))]
        if random.random() < 0.15:
            self.options["order"] = str(random.choice(list("CFAKckX")))
        if random.random() < 0.12:
            self.options["dtype"] = str(random.choice(["f4", "f8", "c16", "i8", "i1", "g", ">f8"]))
        if random.random() < 0.12:
            self.options["casting"] = str(random.choice(["safe", "same_kind", "unsafe", "no", "equiv", "unknown"]))
        if random.random() < 0.01:
            self.options["unknown"] = 1
        self.out = None
        self.is_read_only, self.is_marked = random.random() < 0.02, random.random() < 0.03
        if result is not None and random.random() < 0.45:
            self.choose_out(result)

    def choose_out(self, result):
        """Adds `out`: an operand itself, elsewhere in an operand's memory, or in memory of its own."""
        random = self.random
        owner = int(random.integers(self.operands))
        of_owner = self.layouts[owner]
        kind = of_owner.dtype if random.random() < 0.7 else np.dtype(self.kind())
        same = [i for i, layout in enumerate(self.layouts) if layout.shape == tuple(result)]
        self.out = len(self.layouts)
        if random.random() < 0.02:
            result = [*result, 2]
        if same and random.random() < 0.4:
            self.out = int(random.choice(same))
            return
        layout = Layout(random, result, kind)
        shares = of_owner.dtype.kind != "O" and kind == of_owner.dtype and layout.bytes <= 3 * of_owner.bytes
        if shares and random.random() < 0.6:
            layout.block, layout.is_misaligned = owner, False
            layout.shift = kind.itemsize * int(random.integers(0, max(1, (4 * of_owner.bytes - layout.bytes) // kind.itemsize)))
        self.layouts.append(layout)

    def corrupts_memory(self):
        """Tells whether NumPy (1.24) may add 0 to the element behind an empty result: for long doubles, that changes what is there."""
        kinds = [layout.dtype for layout in self.layouts] + [np.dtype(self.options.get("dtype", "f8"))]
        return any(0 in layout.shape for layout in self.layouts) and any(kind.char in "gG" for kind in kinds)

    def call(self, function_of, arrays_of_call):
        arrays = arrays_of_call.arrays
        operands = [array if kind is None else CLASSES[kind](array) for array, kind in zip(arrays[: self.operands], self.classes)]
        if self.function == "tensordot":
            return function_of.tensordot(*operands, self.axes)
        options = dict(self.options)
        if self.out is not None:
            options["out"] = arrays_of_call.out
        if not self.is_list:
            return function_of.einsum(self.text, *operands, **options)
        inputs, arrow, result = self.text.partition("->")
        number = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".index
        arguments = [part for pair in zip(operands, [list(map(number, term)) for term in inputs.split(",")]) for part in pair]
        return function_of.einsum(*arguments, *([list(map(number, result))] if arrow else []), **options)

    def shared_arrays(self):
        arrays_of_call = SharedArrays(self)
        if self.function == "einsum" and self.out is not None:
            arrays_of_call.out = arrays_of_call.arrays[self.out]
            if self.is_read_only:
                arrays_of_call.out.flags.writeable = False
            arrays_of_call.out = arrays_of_call.out.view(Derived) if self.is_marked else arrays_of_call.out
        return arrays_of_call

    def __str__(self):
        arrays = ", ".join(f"{layout.dtype}{layout.shape}/{layout.strides}" for layout in self.layouts)
        what = f"einsum '{self.text}', out {self.out}" if self.function == "einsum" else f"tensordot {self.axes}"
        return f"{what} of {arrays}, classes {self.classes}, {self.options}"


def outcome(call, function_of, arrays_of_call):
    try:
        return call.call(function_of, arrays_of_call)
    except Exception as error:  # noqa: BLE001 - any exception is an outcome
        return error


def strides_that_count(array):
    return [stride for stride, size in zip(array.strides, array.shape) if size > 1]


class RandomCalls(unittest.TestCase):
    calls, seed = 2000, 1

    def compare(self, call, ours, theirs, our_arrays, their_arrays, text):
        if isinstance(theirs, Exception) or isinstance(ours, Exception):
            self.assertTrue(isinstance(ours, type(theirs)), f"{text}: {ours!r} and {theirs!r}")
            return
        self.assertIs(type(ours), type(theirs), text)
        if not isinstance(theirs, (np.ndarray, np.generic)):
            self.assertEqual(ours, theirs, text)
            return
        self.assertEqual(ours.dtype, theirs.dtype, text)
        self.assertEqual(ours.shape, theirs.shape, text)
        self.assertTrue(np.array_equal(np.asarray(ours), np.asarray(theirs)), f"{text}: {ours} and {theirs}")
        if theirs.size > 1:
            self.assertEqual(strides_that_count(ours), strides_that_count(theirs), text)
        shares = [[np.may_share_memory(result, array) for array in arrays_of_call.arrays] for result, arrays_of_call in ((ours, our_arrays), (theirs, their_arrays))]
        self.assertEqual(*shares, text)
        if theirs is their_arrays.out:
            self.assertIs(ours, our_arrays.out, text)

    def test_random_calls(self):
        random = np.random.default_rng(self.seed)
        expressions = -(-self.calls // REPEATS)
        fine = 0
        for number in range(expressions):
            if number == expressions // 4:
                fc.prepare()
            call = RandomCall(random)
            if call.corrupts_memory():
                continue
            our_arrays, their_arrays = call.shared_arrays(), call.shared_arrays()
            for repeat in range(REPEATS):
                our_arrays.reset()
                their_arrays.reset()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    theirs, ours = outcome(call, np, their_arrays), outcome(call, fc, our_arrays)
                text = f"seed {self.seed}, expression {number}, call {repeat + 1}: {call}"
                self.compare(call, ours, theirs, our_arrays, their_arrays, text)
                if not isinstance(theirs, Exception):
                    for own, expected in zip(our_arrays.without_out(), their_arrays.without_out()):
                        self.assertTrue(own is None or np.array_equal(own, expected), f"memory differs: {text}")
            fine += not isinstance(theirs, Exception)
        self.assertGreater(fine, expressions // 2)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        RandomCalls.calls = int(sys.argv.pop(1))
    if len(sys.argv) > 1:
        RandomCalls.seed = int(sys.argv.pop(1))
    unittest.main()
