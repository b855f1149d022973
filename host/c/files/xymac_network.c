/* Compiled networks on the xymac core: see xymac_network.h. */
#include <string.h>

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

static int32_t get_element(const void *data, uint8_t type, int32_t index)
{
    switch (type) {
    case XYMAC_INT8:
        return ((const int8_t *)data)[index];
    case XYMAC_UINT8:
        return ((const uint8_t *)data)[index];
    case XYMAC_INT16:
        return ((const int16_t *)data)[index];
    default:
        return ((const int32_t *)data)[index];
    }
}

/* Of a value only the low bits of a word count, which are those of either sign. */
static void set_element(void *data, uint8_t type, int32_t index, int32_t value)
{
    if (type == XYMAC_INT16)
        ((int16_t *)data)[index] = (int16_t)(value >= 0x8000 ? value - 0x10000 : value);
    else if (type == XYMAC_UINT8)
        ((uint8_t *)data)[index] = (uint8_t)value;
    else
        ((int8_t *)data)[index] = (int8_t)(value >= 0x80 ? value - 0x100 : value);
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
            int32_t bits = element >= 0 ? get_element(data, value->type, element)
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
            int32_t bits = number >= 0 ? get_element(data, value->type, number / 2) : 0;
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
            set_element(data, value->type, element, (int32_t)(word >> 8 * size * unit & mask));
        }
    }
    return XYMAC_OK;
}

static int32_t saturate(int64_t value, uint8_t type)
{
    int32_t high = type == XYMAC_INT16 ? 0x7FFF : 0x7F;
    return value > high ? high : value < -high - 1 ? -high - 1 : (int32_t)value;
}

/* The low 32 bits, signed. */
static int64_t wrap(int64_t value)
{
    int64_t low = (int64_t)((uint64_t)value & 0xFFFFFFFFu);
    return low >= INT64_C(0x80000000) ? low - INT64_C(0x100000000) : low;
}

static xymac_error quantise(const context *run, const xymac_step *step)
{
    const xymac_value *from = &run->network->values[step->value];
    const xymac_value *to = &run->network->values[step->to];
    const xymac_scale *scale = (const xymac_scale *)step->data;
    const float *data = (const float *)source_of(run, from);
    uint32_t index;

    for (index = 0; index < to->count; index++) {
        volatile float steps = data[index] / scale->scale; /* in float, whatever the processor */
        double exact = steps;
        if (!(exact > -2147483648.0 && exact < 2147483648.0))
            return XYMAC_ERROR_VALUE;
        exact += exact < 0 ? -0.5 : 0.5;
        set_element(data_of(run, to), to->type, (int32_t)index,
                    saturate((int64_t)exact + scale->zero, to->type));
    }
    return XYMAC_OK;
}

/* Floor of a division by a power of two. */
static int64_t shift_right(int64_t value, int32_t bits)
{
    return value >= 0 ? value >> bits : -((-value - 1) >> bits) - 1;
}

/* As MultiplyByQuantizedMultiplier of tensorflow/lite/kernels/internal/common.cc rounds twice. */
static int64_t rescale(int64_t value, const xymac_scale *scale)
{
    int32_t right = scale->exponent < 0 ? -scale->exponent : 0;
    int64_t half = right > 0 ? (INT64_C(1) << right) - 1 : 0, rest;

    if (scale->exponent > 0)
        value = wrap(value * (INT64_C(1) << scale->exponent));
    value = shift_right(value * scale->multiplier + (INT64_C(1) << 30), 31);
    if (value > 0x7FFFFFFF)
        value = 0x7FFFFFFF;
    rest = (int64_t)((uint64_t)value & (uint64_t)half);
    return shift_right(value, right) + (rest > (half >> 1) + (value < 0));
}

static void requantise(const context *run, const xymac_step *step)
{
    const xymac_value *from = &run->network->values[step->value];
    const xymac_value *to = &run->network->values[step->to];
    const xymac_scale *scale = (const xymac_scale *)step->data;
    uint32_t index;

    for (index = 0; index < to->count; index++) {
        int64_t value = get_element(source_of(run, from), from->type, (int32_t)index);
        value = wrap(rescale(wrap(value - scale->from_zero), scale) + scale->zero);
        set_element(data_of(run, to), to->type, (int32_t)index, saturate(value, to->type));
    }
}

static void dequantise(const context *run, const xymac_step *step)
{
    const xymac_value *from = &run->network->values[step->value];
    const xymac_scale *scale = (const xymac_scale *)step->data;
    float *data = (float *)data_of(run, &run->network->values[step->to]);
    uint32_t index;

    for (index = 0; index < from->count; index++) {
        int32_t value = get_element(source_of(run, from), from->type, (int32_t)index);
        data[index] = (float)((double)scale->scale * (double)(value - scale->zero));
    }
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

static xymac_error do_step(const context *run, const xymac_step *step)
{
    const xymac_value *values = run->network->values;

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
    case XYMAC_STEP_QUANTISE:
        return quantise(run, step);
    case XYMAC_STEP_REQUANTISE:
        requantise(run, step);
        return XYMAC_OK;
    case XYMAC_STEP_DEQUANTISE:
        dequantise(run, step);
        return XYMAC_OK;
    default:
        memcpy(data_of(run, &values[step->to]), source_of(run, &values[step->value]),
               size_of(&values[step->to]) * values[step->to].count);
        return XYMAC_OK;
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
