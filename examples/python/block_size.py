"""Runs a blocked algorithm of one's own that asks for the tuned block size at run time.

  for      authors of Python libraries
  build    cmake --build --preset check
  run      PYTHONPATH=build/check/python python3 examples/python/block_size.py
  read     docs/howto/tune_own_algorithm.md
"""

import pathlib
import tempfile

import numpy as np

import flopcast as fc


def cholesky(a, block_size):
    """Returns the lower Cholesky factor, made block by block."""
    factor = np.tril(a)
    for begin in range(0, len(a), block_size):
        end = min(begin + block_size, len(a))
        block, below = factor[begin:end, begin:end], factor[end:, begin:end]
        block[...] = np.linalg.cholesky(block + np.tril(block, -1).T)
        below[...] = np.linalg.solve(block, below.T).T
        factor[end:, end:] -= np.tril(below @ below.T)
    return factor


# Step 1: someone has tuned dpotrf on this machine, and the tuning file keeps the decisions.
with tempfile.TemporaryDirectory() as folder:
    tuning = str(pathlib.Path(folder, "tuning.json"))
    fc.tune("dpotrf", n=[200], nb=[16, 32, 64], time_budget=5, tune_crossover=False, blas="openblas-serial", tuning=tuning)

    # Step 2: the library asks for the block size. 0 stands for "the tuning file has none": then 32, LAPACK's usual one, is taken.
    block_size = fc.tuned_block_size("dpotrf:L", 200, 200, tuning) or 32
print(f"block size {block_size}")

# Step 3: the algorithm runs with it.
random = np.random.default_rng(1).standard_normal((200, 200))
matrix = random @ random.T + 200 * np.eye(200)
factor = cholesky(matrix, block_size)
print("the factor is right" if np.allclose(factor @ factor.T, matrix) else "the factor is wrong")
