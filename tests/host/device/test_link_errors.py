# SPDX-License-Identifier: Apache-2.0
"""What the host's end of the link refuses, and how it says that a board fails."""

import pytest

from tests.support.fake.core import SparseCore
from tests.support.fake.port import FakePort, numbers, opened, scripted
from xymac.hdl.link.frames import Answer
from xymac.host.device.device import DeviceError
from xymac.host.device.link import Link, LinkError

SPACE = 1 << 22


def test_nobody_there():
    port = FakePort(None)
    with pytest.raises(DeviceError, match=r"for 2\.5 s while opening the link: .*--baud\?$"):
        Link(port, timeout=0.25, clock=port.clock)
    assert port.now == 2.5


@pytest.mark.parametrize("kind", ["writing", "reading"])
def test_refused_words(kind):
    link, _, _ = opened(SparseCore(refused=[0x900]))
    with pytest.raises(LinkError, match=f"^The core on fake0 refused a word while {kind} 1,000 "
                                        f"words from 0x0 on$"):
        link.write(0, numbers(1000)) if kind == "writing" else link.read(0, 1000)


@pytest.mark.parametrize("lost", range(4))
def test_a_refusal_that_is_lost_is_told_again(lost):
    link, port = scripted(answers=[lost])
    port.board.core.refused.add(0x100 * lost)
    with pytest.raises(LinkError, match=r"^The core on fake0 refused a word while writing"):
        link.write(0, numbers(256))


def test_what_the_board_does_not_understand(monkeypatch):
    link, port, _ = opened()
    monkeypatch.setattr(port.board, "_answer", lambda frame: (Answer.BAD, b""))
    with pytest.raises(LinkError, match=r"^The board on fake0 did not understand a request while"):
        link.read(0, 1)


def test_another_program_takes_the_board():
    link, port, _ = opened()
    other = Link(port, clock=port.clock)
    with pytest.raises(LinkError, match=r"^The board on fake0 was reset, or another program took"
                                        r" it, while reading 1 word from 0x0 on$"):
        link.read(0, 1)
    assert other.read(0, 1).tolist() == [0]


def test_an_interrupted_link_must_be_opened_again():
    link, port, _ = opened()

    def interrupt():
        raise KeyboardInterrupt

    port.before = interrupt
    with pytest.raises(KeyboardInterrupt):
        link.read(0, 1)
    with pytest.raises(LinkError, match="must be opened again"):
        link.read(0, 1)


def test_a_port_that_fails():
    link, port, _ = opened()

    def pull(size):
        raise OSError(5, "Input/output error")

    port.read = pull
    with pytest.raises(LinkError, match=r"^The port fake0 failed while reading 1 word from 0x0 on:"
                                        r" \[Errno 5\] Input/output error$"):
        link.read(0, 1)


@pytest.mark.parametrize(("call", "message"), [
    (lambda link: link.read(2, 1), r"^Words must lie at multiples of 4 .*fff, not 1 from 0x2 on$"),
    (lambda link: link.read(-4, 1), "not 1 from -0x4 on$"),
    (lambda link: link.read(0, -1), "not -1 from 0x0 on$"),
    (lambda link: link.read(SPACE - 4, 2), "not 2 from 0x3ffffc on$"),
    (lambda link: link.write(SPACE, [1]), "not 1 from 0x400000 on$"),
    (lambda link: link.write(0, [1 << 32]), "^A word must be between 0 and 4294967295, not "),
    (lambda link: link.write(0, [5, -1]), "not -1 to 5$"),
    (lambda link: link.write(0, [1], first_mask=16), "^A mask must be between 0 and 15, not 16$"),
    (lambda link: link.write(0, [1], last_mask=-1), "not -1$")])
def test_bad_arguments_send_nothing(call, message):
    link, port, _ = opened()
    with pytest.raises(ValueError, match=message):
        call(link)
    assert len(port.calls) == 1
    link.read(0, 1)


def test_words_must_be_ints():
    with pytest.raises(TypeError, match=r"^Words must be ints, not float64$"):
        opened()[0].write(0, [1.5])
