/* The functions of embARC MLI 1.x: their arguments become a xymac_mli_call. */
#include <stddef.h>
#include <string.h>

#include "xymac_mli_call.h"

static void begin(xymac_mli_call *call, const char *name)
{
    memset(call, 0, sizeof *call);
    call->name = name;
}

static void add(xymac_mli_call *call, const mli_tensor *tensor)
{
    call->tensors[call->tensor_count++] = tensor;
}

static void add_constant(xymac_mli_call *call, const mli_tensor *tensor)
{
    call->constants |= 1u << call->tensor_count;
    add(call, tensor);
}

static void add_out(xymac_mli_call *call, mli_tensor *out)
{
    call->out = out;
    call->out_index = call->tensor_count;
    add(call, out);
}

static void note(xymac_mli_call *call, int32_t number)
{
    call->numbers[call->number_count++] = number;
}

/* The fields of a configuration, one after the other, if there is one. */
#define CONFIGURE(call, cfg, fields)             \
    do {                                         \
        if ((cfg) == NULL)                       \
            (call).number_count = XYMAC_MLI_NO_CFG; \
        else {                                   \
            fields                               \
        }                                        \
    } while (0)
#define FIELD(field) note(&call, (int32_t)cfg->field);

static mli_status convolve(const char *name, XYMAC_MLI_CONVOLUTION_ARGUMENTS)
{
    xymac_mli_call call;

    begin(&call, name);
    add(&call, in);
    add_constant(&call, weights);
    add_constant(&call, bias);
    add_out(&call, out);
    call.formatted = 1;
    CONFIGURE(call, cfg, FIELD(stride_width) FIELD(stride_height) FIELD(padding_left)
              FIELD(padding_right) FIELD(padding_top) FIELD(padding_bottom) FIELD(relu.type));
    return xymac_mli_do(&call);
}

static mli_status pool(const char *name, XYMAC_MLI_POOLING_ARGUMENTS)
{
    xymac_mli_call call;

    begin(&call, name);
    add(&call, in);
    add_out(&call, out);
    CONFIGURE(call, cfg, FIELD(kernel_width) FIELD(kernel_height) FIELD(stride_width)
              FIELD(stride_height) FIELD(padding_left) FIELD(padding_right) FIELD(padding_top)
              FIELD(padding_bottom));
    return xymac_mli_do(&call);
}

static mli_status connect(const char *name, XYMAC_MLI_DENSE_ARGUMENTS)
{
    xymac_mli_call call;

    begin(&call, name);
    add(&call, in);
    add_constant(&call, weights);
    add_constant(&call, bias);
    add_out(&call, out);
    call.formatted = 1;
    return xymac_mli_do(&call);
}

static mli_status recur(const char *name, XYMAC_MLI_LSTM_ARGUMENTS, int is_lstm)
{
    xymac_mli_call call;

    begin(&call, name);
    add(&call, in);
    add(&call, prev_out);
    add_constant(&call, weights);
    add_constant(&call, bias);
    if (is_lstm)
        add(&call, cell);
    add_out(&call, out);
    add(&call, cfg ? cfg->ir_tsr : NULL);
    call.cell = cell;
    call.formatted = 1;
    CONFIGURE(call, cfg, FIELD(mode) FIELD(act));
    return xymac_mli_do(&call);
}

static mli_status rectify(const char *name, XYMAC_MLI_RELU_ARGUMENTS)
{
    xymac_mli_call call;

    begin(&call, name);
    add(&call, in);
    add_out(&call, out);
    CONFIGURE(call, cfg, FIELD(type));
    return xymac_mli_do(&call);
}

static mli_status leak(const char *name, XYMAC_MLI_LEAKY_ARGUMENTS)
{
    xymac_mli_call call;

    begin(&call, name);
    add(&call, in);
    add_constant(&call, slope_coeff);
    add_out(&call, out);
    return xymac_mli_do(&call);
}

static mli_status transform(const char *name, XYMAC_MLI_TRANSFORM_ARGUMENTS)
{
    xymac_mli_call call;

    begin(&call, name);
    add(&call, in);
    add_out(&call, out);
    return xymac_mli_do(&call);
}

static mli_status combine(const char *name, XYMAC_MLI_ELTWISE_ARGUMENTS)
{
    xymac_mli_call call;

    begin(&call, name);
    add(&call, in1);
    add(&call, in2);
    add_out(&call, out);
    call.formatted = strncmp(name, "mli_krn_eltwise_mul", 19) == 0;
    return xymac_mli_do(&call);
}

static mli_status join(const char *name, XYMAC_MLI_CONCAT_ARGUMENTS)
{
    xymac_mli_call call;
    uint32_t index;

    begin(&call, name);
    for (index = 0; inputs && cfg && index < cfg->tensors_num
         && index < MLI_CONCAT_MAX_TENSORS; index++)
        add(&call, inputs[index]);
    add_out(&call, out);
    CONFIGURE(call, cfg, FIELD(tensors_num) FIELD(axis));
    return xymac_mli_do(&call);
}

static mli_status permute(const char *name, XYMAC_MLI_PERMUTE_ARGUMENTS)
{
    xymac_mli_call call;

    begin(&call, name);
    add(&call, in);
    add_out(&call, out);
    CONFIGURE(call, cfg, FIELD(perm_dim[0]) FIELD(perm_dim[1]) FIELD(perm_dim[2])
              FIELD(perm_dim[3]));
    /* Those beyond the rank do not count, and may be anything. */
    for (; in && call.number_count > 0 && (uint32_t)call.number_count > in->rank;)
        call.number_count--;
    return xymac_mli_do(&call);
}

static mli_status pad(const char *name, XYMAC_MLI_PADDING_ARGUMENTS)
{
    xymac_mli_call call;

    begin(&call, name);
    add(&call, in);
    add_out(&call, out);
    CONFIGURE(call, cfg, FIELD(padding_left) FIELD(padding_right) FIELD(padding_top)
              FIELD(padding_bottom));
    return xymac_mli_do(&call);
}

#define DEFINE_CONVOLUTION(name)                                   \
    mli_status mli_krn_##name(XYMAC_MLI_CONVOLUTION_ARGUMENTS)     \
    {                                                              \
        return convolve("mli_krn_" #name, in, weights, bias, cfg, out); \
    }
#define DEFINE_POOLING(name)                                       \
    mli_status mli_krn_##name(XYMAC_MLI_POOLING_ARGUMENTS)         \
    {                                                              \
        return pool("mli_krn_" #name, in, cfg, out);               \
    }
#define DEFINE_DENSE(name)                                         \
    mli_status mli_krn_##name(XYMAC_MLI_DENSE_ARGUMENTS)           \
    {                                                              \
        return connect("mli_krn_" #name, in, weights, bias, out);  \
    }
#define DEFINE_LSTM(name)                                          \
    mli_status mli_krn_##name(XYMAC_MLI_LSTM_ARGUMENTS)            \
    {                                                              \
        return recur("mli_krn_" #name, in, prev_out, weights, bias, cfg, cell, out, 1); \
    }
#define DEFINE_RNN(name)                                           \
    mli_status mli_krn_##name(XYMAC_MLI_RNN_ARGUMENTS)             \
    {                                                              \
        return recur("mli_krn_" #name, in, prev_out, weights, bias, cfg, NULL, out, 0); \
    }
#define DEFINE_RELU(name)                                          \
    mli_status mli_krn_##name(XYMAC_MLI_RELU_ARGUMENTS)            \
    {                                                              \
        return rectify("mli_krn_" #name, in, cfg, out);            \
    }
#define DEFINE_LEAKY(name)                                         \
    mli_status mli_krn_##name(XYMAC_MLI_LEAKY_ARGUMENTS)           \
    {                                                              \
        return leak("mli_krn_" #name, in, slope_coeff, out);       \
    }
#define DEFINE_TRANSFORM(name)                                     \
    mli_status mli_krn_##name(XYMAC_MLI_TRANSFORM_ARGUMENTS)       \
    {                                                              \
        return transform("mli_krn_" #name, in, out);               \
    }
#define DEFINE_ELTWISE(name)                                       \
    mli_status mli_krn_##name(XYMAC_MLI_ELTWISE_ARGUMENTS)         \
    {                                                              \
        return combine("mli_krn_" #name, in1, in2, out);           \
    }
#define DEFINE_CONCAT(name)                                        \
    mli_status mli_krn_##name(XYMAC_MLI_CONCAT_ARGUMENTS)          \
    {                                                              \
        return join("mli_krn_" #name, inputs, cfg, out);           \
    }
#define DEFINE_PERMUTE(name)                                       \
    mli_status mli_krn_##name(XYMAC_MLI_PERMUTE_ARGUMENTS)         \
    {                                                              \
        return permute("mli_krn_" #name, in, cfg, out);            \
    }
#define DEFINE_PADDING(name)                                       \
    mli_status mli_krn_##name(XYMAC_MLI_PADDING_ARGUMENTS)         \
    {                                                              \
        return pad("mli_krn_" #name, in, cfg, out);                \
    }

XYMAC_MLI_CONVOLUTIONS(DEFINE_CONVOLUTION)
XYMAC_MLI_POOLINGS(DEFINE_POOLING)
XYMAC_MLI_DENSE(DEFINE_DENSE)
XYMAC_MLI_LSTM(DEFINE_LSTM)
XYMAC_MLI_RNN(DEFINE_RNN)
XYMAC_MLI_RELU(DEFINE_RELU)
XYMAC_MLI_LEAKY(DEFINE_LEAKY)
XYMAC_MLI_TRANSFORMS(DEFINE_TRANSFORM)
XYMAC_MLI_ELTWISE(DEFINE_ELTWISE)
XYMAC_MLI_CONCAT(DEFINE_CONCAT)
XYMAC_MLI_PERMUTE(DEFINE_PERMUTE)
XYMAC_MLI_PADDING(DEFINE_PADDING)

mli_status mli_hlp_convert_tensor(const mli_tensor *in, mli_tensor *out)
{
    xymac_mli_call call;

    begin(&call, "mli_hlp_convert_tensor");
    add(&call, in);
    add_out(&call, out);
    call.formatted = 1;
    return xymac_mli_do(&call);
}

uint32_t mli_hlp_tensor_element_size(const mli_tensor *in)
{
    static const uint32_t SIZES[] = {1, 2, 1, 4};
    uint32_t type = in ? (uint32_t)in->el_type : 4;

    return type < 4 ? SIZES[type] : 0;
}

uint32_t mli_hlp_count_elem_num(const mli_tensor *in, uint32_t start_dim)
{
    uint32_t count = 1, axis;

    if (in == NULL || in->rank > MLI_MAX_RANK || start_dim > in->rank)
        return 0;
    for (axis = start_dim; axis < in->rank; axis++)
        count *= in->shape[axis];
    return count;
}

/* Nothing is copied: out points into in. */
mli_status mli_hlp_point_to_subtensor(const mli_tensor *in, const mli_point_to_subtsr_cfg *cfg,
                                      mli_tensor *out)
{
    uint32_t offset = 0, axis, size;
    mli_tensor part;

    if (in == NULL || out == NULL || in->rank == 0 || xymac_mli_bytes(in) == 0)
        return MLI_STATUS_BAD_TENSOR;
    if (cfg == NULL || cfg->coord_num < 1 || cfg->coord_num >= in->rank)
        return MLI_STATUS_BAD_FUNC_CFG;
    for (axis = 0; axis < cfg->coord_num; axis++) {
        if (cfg->start_coord[axis] >= in->shape[axis])
            return MLI_STATUS_BAD_FUNC_CFG;
        offset += cfg->start_coord[axis] * mli_hlp_count_elem_num(in, axis + 1);
    }
    size = cfg->first_out_dim_size;
    axis = cfg->coord_num - 1u;
    if (size < 1 || cfg->start_coord[axis] + size > in->shape[axis])
        return MLI_STATUS_BAD_FUNC_CFG;
    part = *in;
    part.rank = in->rank - axis;
    for (axis = 0; axis < MLI_MAX_RANK; axis++)
        part.shape[axis] = axis == 0 ? size
            : axis < part.rank ? in->shape[axis + cfg->coord_num - 1u] : 0;
    part.data = (char *)in->data + offset * mli_hlp_tensor_element_size(in);
    part.capacity = xymac_mli_bytes(&part);
    *out = part;
    return MLI_STATUS_OK;
}

uint32_t xymac_mli_bytes(const mli_tensor *tensor)
{
    uint32_t axis;
    uint64_t bytes = mli_hlp_tensor_element_size(tensor);

    if (tensor->data == NULL || tensor->rank < 1 || tensor->rank > MLI_MAX_RANK)
        return 0;
    for (axis = 0; axis < tensor->rank; axis++) {
        bytes *= tensor->shape[axis];
        if (bytes > tensor->capacity)
            return 0;
    }
    return (uint32_t)bytes;
}

int32_t xymac_mli_scalar(const mli_tensor *tensor)
{
    uint32_t bits = (uint32_t)((uintptr_t)tensor->data & 0xFFFFu);

    if (tensor->el_type != MLI_EL_FX_16)
        bits = (bits & 0xFFu) | (bits & 0x80u ? 0xFF00u : 0u);
    return bits & 0x8000u ? (int32_t)bits - 0x10000 : (int32_t)bits;
}

/* Bytes that a call may touch: of what is written, and may hold anything, all that there are. */
static uint32_t extent(const xymac_mli_call *call, int32_t index)
{
    const mli_tensor *tensor = call->tensors[index];

    if (tensor == NULL)
        return 0;
    if (index >= call->out_index)
        return tensor->data ? tensor->capacity : 0;
    return xymac_mli_bytes(tensor);
}

/* 0: apart, 1: from the same byte on, 2: otherwise. */
static uint32_t compare_memory(const xymac_mli_call *call, int32_t first, int32_t second)
{
    uint32_t sizes[2] = {extent(call, first), extent(call, second)};
    uintptr_t a, b;

    if (sizes[0] == 0 || sizes[1] == 0)
        return 0;
    a = (uintptr_t)call->tensors[first]->data;
    b = (uintptr_t)call->tensors[second]->data;
    if (a >= b + sizes[1] || b >= a + sizes[0])
        return 0;
    return a == b ? 1 : 2;
}

uint32_t xymac_mli_overlaps(const xymac_mli_call *call)
{
    uint32_t hash = 0;
    int32_t first, second;

    for (first = 0; first < call->tensor_count; first++)
        for (second = 0; second < first; second++)
            hash = hash * 3u + compare_memory(call, first, second);
    return hash;
}
