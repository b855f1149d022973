# SPDX-License-Identifier: Apache-2.0
"""Frame format of the host link, shared by ``xymac.hdl.link.link`` and the host.

Both directions of a UART (8N1) carry frames. A frame is COBS-encoded and ends with a zero byte;
further zero bytes between frames are ignored. Numbers are little endian. A decoded request is ::

    byte 0      Kind
    byte 1      sequence number, modulo 256
    bytes 2..3  session
    bytes 4..6  address in bytes, a multiple of 4 below 4 MiB; the two bits above are 0
    byte 7      count of 32-bit words, 0 .. WORDS_MAX
    byte 8      byte strobes of the first word (low nibble) and of the last word (high nibble);
                a single word uses the AND of both, words between are written whole
    bytes 9..   4 * count bytes of data, WRITE only
    last 4      CRC-32 (IEEE 802.3, ``zlib.crc32``) of all preceding bytes

and an answer ::

    byte 0      Answer
    byte 1      sequence number of the answered request
    bytes 2..3  the board's session
    byte 4      last executed sequence number
    byte 5      count of words that follow
    bytes 6..   4 * count bytes of data
    last 4      CRC-32 of all preceding bytes

HELLO has address, count and masks 0. The board always executes it: it adopts the session, stores
the sequence number as the last executed number, and clears the list of refused writes. Session 0
means no session, the state after a reset; the answer to a HELLO with session 0 is BAD.

The board executes any other request if the session matches and the sequence number is the last
executed number plus 1. It accesses the core word by word, 32 bits each. A WRITE with a number among
the last ``RECENT`` executed numbers is a repeat: the board answers DONE or REFUSED as before and
does not execute it again. A READ with such a number is executed again; this is safe because the
host sends no WRITE behind an unanswered READ. The board drops a frame without an answer if it is
too short, longer than 9 + 256 + 4 bytes, or has a wrong CRC. The first error in the order BAD,
FOREIGN, AHEAD determines the answer.

The host keeps at most ``WINDOW`` requests unanswered. After a timeout it sends all requests from
the oldest unanswered request on again; after AHEAD it does so at once.

Source: S. Cheshire, M. Baker, Consistent Overhead Byte Stuffing, IEEE/ACM Transactions on
Networking 7 (1999).
"""

from amaranth.lib import enum

__all__ = ["ANSWER_HEAD", "CRC_BYTES", "RECENT", "REQUEST_HEAD", "WINDOW", "WORDS_MAX", "Answer",
           "Kind"]

WORDS_MAX    = 64  #: Words of a frame.
RECENT       = 16  #: Number of last executed requests that the host may repeat.
WINDOW       = 8   #: Most unanswered requests.
REQUEST_HEAD = 9   #: Bytes of a request before its data.
ANSWER_HEAD  = 6   #: Bytes of an answer before its data.
CRC_BYTES    = 4


class Kind(enum.Enum, shape=8):
    """Kind of a request."""

    HELLO = 1
    WRITE = 2
    READ  = 3


class Answer(enum.Enum, shape=8):
    """Result of a request; the data of a READ come with DONE."""

    DONE    = 0x81
    AHEAD   = 0x82  #: An earlier request was lost: nothing executed.
    FOREIGN = 0x83  #: The session is not the board's: nothing executed.
    REFUSED = 0x84  #: The core refused a word; the words before and after it were executed.
    BAD     = 0x85  #: Unknown kind, count or length that does not fit: nothing executed.
