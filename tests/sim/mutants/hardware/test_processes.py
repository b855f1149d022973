# SPDX-License-Identifier: Apache-2.0
"""Messages of a stage's process"""

import json
import os

from xymac.sim.mutants.hardware.processes import teller


def test_messages_begin_a_line_behind_dots(capfd):
    tell = teller()
    for number in range(2):
        os.write(1, b"..")
        tell(number=number)

    lines = capfd.readouterr().out.splitlines()
    assert [json.loads(line) for line in lines if line.startswith("{")] == [
        {"number": 0}, {"number": 1}]
