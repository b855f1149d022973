/* SPDX-License-Identifier: Apache-2.0 */
/* Prepared calls of MLI on the core: see xymac_mli.h. */
#include "xymac_mli_call.h"
#include "xymac_mli_run.h"

/* How far a call agrees with one that was prepared. */
enum {
    OTHER_NAME, OTHER_SHAPE, OTHER_TYPE, OTHER_FORMAT, OTHER_CFG, OTHER_DATA, OTHER_MEMORY, SAME
};

static const mli_status STATUS[] = {
    MLI_STATUS_NOT_SUPPORTED, MLI_STATUS_SHAPE_MISMATCH, MLI_STATUS_TYPE_MISMATCH,
    MLI_STATUS_INCOMPATEBLE_TENSORS, MLI_STATUS_BAD_FUNC_CFG, MLI_STATUS_SPEC_PARAM_MISMATCH,
    MLI_STATUS_BAD_TENSOR, MLI_STATUS_OK};

static const char *const REASONS[] = {
    "no call of this function was prepared", "no call with these shapes was prepared",
    "no call with these element types was prepared",
    "no call with these fractional bits was prepared",
    "no call with this configuration was prepared", "no call with these constants was prepared",
    "no call whose tensors share memory in this way was prepared", ""};

static xymac_core core;
static int is_open;
static uint32_t next_call; /* where to look first: calls mostly come in their order */
static xymac_error last_error;
static uint64_t cycles;

xymac_error xymac_mli_error(void)
{
    return last_error;
}

uint64_t xymac_mli_cycles(void)
{
    return cycles;
}

static uint64_t hash_byte(uint64_t hash, uint32_t byte)
{
    return (hash ^ (byte & 0xFFu)) * UINT64_C(0x100000001B3);
}

/* The lower bytes of an element, the lowest first. */
static uint64_t hash_element(uint64_t hash, uint32_t bits, uint32_t bytes)
{
    for (; bytes > 0; bytes--, bits >>= 8)
        hash = hash_byte(hash, bits);
    return hash;
}

/* Of all elements; a tensor of an unknown type has none. */
static uint64_t hash_data(const mli_tensor *tensor)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    uint32_t size = mli_hlp_tensor_element_size(tensor), bytes, offset;
    const uint8_t *data = (const uint8_t *)tensor->data;

    if (tensor->rank == 0)
        return hash_element(hash, (uint32_t)xymac_mli_scalar(tensor), size);
    bytes = xymac_mli_bytes(tensor);
    for (offset = 0; offset < bytes; offset += size) {
        uint32_t bits = size == 1 ? data[offset]
            : size == 2 ? *(const uint16_t *)(const void *)(data + offset)
            : *(const uint32_t *)(const void *)(data + offset);
        hash = hash_element(hash, bits, size);
    }
    return hash;
}

static int is_same_name(const char *first, const char *second)
{
    while (*first != '\0' && *first == *second)
        first++, second++;
    return *first == *second;
}

/* Whether the fields of a tensor count: those of what is written are given but for the format. */
static int is_given(const xymac_mli_call *call, int32_t index)
{
    return call->tensors[index] != NULL && index < call->out_index;
}

static int same_shape(const xymac_mli_call *call, const xymac_mli_prepared *other)
{
    int32_t index;
    uint32_t axis;

    for (index = 0; index < call->tensor_count; index++) {
        const mli_tensor *tensor = call->tensors[index];
        const xymac_mli_tensor *known = &other->tensors[index];
        if ((tensor == NULL) != (known->rank < 0))
            return 0;
        if (!is_given(call, index))
            continue;
        if (tensor->rank != (uint32_t)known->rank)
            return 0;
        for (axis = 0; axis < tensor->rank && axis < MLI_MAX_RANK; axis++)
            if (tensor->shape[axis] != known->shape[axis])
                return 0;
    }
    return 1;
}

static int same_type(const xymac_mli_call *call, const xymac_mli_prepared *other)
{
    int converts = is_same_name(call->name, "mli_hlp_convert_tensor");
    int32_t index;

    for (index = 0; index < call->tensor_count; index++) {
        const mli_tensor *tensor = call->tensors[index];
        if ((is_given(call, index) || (tensor && index == call->out_index && converts))
            && (int32_t)tensor->el_type != other->tensors[index].type)
            return 0;
    }
    return 1;
}

static int same_format(const xymac_mli_call *call, const xymac_mli_prepared *other)
{
    int32_t index;

    for (index = 0; index < call->tensor_count; index++) {
        const mli_tensor *tensor = call->tensors[index];
        if ((is_given(call, index) || (tensor && index == call->out_index && call->formatted))
            && xymac_mli_frac_bits(call, index) != other->tensors[index].frac_bits)
            return 0;
    }
    return 1;
}

static int same_data(const xymac_mli_call *call, const xymac_mli_prepared *other)
{
    int32_t index;

    /* Of a concatenation, which may have more tensors than bits, none is constant. */
    for (index = 0; index < call->tensor_count && call->constants >> index; index++)
        if (call->constants >> index & 1 && call->tensors[index] != NULL
            && hash_data(call->tensors[index]) != other->tensors[index].hash)
            return 0;
    return 1;
}

static int same_numbers(const xymac_mli_call *call, const xymac_mli_prepared *other)
{
    int32_t index;

    if (call->number_count != other->number_count)
        return 0;
    for (index = 0; index < call->number_count; index++)
        if (call->numbers[index] != other->numbers[index])
            return 0;
    return 1;
}

static int compare(const xymac_mli_call *call, const xymac_mli_prepared *other)
{
    if (!is_same_name(call->name, other->name))
        return OTHER_NAME;
    if (call->tensor_count != other->tensor_count || !same_shape(call, other))
        return OTHER_SHAPE;
    if (!same_type(call, other))
        return OTHER_TYPE;
    if (!same_format(call, other))
        return OTHER_FORMAT;
    if (!same_numbers(call, other))
        return OTHER_CFG;
    if (!same_data(call, other))
        return OTHER_DATA;
    return xymac_mli_overlaps(call) == other->overlaps ? SAME : OTHER_MEMORY;
}

static mli_status fill(const xymac_mli_call *call, const xymac_mli_prepared *prepared)
{
    uint32_t axis;

    for (axis = 0; axis < MLI_MAX_RANK; axis++)
        call->out->shape[axis] = prepared->result.shape[axis];
    call->out->rank = (uint32_t)prepared->result.rank;
    call->out->el_type = (mli_element_type)prepared->result.type;
    if (prepared->result.type > MLI_EL_FX_16)
        call->out->el_params = call->tensors[0]->el_params;
    else
        call->out->el_params.fx.frac_bits = (uint8_t)prepared->result.frac_bits;
    return MLI_STATUS_OK;
}

static mli_status run(const xymac_mli_call *call, const xymac_mli_prepared *prepared)
{
    mli_status status = xymac_mli_check_out(call, prepared->result.shape,
                                            (uint32_t)prepared->result.rank, prepared->result.type);
    const void *inputs[XYMAC_MLI_INPUTS];
    void *outputs[2];
    int16_t scalars[XYMAC_MLI_INPUTS];
    int8_t bytes[XYMAC_MLI_INPUTS];
    const xymac_network *network = prepared->network;
    xymac_result result;
    uint32_t index;

    if (status != MLI_STATUS_OK)
        return status;
    for (index = 0; index < network->value_count; index++) {
        const xymac_value *value = &network->values[index];
        const mli_tensor *tensor;
        uint32_t size = value->type == XYMAC_INT16 ? 2 : 1;
        if (value->place == XYMAC_IN_OUTPUT) {
            tensor = value->number == 0 ? call->out : call->cell;
            if (tensor->data == NULL)
                return xymac_mli_refuse(call->name, MLI_STATUS_BAD_TENSOR,
                                        "a tensor has no memory");
            if ((tensor == call->out ? tensor->capacity : XYMAC_MLI_LIMIT(tensor))
                < (uint64_t)value->count * size)
                return xymac_mli_refuse(call->name, MLI_STATUS_NOT_ENGH_MEM,
                                        "the memory of an output is too small");
            outputs[value->number] = tensor->data;
        } else if (value->place == XYMAC_IN_INPUT) {
            tensor = call->tensors[prepared->inputs[value->number]];
            scalars[value->number] = (int16_t)xymac_mli_scalar(tensor);
            bytes[value->number] = (int8_t)xymac_mli_scalar(tensor);
            inputs[value->number] = tensor->rank > 0 ? tensor->data
                : size == 2 ? (void *)&scalars[value->number] : (void *)&bytes[value->number];
            if (tensor->rank > 0 && xymac_mli_bytes(tensor) == 0)
                return xymac_mli_refuse(call->name, MLI_STATUS_BAD_TENSOR,
                                        "an input has no memory for its elements");
        }
    }
    last_error = XYMAC_OK;
    if (!is_open) {
        if (xymac_bus_open(&core)) {
            last_error = XYMAC_ERROR_BUS;
            return xymac_mli_refuse(call->name, MLI_STATUS_NOT_SUPPORTED,
                                    "xymac_bus_open did not find the core");
        }
        last_error = xymac_open(&core);
        is_open = last_error == XYMAC_OK;
    }
    if (last_error == XYMAC_OK)
        last_error = xymac_network_load(&core, network);
    if (last_error == XYMAC_OK)
        last_error = xymac_network_run(&core, network, inputs, outputs, &result);
    if (last_error != XYMAC_OK)
        return xymac_mli_refuse(call->name, MLI_STATUS_NOT_SUPPORTED,
                                xymac_error_text(last_error));
    cycles += result.counters[XYMAC_COUNTER_CYCLES];
    return fill(call, prepared);
}

mli_status xymac_mli_do(const xymac_mli_call *call)
{
    mli_status status = xymac_mli_check_inputs(call);
    int furthest = OTHER_NAME;
    uint32_t tried;

    if (status != MLI_STATUS_OK)
        return status;
    for (tried = 0; tried < xymac_mli_call_count; tried++) {
        uint32_t index = (next_call + tried) % xymac_mli_call_count;
        int how = compare(call, &xymac_mli_calls[index]);
        if (how > furthest)
            furthest = how;
        if (how == SAME) {
            const xymac_mli_prepared *prepared = &xymac_mli_calls[index];
            next_call = index + 1;
            return prepared->network ? run(call, prepared)
                : xymac_mli_refuse(call->name, prepared->status, prepared->reason);
        }
    }
    return xymac_mli_refuse(call->name, STATUS[furthest], REASONS[furthest]);
}
