"""Frames of the host link, the one contract of ``hdl.link.link`` and the host: kinds, sizes, rules.

Both directions of a UART (8N1) carry frames. A frame is COBS-encoded and ends with a zero byte;
more zero bytes between frames mean nothing. Numbers are little endian. Decoded, a request is ::

    byte 0      Kind
    byte 1      sequence number, modulo 256
    bytes 2..3  session
    bytes 4..6  address in bytes, a multiple of 4 below 4 MiB; the two bits above are 0
    byte 7      count of 32-bit words, 0 .. WORDS_MAX
    byte 8      byte strobes of the first word (low nibble) and of the last word (high nibble):
                both hold if there is one word, all words between are written whole
    bytes 9..   4 * count bytes of data, WRITE only
    last 4      CRC-32 (IEEE 802.3, ``zlib.crc32``) of all bytes before it

and an answer ::

    byte 0      Answer
    byte 1      sequence number of the request that it answers
    bytes 2..3  the board's session
    byte 4      the sequence number executed last
    byte 5      count of words that follow
    bytes 6..   4 * count bytes of data
    last 4      CRC-32 of all bytes before it

HELLO has address, count and masks 0 and is always executed: its session becomes the board's, its
sequence number the one executed last, and what was refused is forgotten. Session 0 is none, what a
board has after a reset: a HELLO with it is answered BAD.

Any other request is executed if its session is the board's and its sequence number the one after
that executed last; what it asks of the core is one 32-bit word after the other. A WRITE with one of
the ``RECENT`` numbers up to that executed last is answered as it was, DONE or REFUSED, and not
executed again; a READ with such a number is executed again, as the host has no WRITE under way
behind a READ that is not answered. A frame that is too short, longer than 9 + 256 + 4 bytes or of a
wrong CRC is dropped without an answer. The first reason in the order BAD, FOREIGN, AHEAD is the one
answered.

The host has at most ``WINDOW`` requests without an answer, waits a stated time for one and then
sends again everything from the oldest of them on; after AHEAD at once.

Source: S. Cheshire, M. Baker, Consistent Overhead Byte Stuffing, IEEE/ACM Transactions on
Networking 7 (1999).
"""

from amaranth.lib import enum

__all__ = ["ANSWER_HEAD", "CRC_BYTES", "RECENT", "REQUEST_HEAD", "WINDOW", "WORDS_MAX", "Answer",
           "Kind"]

WORDS_MAX    = 64  #: Words of a frame.
RECENT       = 16  #: Requests executed last that may come again.
WINDOW       = 8   #: Requests without an answer.
REQUEST_HEAD = 9   #: Bytes of a request before its data.
ANSWER_HEAD  = 6   #: Bytes of an answer before its data.
CRC_BYTES    = 4


class Kind(enum.Enum, shape=8):
    """What a request asks for."""

    HELLO = 1
    WRITE = 2
    READ  = 3


class Answer(enum.Enum, shape=8):
    """How a request went; the data of a READ come with DONE."""

    DONE    = 0x81
    AHEAD   = 0x82  #: Something between was lost: nothing executed.
    FOREIGN = 0x83  #: Another session than the board's: nothing executed.
    REFUSED = 0x84  #: The core refused a word; the words before and after it were executed.
    BAD     = 0x85  #: Unknown kind, count or length that does not fit: nothing executed.
