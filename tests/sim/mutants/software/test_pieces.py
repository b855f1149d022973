# SPDX-License-Identifier: Apache-2.0
"""Mutants in `xymac regress`: parameters whole, 2,000 others with seeds of their own"""

from tests.support.modules import ROOT
from xymac.sim.mutants.software.command import main
from xymac.sim.regress.pieces import cut


def test_pieces_of_mutants(capsys):
    whole, *samples = (piece for piece in cut(ROOT, ["mutants"], "mutants*")
                       if piece.words[0] == "mutants")

    assert whole.shown(7) == ("python -m xymac.sim.mutants.software --file 'golden/parameters/*' "
                              "--all --least 100")
    assert len({piece.line(seed) for piece in samples for seed in (1, 2)}) == 20
    assert sum(int(piece.words[2]) for piece in samples) == 2000
    # The command takes these options.
    assert main([*samples[3].line(7)[1:], "--list", "--file", "golden/parameters/*"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 200
