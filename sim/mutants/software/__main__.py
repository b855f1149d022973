# SPDX-License-Identifier: Apache-2.0
"""``python -m xymac.sim.mutants.software``."""

import sys

from .command import main

sys.exit(main(sys.argv[1:]))
