/* SPDX-License-Identifier: Apache-2.0 */
/* Every function of the driver on a core of size tiny. */
#include <stdio.h>
#include <string.h>

#include "xymac.h"

int xymac_bus_open(xymac_core *core);

#define SUM 42
#define CHECK(call)                                                            \
    do {                                                                       \
        xymac_error error = call;                                              \
        if (error != XYMAC_OK) {                                               \
            printf("line %d: %s\n", __LINE__, xymac_error_text(error));        \
            return 1;                                                          \
        }                                                                      \
    } while (0)

static void show(const char *what, xymac_error error)
{
    printf("%s: %s\n", what, xymac_error_text(error));
}

/* One product, 6 * 7, of X cell 0 and Y cell 0, to X cell 4; the way to X cell 0 is repeated. */
static void encode(uint64_t *pass, int64_t table, int64_t steps)
{
    memset(pass, 0, XYMAC_PASS_STRIDE * sizeof *pass);
    xymac_set_field(pass, XYMAC_PASS_OP, XYMAC_OP_MAC);
    xymac_set_field(pass, XYMAC_PASS_LAST, 1);
    xymac_set_field(pass, XYMAC_PASS_X_WIDTH, XYMAC_WIDTH_BITS16);
    xymac_set_field(pass, XYMAC_PASS_Y_WIDTH, XYMAC_WIDTH_BITS16);
    xymac_set_field(pass, XYMAC_PASS_Z_WIDTH, XYMAC_WIDTH_BITS16);
    xymac_set_field(pass, XYMAC_PASS_BEATS, 1);
    xymac_set_field(pass, XYMAC_PASS_CLIP_0, -32768);
    xymac_set_field(pass, XYMAC_PASS_CLIP_1, 32767);
    xymac_set_field(pass, XYMAC_PASS_OUTER_0, steps);
    xymac_set_field(pass, XYMAC_PASS_OUTER_1, steps);
    xymac_set_field(pass, XYMAC_PASS_OUTER_2, 1);
    xymac_set_field(pass, XYMAC_PASS_TAPS_0, 1);
    xymac_set_field(pass, XYMAC_PASS_TAPS_1, 1);
    xymac_set_field(pass, XYMAC_PASS_TAPS_2, 1);
    xymac_set_field(pass, XYMAC_PASS_ROWS_SIZE, 0xFFFF);
    xymac_set_field(pass, XYMAC_PASS_COLS_SIZE, 0xFFFF);
    xymac_set_field(pass, XYMAC_PASS_Z_LOW, 4);
    xymac_set_field(pass, XYMAC_PASS_TABLE, table & 7);
    xymac_set_field(pass, XYMAC_PASS_OWN, table >> 3);
}

int main(void)
{
    const uint16_t cells[3] = {0x1111, 0x2222, 0x3333};
    const uint16_t beside[7] = {0xA5A0, 0xA5A1, 0xA5A2, 0xA5A3, 0xA5A4, 0xA5A5, 0xA5A6};
    const int16_t entries[3] = {1234, 1234, 1234};
    uint16_t back[7] = {0, 0, 0, 0, 0, 0, 0}, operand = 6, weight = 7, sum;
    uint64_t pass[XYMAC_PASS_STRIDE];
    uint32_t first, word;
    xymac_core core;
    xymac_record record;
    xymac_result result;

    if (xymac_bus_open(&core))
        return 1;
    CHECK(xymac_open(&core));
    printf("tiny: %u way, %u lanes, %u passes, %u rows of X, %u of Y, dialects %u, engine %u\n",
           (unsigned)core.ways, (unsigned)core.lanes, (unsigned)core.passes,
           (unsigned)core.x_rows, (unsigned)core.y_rows, (unsigned)core.dialects,
           (unsigned)core.engine);

    for (first = 0; first < 4; first++) { /* even and odd begins and ends, beside what is there */
        uint32_t count, index;
        for (count = 0; count < 4; count++) {
            CHECK(xymac_write_cells(&core, XYMAC_MEMORY_Y, 0, beside, 7));
            CHECK(xymac_write_cells(&core, XYMAC_MEMORY_Y, first, cells, count));
            CHECK(xymac_read_cells(&core, XYMAC_MEMORY_Y, first, back, 7 - first));
            for (index = 0; index < 7 - first; index++)
                if (back[index] != (index < count ? cells[index] : beside[first + index]))
                    return 1;
            CHECK(xymac_read_cells(&core, XYMAC_MEMORY_Y, 0, back, first));
            if (memcmp(back, beside, first * sizeof *back) != 0)
                return 1;
        }
    }
    printf("cells: kept\n");
    show("beyond X", xymac_read_cells(&core, XYMAC_MEMORY_X, 2048 * 4 - 1, back, 2));
    show("beyond Y", xymac_write_cells(&core, XYMAC_MEMORY_Y, 4096 * 4 + 1, back, 0));
    show("no memory", xymac_read_cells(&core, 2, 0, back, 1));
    show("passes", xymac_load_program(&core, 32, pass, 1));
    show("entries", xymac_write_table(&core, 1, entries, 2));
    show("place", xymac_place_table(&core, XYMAC_TABLE_OWN0, 0, 2, -1));
    show("first pass", xymac_start(&core, 32));

    memset(pass, 0, sizeof pass);
    CHECK(xymac_load_program(&core, 0, pass, 1));
    if (xymac_run(&core, 0, &result) != XYMAC_ERROR_FAULT)
        return 1;
    printf("empty program: %s, pass %u, %s\n", xymac_error_text(XYMAC_ERROR_FAULT),
           (unsigned)result.pass, xymac_status_text(result.status));

    CHECK(xymac_write_cells(&core, XYMAC_MEMORY_X, 0, &operand, 1));
    CHECK(xymac_write_cells(&core, XYMAC_MEMORY_Y, 0, &weight, 1));
    encode(pass, XYMAC_TABLE_NONE, 1);
    CHECK(xymac_load_program(&core, 3, pass, 1));
    CHECK(xymac_run(&core, 3, &result));
    CHECK(xymac_read_cells(&core, XYMAC_MEMORY_X, XYMAC_GROUP_CELL(1u, 4u, 0u), &sum, 1));
    CHECK(xymac_read_record(&core, 3, &record));
    CHECK(xymac_read_words(&core, XYMAC_REGISTER_STATUS, &word, 1));
    printf("after it: state %u\n", (unsigned)word & 0xFu);
    printf("run: no error, sum %d, state %u, %u step issued, record %u step and %s\n", sum,
           (unsigned)result.state, (unsigned)result.counters[XYMAC_COUNTER_ISSUED],
           (unsigned)record.counters[XYMAC_COUNTER_ISSUED],
           record.written > 0 && record.written <= result.counters[XYMAC_COUNTER_CYCLES]
           ? "written" : "not written");

    CHECK(xymac_write_table(&core, XYMAC_FREE_ENTRY, entries, 3));
    CHECK(xymac_place_table(&core, XYMAC_TABLE_OWN0, XYMAC_FREE_ENTRY, 3, 0));
    encode(pass, XYMAC_TABLE_OWN0, 1);
    CHECK(xymac_load_program(&core, 0, pass, 1));
    CHECK(xymac_run(&core, 0, NULL));
    CHECK(xymac_read_cells(&core, XYMAC_MEMORY_X, XYMAC_GROUP_CELL(1u, 4u, 0u), &sum, 1));
    printf("table: %d\n", sum);

    encode(pass, XYMAC_TABLE_NONE, 40);
    CHECK(xymac_load_program(&core, 0, pass, 1));
    CHECK(xymac_start(&core, 0));
    if (xymac_finish(&core, NULL) != XYMAC_ERROR_BUSY)
        return 1;
    show("running", xymac_start(&core, 0));
    core.polls = 3;
    show("limit", xymac_wait(&core));
    core.polls = 0;
    CHECK(xymac_wait(&core));
    xymac_finish(&core, &result);
    printf("then: %s\n", xymac_status_text(result.status));
    CHECK(xymac_start(&core, 0));
    CHECK(xymac_stop(&core));
    xymac_finish(&core, &result);
    printf("stopped: %s\n", xymac_status_text(result.status));
    CHECK(xymac_run(&core, 3, &result));
    show("beyond the address space", xymac_read_words(&core, 0x3FFFFC, &word, 1));
    return 0;
}
