/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled networks on the xymac core: see xymac_network.h. */
#include "xymac_edges.h"
#include "xymac_memory.h"
#include "xymac_network.h"

#define WORD 4u /* bytes */
#define WORD_BITS 32u

#define TRY(call)                   \
    do {                            \
        xymac_error failed = call;  \
        if (failed != XYMAC_OK)     \
            return failed;          \
    } while (0)

/* What the steps of a run share. */
typedef struct {
    const xymac_core *core;
    const xymac_network *network;
    const void *const *inputs;
    void *const *outputs;
    xymac_result *result;
} context;

/* A loop of a path. */
typedef struct {
    const int32_t *begin, *end;
    int32_t left;
} loop;

/* A way along a path: what comes next, and the loops it is in. */
typedef struct {
    const int32_t *next;
    loop *loops;
    int32_t kind, left, step, element;
    int depth;
} walk;

/* Read the next item of the path; loops that end begin again before, or are left. */
static void read_item(walk *way)
{
    for (;;) {
        int32_t word;
        while (way->depth > 0 && way->next == way->loops[way->depth - 1].end) {
            if (--way->loops[way->depth - 1].left > 0)
                way->next = way->loops[way->depth - 1].begin;
            else
                way->depth--;
        }
        word = *way->next++;
        way->kind = word & 3;
        way->left = word >> 2;
        if (way->kind != XYMAC_PATH_LOOP)
            break;
        way->loops[way->depth].begin = way->next + 1;
        way->loops[way->depth].end = way->next + 1 + *way->next;
        way->loops[way->depth++].left = way->left;
        way->next++;
    }
    way->step = 0;
    if (way->kind == XYMAC_PATH_ELEMENTS) {
        way->element += way->next[0];
        way->step = way->next[1];
        way->element -= way->step; /* which the first one adds */
        way->next += 2;
    }
}

static void *data_of(const context *run, const xymac_value *value)
{
    return value->place == XYMAC_IN_OUTPUT ? run->outputs[value->number] : value->buffer;
}

static const void *source_of(const context *run, const xymac_value *value)
{
    return value->place == XYMAC_IN_INPUT ? run->inputs[value->number] : data_of(run, value);
}

static uint32_t size_of(const xymac_value *value)
{
    switch (value->type) {
    case XYMAC_INT8:
    case XYMAC_UINT8:
        return 1;
    case XYMAC_INT16:
        return 2;
    default:
        return 4;
    }
}

/* Bits of a half before it in an element. */
static uint32_t shift_of(int32_t half)
{
    return half % 2 != 0 ? 16 : 0;
}

/* An element of 8 or 16 bits; of a state or of 32 bits half an element. */
static uint32_t get_bits(const xymac_step *step, const xymac_value *value, const void *data,
                         int32_t element, uint32_t bits)
{
    if (bits == 8)
        return ((const uint8_t *)data)[element];
    if (step->kind == XYMAC_STEP_WRITE && size_of(value) == 2)
        return ((const uint16_t *)data)[element];
    return (uint32_t)xymac_get_element(data, value->type, element / 2) >> shift_of(element)
        & 0xFFFFu;
}

static void set_bits(const xymac_value *value, void *data, int32_t element, uint32_t word)
{
    uint32_t *wide = (uint32_t *)data, shift = shift_of(element);

    if (size_of(value) == 1)
        ((uint8_t *)data)[element] = (uint8_t)(word & 0xFFu);
    else if (size_of(value) == 2)
        ((uint16_t *)data)[element] = (uint16_t)(word & 0xFFFFu);
    else
        wide[element / 2] = (wide[element / 2] & ~(0xFFFFu << shift)) | (word & 0xFFFFu) << shift;
}

/* A step between a value and words. A word of which nothing is to be read is passed over. */
static xymac_error move_words(const context *run, const xymac_step *step)
{
    const xymac_value *value = &run->network->values[step->value];
    const int reads = step->kind == XYMAC_STEP_READ;
    const void *source = reads ? NULL : source_of(run, value);
    void *target = reads ? data_of(run, value) : NULL;
    const uint32_t bits = step->kind != XYMAC_STEP_STATE && size_of(value) == 1 ? 8 : 16;
    const uint32_t fill = (uint32_t)step->fill & (bits == 8 ? 0xFFu : 0xFFFFu);
    const uint32_t end = step->offset + WORD * step->count;
    const int is_wide = size_of(value) == WORD;
    loop loops[XYMAC_PATH_DEPTH];
    walk way = {NULL, NULL, 0, 0, 0, 0, 0};
    uint32_t offset, at;

    way.next = (const int32_t *)step->data;
    way.loops = loops;
    for (offset = step->offset; offset != end; offset += WORD) {
        uint32_t word = 0, held = 0;
        int has = 0;
        for (at = 0; at < WORD_BITS; at += bits, way.left--) {
            uint32_t inverted;
            if (way.left == 0)
                read_item(&way);
            way.element += way.step;
            inverted = is_wide && way.element % 2 != 0 ? 0u : step->to;
            if (way.kind != XYMAC_PATH_ELEMENTS) {
                word |= way.kind == XYMAC_PATH_FILLS ? fill << at : 0;
            } else if (!reads) {
                word |= (get_bits(step, value, source, way.element, bits) ^ inverted) << at;
            } else {
                if (!has)
                    TRY(xymac_read_words(run->core, offset, &held, 1));
                has = 1;
                set_bits(value, target, way.element, held >> at ^ inverted);
            }
        }
        if (!reads && run->core->write(run->core->context, offset, word))
            return XYMAC_ERROR_BUS;
    }
    return XYMAC_OK;
}

static xymac_error run_program(const context *run)
{
    xymac_result result;
    uint32_t index;

    TRY(xymac_start(run->core, 0));
    TRY(xymac_wait(run->core));
    memset(&result, 0, sizeof result);
    {
        xymac_error ended = xymac_finish(run->core, &result);
        if (run->result) {
            for (index = 0; index < XYMAC_COUNTERS; index++)
                result.counters[index] += run->result->counters[index];
            result.flags |= run->result->flags;
            *run->result = result;
        }
        return ended;
    }
}

/* A step from value to value. */
static xymac_error convert(const context *run, const xymac_step *step)
{
    const xymac_value *from = &run->network->values[step->value];
    const xymac_value *to = &run->network->values[step->to];
    const xymac_scale *scale = (const xymac_scale *)step->data;
    const void *data = source_of(run, from);
    void *result = data_of(run, to);

    switch (step->kind) {
    case XYMAC_STEP_QUANTISE:
        return xymac_quantise(scale, from, (const float *)data, to, result);
    case XYMAC_STEP_REQUANTISE:
        xymac_requantise(scale, from, data, to, result);
        return XYMAC_OK;
    case XYMAC_STEP_DEQUANTISE:
        xymac_dequantise(scale, from, data, (float *)result);
        return XYMAC_OK;
    default:
        memcpy(result, data, size_of(to) * to->count);
        return XYMAC_OK;
    }
}

static xymac_error do_step(const context *run, const xymac_step *step)
{
    switch (step->kind) {
    case XYMAC_STEP_WORDS:
        return xymac_write_words(run->core, step->offset, (const uint32_t *)step->data,
                                 step->count);
    case XYMAC_STEP_START:
        return run_program(run);
    case XYMAC_STEP_WRITE:
    case XYMAC_STEP_STATE:
    case XYMAC_STEP_READ:
        return move_words(run, step);
    default:
        return convert(run, step);
    }
}

static xymac_error do_steps(const context *run, const xymac_step *steps, uint32_t count)
{
    uint32_t index;

    for (index = 0; index < count; index++)
        TRY(do_step(run, &steps[index]));
    return XYMAC_OK;
}

xymac_error xymac_network_load(const xymac_core *core, const xymac_network *network)
{
    context run = {core, network, NULL, NULL, NULL};

    if (core->ways != network->ways || core->passes != network->passes
        || core->x_rows != network->x_rows || core->y_rows != network->y_rows
        || core->engine != network->engine)
        return XYMAC_ERROR_SIZE;
    if (network->functions & ~core->functions)
        return XYMAC_ERROR_FUNCTION;
    xymac_network_reset(network);
    return do_steps(&run, network->load, network->load_count);
}

xymac_error xymac_network_run(const xymac_core *core, const xymac_network *network,
                              const void *const *inputs, void *const *outputs,
                              xymac_result *result)
{
    context run = {core, network, inputs, outputs, result};

    if (result)
        memset(result, 0, sizeof *result);
    return do_steps(&run, network->run, network->run_count);
}

void xymac_network_reset(const xymac_network *network)
{
    uint32_t index;

    for (index = 0; index < network->value_count; index++) {
        const xymac_value *value = &network->values[index];
        if (value->first)
            memcpy(value->buffer, value->first, size_of(value) * value->count);
    }
}
