# SPDX-License-Identifier: Apache-2.0
"""``python -m xymac.sim.coverage``."""

import sys

from .command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
