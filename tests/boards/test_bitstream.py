# SPDX-License-Identifier: Apache-2.0
"""The bitstream of the iCEBreaker with the real tools, from the same sources twice.

Takes minutes: ``pytest -m bitstream``.
"""

import pytest

from xymac.boards.attempt import Target, flow_of
from xymac.boards.board import find_board
from xymac.boards.commands.build import build

pytestmark = pytest.mark.bitstream


def test_the_same_sources_make_the_same_bitstream(tmp_path, monkeypatch):
    board, made = find_board("icebreaker"), []
    for name in ("first", "second"):
        monkeypatch.setattr("xymac.boards.tools.flow.CACHE", tmp_path / f"cache-{name}")
        flow_of.cache_clear()
        bitstream, fit = build(Target(board.size, board.name), 1, tmp_path / name)
        made.append({path.name: path.read_bytes() for path in bitstream.parent.iterdir()
                     if path.is_file()})
        assert fit.fmax >= board.clock

    assert sorted(made[0]) == [f"icebreaker.{end}" for end in ("bin", "il", "pcf", "txt")]
    assert made[0] == made[1]
    assert made[0]["icebreaker.bin"][:4] == b"\xff\x00\x00\xff"  # as the device's boot expects
