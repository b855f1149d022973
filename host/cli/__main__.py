"""The command line as ``python -m host.cli``."""

import sys

from .main import main

if __name__ == "__main__":
    sys.exit(main())
