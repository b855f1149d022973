# SPDX-License-Identifier: Apache-2.0
"""The command line as ``python -m xymac.host.cli``."""

import sys

from .main import main

if __name__ == "__main__":
    sys.exit(main())
