"""flopcast: know how fast dense linear algebra will run, before it runs.

Contractions of NumPy arrays, planned and executed in this process:

>>> import numpy as np
>>> import flopcast as fc
>>> a = np.ones((3, 4))
>>> fc.einsum("ij,kj->ik", a, a).shape
(3, 3)

Commands that measure run the program `flopcast`; their results are frozen values with tables and plots:

    tuning = fc.tune("dgeqrf", n=range(200, 3201, 200), blas="openblas-serial")
    tuning.to_dataframe()
"""

from typing import Any

from . import _documents, _commands, mpi
from ._documents import *
from ._commands import *
from ._einsum import contract, einsum, tensordot, transpose
from ._errors import ArrayError, CheckFailed, Error, InputError, InternalError, Interrupted, MeasurementError, SetupError, UsageError
from ._flopcast import version as __version__
from ._requests import load, load_all, result_of, tuned_block_size
from ._own import tune, tune_function
from ._paths import einsum_path
from ._plan import Plan, plan
from ._planner import blas_threads, prepare
from ._program import find_program
from ._results import Result

__all__ = [
    "ArrayError",
    "CheckFailed",
    "Error",
    "InputError",
    "InternalError",
    "Interrupted",
    "MeasurementError",
    "PathOptimizer",
    "Plan",
    "Result",
    "SetupError",
    "UsageError",
    "__version__",
    "blas_threads",
    "contract",
    "einsum",
    "einsum_path",
    "find_program",
    "load",
    "load_all",
    "mpi",
    "plan",
    "prepare",
    "result_of",
    "tensordot",
    "transpose",
    "tune_function",
    "tuned_block_size",
]
__all__ += _documents.__all__
__all__ += _commands.__all__


def __getattr__(name: str) -> Any:
    """Makes PathOptimizer when it is first asked for, since its base class is opt_einsum's."""
    if name == "PathOptimizer":
        from ._paths import path_optimizer

        globals()[name] = path_optimizer()
        return globals()[name]
    raise AttributeError(f"module 'flopcast' has no attribute '{name}'")
