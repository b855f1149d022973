# SPDX-License-Identifier: Apache-2.0
"""Program for a separate process: write a LiteX system's Verilog, constraints and headers.

LiteX keeps global state and configures logging when it is imported, so it has a process of its
own. The arguments are a system kind and its options, a JSON object. After an InputError the last
line begins with ``REASON``, and the sentence follows.
"""

import importlib
import json
import sys

from litex.soc.integration.builder import Builder

from xymac.host.errors import InputError

from .system import REASON

_KINDS = {"simulated": "xymac.boards.litex.simulated", "ulx3s": "xymac.boards.litex.ulx3s"}


def main(kind, options):
    """Write a system's files to ``options["folder"]``."""
    system = importlib.import_module(_KINDS[kind]).make(**options)
    Builder(system, output_dir=options["folder"], compile_software=False,
            compile_gateware=False).build(build_name="top")


if __name__ == "__main__":
    try:
        main(sys.argv[1], json.loads(sys.argv[2]))
    except InputError as error:
        sys.exit(f"{REASON}{error}")
