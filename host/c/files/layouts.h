/* SPDX-License-Identifier: Apache-2.0 */
/* How constants lie in the cells, in macros of `ways`; there are XYMAC_BANKS * ways lanes.
 *
 * Cells. Cell `row * lanes + lane` is that of a lane in X, cell `(row * ways + way) * lanes + lane`
 * that of a way of a lane in Y. A word of the address space holds two, the lower one first.
 * A 16-bit element fills a cell; two 8-bit elements share one, that of the lower index first.
 *
 * Elements of X. A group is `ways` elements that are read at once: way i of group g lies in lane
 * `g % 4 * ways + i`, with index g / 4.
 *
 * Weights. A word of Y is what all lanes read at once. Of the weights w[output][tap][input] word
 * `(a * taps + tap) * groups + k` has, for way i and lane l, that of output `a * lanes + l` and
 * input `k * ways + i`, or 0 where there is none; groups = ceil(inputs / ways). Its index is its
 * address. Weights of one a lane, of Y by LANES: w[channel][tap] has the address
 * `channel / lanes * taps + tap`, and lane `channel % lanes`.
 *
 * Example: 8-bit weights of 6 outputs, 1 tap and 2 inputs with 1 way, so 4 lanes and 2 groups.
 * Words 0 and 1 are inputs 0 and 1 of outputs 0 to 3, words 2 and 3 those of outputs 4 and 5:
 *
 *     cell    0        1        2        3        4        5        6        7
 *     lower   w[0][0]  w[1][0]  w[2][0]  w[3][0]  w[4][0]  w[5][0]  0        0       words 0, 2
 *     upper   w[0][1]  w[1][1]  w[2][1]  w[3][1]  w[4][1]  w[5][1]  0        0       words 1, 3
 *
 * Records. A bias is XYMAC_BIAS_BITS bits a lane, in parts of a cell, the lowest first, and in
 * XYMAC_BIAS_ROWS rows, of which the last holds the lowest parts. The biases of outputs `a * lanes`
 * to `a * lanes + lanes - 1` are a record; that of a = 0 has row `bias_row` of the pass, the others
 * follow. In a scaled pass a record of XYMAC_PARAMETERS is in front of each, and one of the
 * addends behind that if the pass says `addend`; with `once` only in front of the first.
 *
 * Example: the bias -2 with 1 way is FFFE FFFF FFFF from part 0 on, in rows 2, 1 and 0 of the
 * record; with 2 ways parts 0 and 1 are ways 0 and 1 of row 1, part 2 is way 0 of row 0.
 */
#define XYMAC_LANES(ways) (XYMAC_BANKS * (ways))

/* Cells of X and Y. */
#define XYMAC_X_CELL(ways, row, lane) ((row) * XYMAC_LANES(ways) + (lane))
#define XYMAC_Y_CELL(ways, row, way, lane) \
    (((row) * (ways) + (way)) * XYMAC_LANES(ways) + (lane))

/* Cell of a 16-bit element of X, and byte of an 8-bit one, two a cell. */
#define XYMAC_GROUP_CELL(ways, group, way) \
    XYMAC_X_CELL(ways, (group) / XYMAC_BANKS, (group) % XYMAC_BANKS * (ways) + (way))
#define XYMAC_GROUP_BYTE(ways, group, way)                                                 \
    (2u * XYMAC_X_CELL(ways, (group) / XYMAC_BANKS / 2u,                                   \
                       (group) % XYMAC_BANKS * (ways) + (way)) + (group) / XYMAC_BANKS % 2u)

/* The same of an element of a word of weights. */
#define XYMAC_WORD_CELL(ways, word, way, lane) XYMAC_Y_CELL(ways, word, way, lane)
#define XYMAC_WORD_BYTE(ways, word, way, lane) \
    (2u * XYMAC_Y_CELL(ways, (word) / 2u, way, lane) + (word) % 2u)

/* The same of weights of one a lane, by their address. */
#define XYMAC_LANES_CELL(ways, address, lane) \
    XYMAC_Y_CELL(ways, (address) / (ways), (address) % (ways), lane)
#define XYMAC_LANES_BYTE(ways, address, lane)                               \
    (2u * XYMAC_Y_CELL(ways, (address) / (ways) / 2u, (address) % (ways), lane) \
     + (address) / (ways) % 2u)

/* Rows of a record, and the cell of a part of it, by its first row. */
#define XYMAC_BIAS_ROWS(ways) \
    ((XYMAC_BIAS_BITS + XYMAC_CELL_BITS * (ways) - 1u) / (XYMAC_CELL_BITS * (ways)))
#define XYMAC_BIAS_CELL(ways, row, part, lane)                              \
    XYMAC_Y_CELL(ways, (row) + XYMAC_BIAS_ROWS(ways) - 1u - (part) / (ways), \
                 (part) % (ways), lane)

/* A record of parameters: a multiplier of 32 bits, signed, and shifts of 5 and 6 bits. */
#define XYMAC_PARAMETERS(mul, pre, post)                                    \
    ((uint64_t)(uint32_t)(mul) | (uint64_t)(pre) << XYMAC_RECORD_PRE        \
     | (uint64_t)(post) << XYMAC_RECORD_POST)
