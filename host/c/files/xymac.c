/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of the xymac core: see xymac.h. */
#include "xymac.h"

#define WORD 4u            /* bytes */
#define CELLS_IN_WORD 2u
#define WORDS_OF_PASS (2u * XYMAC_PASS_STRIDE)
#define FIELD(name, word) ((word) >> XYMAC_##name##_AT & XYMAC_##name##_MASK)
#define STOP_POLLS 1000u   /* more than the cycles in which a program stops */

/* Hand on an error of what is called. */
#define TRY(call)                   \
    do {                            \
        xymac_error failed = call;  \
        if (failed != XYMAC_OK)     \
            return failed;          \
    } while (0)

static xymac_error read_word(const xymac_core *core, uint32_t offset, uint32_t *word)
{
    return core->read(core->context, offset, word) ? XYMAC_ERROR_BUS : XYMAC_OK;
}

static xymac_error write_word(const xymac_core *core, uint32_t offset, uint32_t word)
{
    return core->write(core->context, offset, word) ? XYMAC_ERROR_BUS : XYMAC_OK;
}

static xymac_error read_register(const xymac_core *core, uint32_t which, uint32_t *word)
{
    return read_word(core, XYMAC_REGION_REGISTERS + which, word);
}

static xymac_error write_register(const xymac_core *core, uint32_t which, uint32_t word)
{
    return write_word(core, XYMAC_REGION_REGISTERS + which, word);
}

xymac_error xymac_open(xymac_core *core)
{
    uint32_t word;

    TRY(read_register(core, XYMAC_REGISTER_IDENTITY, &word));
    if (word != XYMAC_IDENTITY)
        return XYMAC_ERROR_IDENTITY;
    TRY(read_register(core, XYMAC_REGISTER_VERSION, &word));
    if (word != XYMAC_VERSION)
        return XYMAC_ERROR_VERSION;
    TRY(read_register(core, XYMAC_REGISTER_GEOMETRY, &word));
    core->ways = FIELD(GEOMETRY_WAYS, word);
    core->lanes = core->ways * XYMAC_BANKS;
    core->passes = FIELD(GEOMETRY_PASSES, word);
    TRY(read_register(core, XYMAC_REGISTER_DEPTH, &word));
    core->x_rows = FIELD(DEPTH_X_ROWS, word);
    core->y_rows = FIELD(DEPTH_Y_ROWS, word);
    TRY(read_register(core, XYMAC_REGISTER_DIALECTS, &word));
    core->dialects = FIELD(DIALECTS_DIALECTS, word);
    core->engine = FIELD(DIALECTS_ENGINE, word);
    TRY(read_register(core, XYMAC_REGISTER_FUNCTIONS, &core->functions));
    return read_register(core, XYMAC_REGISTER_FEATURES, &core->features);
}

xymac_error xymac_write_words(const xymac_core *core, uint32_t offset, const uint32_t *words,
                              uint32_t count)
{
    uint32_t index;

    for (index = 0; index < count; index++)
        TRY(write_word(core, offset + WORD * index, words[index]));
    return XYMAC_OK;
}

xymac_error xymac_read_words(const xymac_core *core, uint32_t offset, uint32_t *words,
                             uint32_t count)
{
    uint32_t index;

    for (index = 0; index < count; index++)
        TRY(read_word(core, offset + WORD * index, &words[index]));
    return XYMAC_OK;
}

/* The offset of the word that holds a cell; XYMAC_ERROR_RANGE if one of `count` is not there. */
static xymac_error find_cells(const xymac_core *core, unsigned memory, uint32_t first,
                              uint32_t count, uint32_t *offset)
{
    uint32_t cells;

    if (memory == XYMAC_MEMORY_X)
        cells = core->x_rows * core->lanes;
    else if (memory == XYMAC_MEMORY_Y)
        cells = core->y_rows * core->ways * core->lanes;
    else
        return XYMAC_ERROR_RANGE;
    if (first > cells || count > cells - first)
        return XYMAC_ERROR_RANGE;
    *offset = (memory == XYMAC_MEMORY_X ? XYMAC_REGION_X : XYMAC_REGION_Y)
        + WORD * (first / CELLS_IN_WORD);
    return XYMAC_OK;
}

/* Put a cell into one half of a word, whose other half stays. */
static xymac_error write_half(const xymac_core *core, uint32_t offset, unsigned upper,
                              uint16_t cell)
{
    uint32_t word;

    TRY(read_word(core, offset, &word));
    word = upper ? (word & 0xFFFFu) | (uint32_t)cell << 16 : (word & 0xFFFF0000u) | cell;
    return write_word(core, offset, word);
}

xymac_error xymac_write_cells(const xymac_core *core, unsigned memory, uint32_t first,
                              const uint16_t *cells, uint32_t count)
{
    uint32_t offset, index = 0;

    TRY(find_cells(core, memory, first, count, &offset));
    if (count > 0 && first % CELLS_IN_WORD) {
        TRY(write_half(core, offset, 1, cells[index++]));
        offset += WORD;
    }
    for (; index + 1 < count; index += CELLS_IN_WORD, offset += WORD)
        TRY(write_word(core, offset, cells[index] | (uint32_t)cells[index + 1] << 16));
    return index < count ? write_half(core, offset, 0, cells[index]) : XYMAC_OK;
}

xymac_error xymac_read_cells(const xymac_core *core, unsigned memory, uint32_t first,
                             uint16_t *cells, uint32_t count)
{
    uint32_t offset, word = 0, index;

    TRY(find_cells(core, memory, first, count, &offset));
    for (index = 0; index < count; index++) {
        unsigned upper = (first + index) % CELLS_IN_WORD;
        if (index == 0 || !upper) {
            TRY(read_word(core, offset, &word));
            offset += WORD;
        }
        cells[index] = (uint16_t)(upper ? word >> 16 : word & 0xFFFFu);
    }
    return XYMAC_OK;
}

xymac_error xymac_load_program(const xymac_core *core, uint32_t first, const uint64_t *passes,
                               uint32_t count)
{
    uint32_t offset = XYMAC_REGION_PROGRAM + WORD * WORDS_OF_PASS * first, index;

    if (first > core->passes || count > core->passes - first)
        return XYMAC_ERROR_RANGE;
    for (index = 0; index < XYMAC_PASS_STRIDE * count; index++, offset += 2 * WORD) {
        TRY(write_word(core, offset, (uint32_t)(passes[index] & 0xFFFFFFFFu)));
        TRY(write_word(core, offset + WORD, (uint32_t)(passes[index] >> 32)));
    }
    return XYMAC_OK;
}

xymac_error xymac_write_table(const xymac_core *core, uint32_t first, const int16_t *entries,
                              uint32_t count)
{
    uint32_t index;

    if (!FIELD(FEATURES_TABLES, core->features))
        return XYMAC_ERROR_TABLES;
    if (first % 2 || first > XYMAC_TABLE_ENTRIES || count > XYMAC_TABLE_ENTRIES - first)
        return XYMAC_ERROR_RANGE;
    for (index = 0; index < count; index += 2) {
        uint32_t word = (uint16_t)entries[index];
        if (index + 1 < count)
            word |= (uint32_t)(uint16_t)entries[index + 1] << 16;
        TRY(write_word(core, XYMAC_REGION_TABLES + WORD * (first + index) / 2, word));
    }
    return XYMAC_OK;
}

xymac_error xymac_place_table(const xymac_core *core, unsigned table, uint32_t first,
                              uint32_t count, int32_t zero)
{
    uint32_t place = XYMAC_NO_PLACE, entry = first + (uint32_t)zero;

    if (!FIELD(FEATURES_TABLES, core->features))
        return XYMAC_ERROR_TABLES;
    if (table == XYMAC_TABLE_NONE || table > XYMAC_TABLE_OWN7)
        return XYMAC_ERROR_RANGE;
    if (count > 0) {
        if (first % 2 || count < 2 || first > XYMAC_TABLE_ENTRIES
            || count > XYMAC_TABLE_ENTRIES - first || entry >= XYMAC_TABLE_ENTRIES)
            return XYMAC_ERROR_RANGE;
        place = entry << XYMAC_PLACE_ZERO | first / 2 << XYMAC_PLACE_HALF
            | (first + count - 2) << XYMAC_PLACE_LAST;
    }
    return write_word(core, XYMAC_REGION_PLACES + WORD * table, place);
}

xymac_error xymac_load_tables(const xymac_core *core)
{
    static const int16_t ENTRIES[] = {XYMAC_CORE_ENTRIES};
    static const int16_t PLACES[][4] = {XYMAC_CORE_PLACES};
    uint32_t index;

    TRY(xymac_write_table(core, 0, ENTRIES, (uint32_t)(sizeof ENTRIES / sizeof *ENTRIES)));
    for (index = 0; index < sizeof PLACES / sizeof *PLACES; index++) {
        const int16_t *place = PLACES[index];
        TRY(xymac_place_table(core, (unsigned)place[0], (uint32_t)place[1], (uint32_t)place[2],
                              place[3]));
    }
    return XYMAC_OK;
}

static uint32_t state_of(uint32_t status)
{
    return FIELD(STATUS_STATE, status);
}

xymac_error xymac_start(const xymac_core *core, uint32_t first)
{
    uint32_t status;

    if (first >= core->passes)
        return XYMAC_ERROR_RANGE;
    TRY(read_register(core, XYMAC_REGISTER_STATUS, &status));
    if (state_of(status) == XYMAC_STATE_BUSY)
        return XYMAC_ERROR_BUSY;
    if (state_of(status) != XYMAC_STATE_IDLE)
        TRY(write_register(core, XYMAC_REGISTER_CONTROL, XYMAC_CONTROL_CLEAR));
    TRY(write_register(core, XYMAC_REGISTER_IRQ_MASK, core->wait ? 1u : 0u));
    TRY(write_register(core, XYMAC_REGISTER_FIRST, first));
    return write_register(core, XYMAC_REGISTER_CONTROL, XYMAC_CONTROL_START);
}

/* Read STATUS until no program runs, `polls` times at most; 0: as long as it takes. */
static xymac_error poll(const xymac_core *core, uint32_t polls)
{
    uint32_t status, count = 0;

    do {
        TRY(read_register(core, XYMAC_REGISTER_STATUS, &status));
        if (state_of(status) != XYMAC_STATE_BUSY)
            return XYMAC_OK;
        if (count < UINT32_MAX)
            count++;
    } while (polls == 0 || count < polls);
    return XYMAC_ERROR_TIMEOUT;
}

xymac_error xymac_stop(const xymac_core *core)
{
    TRY(write_register(core, XYMAC_REGISTER_CONTROL, XYMAC_CONTROL_STOP));
    return poll(core, STOP_POLLS);
}

xymac_error xymac_wait(const xymac_core *core)
{
    xymac_error error = XYMAC_ERROR_TIMEOUT;

    if (!core->wait)
        error = poll(core, core->polls);
    else if (!core->wait(core->context))
        error = poll(core, 1);
    if (error == XYMAC_ERROR_TIMEOUT)
        TRY(xymac_stop(core));
    return error;
}

xymac_error xymac_finish(const xymac_core *core, xymac_result *result)
{
    uint32_t status, flags;

    TRY(read_register(core, XYMAC_REGISTER_STATUS, &status));
    if (state_of(status) == XYMAC_STATE_BUSY)
        return XYMAC_ERROR_BUSY;
    TRY(read_register(core, XYMAC_REGISTER_FLAGS, &flags));
    if (result) {
        result->state = state_of(status);
        result->status = FIELD(STATUS_STATUS, status);
        result->field = FIELD(STATUS_FIELD, status);
        result->pass = FIELD(STATUS_PASS, status);
        result->flags = flags;
        TRY(xymac_read_words(core, XYMAC_REGION_REGISTERS + XYMAC_REGISTER_CYCLES,
                             result->counters, XYMAC_COUNTERS));
    }
    TRY(write_register(core, XYMAC_REGISTER_CONTROL, XYMAC_CONTROL_CLEAR));
    return state_of(status) == XYMAC_STATE_FAULT ? XYMAC_ERROR_FAULT : XYMAC_OK;
}

xymac_error xymac_run(const xymac_core *core, uint32_t first, xymac_result *result)
{
    TRY(xymac_start(core, first));
    TRY(xymac_wait(core));
    return xymac_finish(core, result);
}

xymac_error xymac_read_record(const xymac_core *core, uint32_t pass, xymac_record *record)
{
    uint32_t offset = XYMAC_REGION_TRACE + WORD * XYMAC_TRACE_STRIDE * pass, word;

    if (pass >= core->passes)
        return XYMAC_ERROR_RANGE;
    TRY(xymac_read_words(core, offset, record->counters, XYMAC_COUNTERS));
    TRY(read_word(core, offset + WORD * XYMAC_COUNTERS, &word));
    record->written = word & 0x7FFFFFFFu;
    record->overflow = word >> 31;
    return XYMAC_OK;
}

const char *xymac_error_text(xymac_error error)
{
    static const char *const TEXTS[XYMAC_ERRORS] = {
        "no error",
        "a word was not read or written",
        "there is no xymac core at this place",
        "the core has a version that this driver does not know",
        "the core does not have so many cells, passes or entries",
        "a program is running",
        "the program did not end",
        "the program stopped with a fault",
        "the core has no tables that can be written",
        "the network is compiled for another size of the core",
        "the core lacks an operation or a reduction that the network needs",
        "no element can stand for a value of this input",
        "the core has no DMA of this width",
        "the image does not lie at a multiple of 64 bytes within 4 GiB",
        "a command list stopped with a fault",
        "the core cannot read this input where it lies, only a copy in the image",
        "the array of an input does not lie behind the image, at a multiple of its elements' size",
    };
    return (unsigned)error < XYMAC_ERRORS ? TEXTS[error] : "unknown error";
}

const char *xymac_status_text(uint32_t status)
{
    static const char *const TEXTS[] = {XYMAC_STATUS_TEXTS};
    return status < sizeof TEXTS / sizeof *TEXTS ? TEXTS[status] : "unknown status";
}
