"""Runs NumPy's own tests of einsum and tensordot with flopcast's functions in place of NumPy's. Exits with pytest's code.

Usage: numpys_tests.py plain|flopcast
"""

import sys

import numpy as np
import pytest

if sys.argv[1] == "flopcast":
    import flopcast as fc

    fc.prepare()  # plans from the first call on
    np.einsum, np.einsum_path, np.tensordot = fc.einsum, fc.einsum_path, fc.tensordot
options = ["-q", "--no-header", "-p", "no:cacheprovider", "-k", "TestEinsum or TestTensordot or TestEinsumPath", "--pyargs"]
sys.exit(pytest.main([*options, "numpy.core.tests.test_einsum", "numpy.core.tests.test_numeric"]))
