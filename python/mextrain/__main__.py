"""`python -m mextrain`: the same as the command `mextrain`."""

import sys

from mextrain.cli import main

if __name__ == "__main__":
    sys.exit(main())
