"""`python -m flopcast` is the command line of flopcast."""

import sys

from ._program import main

sys.exit(main(sys.argv[1:]))
