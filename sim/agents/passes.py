# SPDX-License-Identifier: Apache-2.0
"""Random passes with their own windows, for lists with runs."""

from xymac.hdl.isa import Access, Pass, Shape, Width

__all__ = ["random_pass"]


def random_pass(rng, ways, cells):
    """A last pass multiplying X rows by a Y row, within the first ``cells`` words.

    No output reads an earlier result: results overlapping the operands begin at or before them.
    """
    rows = rng.randint(1, 6)
    x, z = (4 * rng.randrange(cells // (4 * ways) - rows) for _ in range(2))
    if x < z < x + 4 * rows:
        x, z = z, x
    y = rng.randrange(8)
    return Pass(
        x=Access(x, x, x + 4 * rows - 1, (0, 0, 4)), y=Access(y, y, y),
        z=Access(z, z, z + 4 * rows - 1, (0, 0, 4)), outer=(1, 1, rows), x_shape=Shape.LANES,
        y_shape=Shape.LANES, x_width=Width.BITS16, y_width=Width.BITS16, z_width=Width.BITS16,
        beats=4, shift=rng.randint(0, 9), clip=(-32768, 32767), last=True)
