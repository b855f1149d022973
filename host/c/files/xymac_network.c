/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled networks on the xymac core: see xymac_network.h. */
#include "xymac_edges.h"
#include "xymac_memory.h"
#include "xymac_network.h"

#define WORD 4u /* bytes */
#define ZERO (-1)
#define FILL (-2)

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

/* A way along a path: what comes next, and the loops it is in. */
typedef struct {
    const int32_t *next;
    int32_t kind, left, step, element;
    struct {
        const int32_t *begin, *end;
        int32_t left;
    } loops[XYMAC_PATH_DEPTH];
    int depth;
} walk;

static void begin_walk(walk *way, const int32_t *path)
{
    memset(way, 0, sizeof *way);
    way->next = path;
}

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
    if (way->kind == XYMAC_PATH_ELEMENTS) {
        way->element += way->next[0];
        way->step = way->next[1];
        way->element -= way->step; /* which the first one adds */
        way->next += 2;
    }
}

/* The next element of the path, ZERO or FILL. */
static int32_t next_element(walk *way)
{
    if (way->left == 0)
        read_item(way);
    way->left--;
    if (way->kind == XYMAC_PATH_ELEMENTS)
        return way->element += way->step;
    return way->kind == XYMAC_PATH_FILLS ? FILL : ZERO;
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

static xymac_error write_value(const context *run, const xymac_step *step)
{
    const xymac_value *value = &run->network->values[step->value];
    const void *data = source_of(run, value);
    uint32_t size = size_of(value), mask = size == 1 ? 0xFFu : 0xFFFFu, index, unit;
    walk way;

    begin_walk(&way, (const int32_t *)step->data);
    for (index = 0; index < step->count; index++) {
        uint32_t word = 0;
        for (unit = 0; unit < WORD / size; unit++) {
            int32_t element = next_element(&way);
            int32_t bits = element >= 0 ? xymac_get_element(data, value->type, element) ^ step->to
                : element == FILL ? step->fill : 0;
            word |= ((uint32_t)bits & mask) << 8 * size * unit;
        }
        TRY(xymac_write_words(run->core, step->offset + WORD * index, &word, 1));
    }
    return XYMAC_OK;
}

/* Cells of elements, or of their signs, where a bias is wider than its element. */
static xymac_error write_state(const context *run, const xymac_step *step)
{
    const xymac_value *value = &run->network->values[step->value];
    const void *data = source_of(run, value);
    uint32_t index, unit;
    walk way;

    begin_walk(&way, (const int32_t *)step->data);
    for (index = 0; index < step->count; index++) {
        uint32_t word = 0;
        for (unit = 0; unit < 2; unit++) {
            int32_t number = next_element(&way);
            int32_t bits = number >= 0 ? xymac_get_element(data, value->type, number / 2) : 0;
            if (number >= 0 && number % 2)
                bits = bits < 0 ? -1 : 0;
            word |= ((uint32_t)bits & 0xFFFFu) << 16 * unit;
        }
        TRY(xymac_write_words(run->core, step->offset + WORD * index, &word, 1));
    }
    return XYMAC_OK;
}

/* Words in which nothing of the value lies are passed over. */
static xymac_error read_value(const context *run, const xymac_step *step)
{
    const xymac_value *value = &run->network->values[step->value];
    void *data = data_of(run, value);
    uint32_t size = size_of(value), mask = size == 1 ? 0xFFu : 0xFFFFu, index, unit;
    walk way;

    begin_walk(&way, (const int32_t *)step->data);
    for (index = 0; index < step->count; index++) {
        uint32_t word = 0;
        int have = 0;
        for (unit = 0; unit < WORD / size; unit++) {
            int32_t element = next_element(&way);
            if (element < 0)
                continue;
            if (!have)
                TRY(xymac_read_words(run->core, step->offset + WORD * index, &word, 1));
            have = 1;
            xymac_set_element(data, value->type, element,
                              (int32_t)((word >> 8 * size * unit & mask) ^ step->to));
        }
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
        return write_value(run, step);
    case XYMAC_STEP_STATE:
        return write_state(run, step);
    case XYMAC_STEP_READ:
        return read_value(run, step);
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
