# SPDX-License-Identifier: Apache-2.0
"""Link CRC properties: its polynomial, and the detected errors."""

import sys
import zlib

import numpy as np
from amaranth import Cat, Mux, Signal
from amaranth.hdl import Assert, Cover
from amaranth.lib import crc

from xymac.hdl.link import buffer
from xymac.hdl.link.frames import CRC_BYTES

from .property import Bench, Fault, Method, Property, Theorem

__all__ = ["PROPERTIES"]

_POLYNOMIAL = 0xEDB88320  # IEEE 802.3, lowest power of x highest
_BITS = 8 * CRC_BYTES
_RESIDUE = 0xDEBB20E3     # register after a frame and its CRC


def _divide(register, bit):
    """The register after another frame bit: a step in the division by the polynomial."""
    feedback = register[0] ^ bit
    return Cat(*(register[place + 1] if place + 1 < _BITS else 0 for place in range(_BITS))) ^ (
        feedback.replicate(_BITS) & _POLYNOMIAL)


def _steps():
    """The link CRC against a division bit by bit."""
    unit   = crc.catalog.CRC32_ISO_HDLC(data_width=8).create()
    inputs = [unit.start, unit.valid, unit.data]

    def build(m):
        m.submodules.unit = unit
        register = Signal(_BITS, init=(1 << _BITS) - 1, name="register")
        zeros = Signal(init=1, name="zeros")  # the CRC of no byte is 0
        m.d.sync += zeros.eq(zeros & (unit.data == 0))
        after = Signal(_BITS, name="before")
        m.d.comb += after.eq(Mux(unit.start, register.init, register))
        for bit in range(8):
            before, after = after, Signal(_BITS, name=f"after{bit}")
            m.d.comb += after.eq(_divide(before, unit.data[bit]))
        with m.If(unit.valid):
            m.d.sync += register.eq(after)
        with m.Elif(unit.start):
            m.d.sync += register.eq(register.init)
        m.d.comb += [Assert(unit.crc == ~register),
                     Assert(unit.match_detected == (register == _RESIDUE)),
                     Cover(unit.crc[:8] == 0xA5), Cover(unit.match_detected & zeros)]
    return Bench(inputs, build)


def _syndromes(bits):
    """Register changes by an error in each of a frame's last ``bits`` bits, the last bit first:
    powers of x from the 32nd on, modulo the polynomial.
    """
    power, powers = _POLYNOMIAL, []
    for _ in range(bits):
        powers.append(power)
        power = power >> 1 ^ (_POLYNOMIAL if power & 1 else 0)
    return np.array(powers, np.uint32)


def _sees():
    """Whether every 1-bit to 4-bit error in the longest frame changes the register."""
    frame = bytes(buffer.FRAME_MAX)
    powers = _syndromes(8 * len(frame))
    pairs  = np.sort(_pairs(powers))
    found  = pairs[np.minimum(np.searchsorted(pairs, powers), len(pairs) - 1)]
    distinct = (powers.min() > 0, pairs[0] > 0, (pairs[1:] != pairs[:-1]).all(),
                (found != powers).all())
    # The powers belong to zlib's CRC: a frame's last bit is the highest bit in its last byte.
    for place in range(0, 8 * len(frame), 97):
        wrong = bytearray(frame)
        wrong[-1 - place // 8] = 0x80 >> place % 8
        if zlib.crc32(wrong) ^ zlib.crc32(frame) != powers[place]:
            return False, False
    return all(distinct), len(powers) == 8 * len(frame)


def _pairs(powers):
    """Pairwise differences between powers."""
    return np.concatenate([powers[place + 1:] ^ powers[place] for place in range(len(powers))])


PROPERTIES = (
    Property("link: division", "The link's CRC is a division by the polynomial of IEEE 802.3, and "
             "it reports the residue of a frame with its CRC", _steps, 8,
             (Fault("the CRC is another one of 32 bits", crc.catalog, "CRC32_ISO_HDLC",
                    lambda original: crc.catalog.CRC32_BZIP2),), Method.PDR),
    Theorem("link: errors", "Every error of up to 4 bits in a frame of any length changes its CRC: "
            "no difference of two syndromes is 0, a syndrome or another difference", _sees,
            (Fault("the polynomial lacks a bit", sys.modules[__name__], "_POLYNOMIAL",
                   lambda original: original ^ 0x20),)),
)
