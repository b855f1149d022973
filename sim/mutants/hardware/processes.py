# SPDX-License-Identifier: Apache-2.0
"""Processes that import the rewritten hardware: requests in a file, messages in JSON lines."""

import json
import os
import subprocess
import sys
import tempfile

from xymac.host.cluster import ROOT
from xymac.host.errors import InputError

__all__ = ["ask", "teller"]

_COLUMNS = "400"  # in which pytest has room for a test's name and its failure


def ask(module, request, hear):
    """Run ``python -m xymac.sim.mutants.hardware.MODULE FILE`` with a ``request`` (dict).

    ``hear`` is called with every message, a dict. If the process ends without the message
    ``ended=0``, InputError with the last line in other output, and with pytest's line about the
    first failed test.
    """
    ended, tail, failed = None, "no message", ""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(request, file)
        file.flush()
        with subprocess.Popen(
                [sys.executable, "-m", f"xymac.sim.mutants.hardware.{module}", file.name],
                cwd=ROOT, text=True, env=os.environ | {"COLUMNS": _COLUMNS},
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            for line in process.stdout:
                if not line.startswith("{"):
                    tail = line.strip() or tail
                    if line.startswith(("FAILED ", "ERROR ")):
                        failed = failed or f"; {line.strip()}"
                    continue
                message = json.loads(line)
                ended   = message.get("ended", ended)
                hear(message)
    if ended != 0:
        raise InputError(f"{module.replace('_', ' ')}: {tail}{failed}")


def teller():
    """Function to write a message on a line of its own, whatever becomes of this process's stdout.

    An unfinished line of pytest's dots may stand before it.
    """
    out = os.dup(1)

    def tell(**message):
        os.write(out, f"\n{json.dumps(message)}\n".encode())

    return tell
