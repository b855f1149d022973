/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of embARC MLI 1.x: their arguments become a xymac_mli_call. */
#include "xymac_memory.h"
#include "xymac_mli_call.h"
#include "xymac_mli_special.h"

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

/* A call that makes one tensor of another. */
static xymac_mli_call map(const char *name, const mli_tensor *in, mli_tensor *out)
{
    xymac_mli_call call;

    begin(&call, name);
    add(&call, in);
    add_out(&call, out);
    return call;
}

/* The same with weights and biases. */
static xymac_mli_call weigh(const char *name, XYMAC_MLI_DENSE_ARGUMENTS)
{
    xymac_mli_call call;

    begin(&call, name);
    add(&call, in);
    add_constant(&call, weights);
    add_constant(&call, bias);
    add_out(&call, out);
    call.formatted = 1;
    return call;
}

mli_status xymac_mli_convolve(const char *name, XYMAC_MLI_CONVOLUTION_ARGUMENTS)
{
    xymac_mli_call call = weigh(name, in, weights, bias, out);

    CONFIGURE(call, cfg, FIELD(stride_width) FIELD(stride_height) FIELD(padding_left)
              FIELD(padding_right) FIELD(padding_top) FIELD(padding_bottom) FIELD(relu.type));
    return xymac_mli_do(&call);
}

mli_status xymac_mli_pool(const char *name, XYMAC_MLI_POOLING_ARGUMENTS)
{
    xymac_mli_call call = map(name, in, out);

    CONFIGURE(call, cfg, FIELD(kernel_width) FIELD(kernel_height) FIELD(stride_width)
              FIELD(stride_height) FIELD(padding_left) FIELD(padding_right) FIELD(padding_top)
              FIELD(padding_bottom));
    return xymac_mli_do(&call);
}

static mli_status connect(const char *name, XYMAC_MLI_DENSE_ARGUMENTS)
{
    const xymac_mli_call call = weigh(name, in, weights, bias, out);

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
    xymac_mli_call call = map(name, in, out);

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
    const xymac_mli_call call = map(name, in, out);

    return xymac_mli_do(&call);
}

/* The name of a product, whose output has the fractional bits that the caller gives. */
static int is_product(const char *name)
{
    static const char PRODUCT[] = "mli_krn_eltwise_mul";
    uint32_t index;

    for (index = 0; PRODUCT[index]; index++)
        if (name[index] != PRODUCT[index])
            return 0;
    return 1;
}

static mli_status combine(const char *name, XYMAC_MLI_ELTWISE_ARGUMENTS)
{
    xymac_mli_call call;

    begin(&call, name);
    add(&call, in1);
    add(&call, in2);
    add_out(&call, out);
    call.formatted = is_product(name);
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
    xymac_mli_call call = map(name, in, out);

    CONFIGURE(call, cfg, FIELD(perm_dim[0]) FIELD(perm_dim[1]) FIELD(perm_dim[2])
              FIELD(perm_dim[3]));
    /* Those beyond the rank do not count, and may be anything. */
    for (; in && call.number_count > 0 && (uint32_t)call.number_count > in->rank;)
        call.number_count--;
    return xymac_mli_do(&call);
}

static mli_status pad(const char *name, XYMAC_MLI_PADDING_ARGUMENTS)
{
    xymac_mli_call call = map(name, in, out);

    CONFIGURE(call, cfg, FIELD(padding_left) FIELD(padding_right) FIELD(padding_top)
              FIELD(padding_bottom));
    return xymac_mli_do(&call);
}

/* How each kind of function does it. */
#define XYMAC_MLI_CONVOLUTION_BODY(name) xymac_mli_convolve(name, in, weights, bias, cfg, out)
#define XYMAC_MLI_POOLING_BODY(name) xymac_mli_pool(name, in, cfg, out)
#define XYMAC_MLI_DENSE_BODY(name) connect(name, in, weights, bias, out)
#define XYMAC_MLI_LSTM_BODY(name) recur(name, in, prev_out, weights, bias, cfg, cell, out, 1)
#define XYMAC_MLI_RNN_BODY(name) recur(name, in, prev_out, weights, bias, cfg, NULL, out, 0)
#define XYMAC_MLI_RELU_BODY(name) rectify(name, in, cfg, out)
#define XYMAC_MLI_LEAKY_BODY(name) leak(name, in, slope_coeff, out)
#define XYMAC_MLI_TRANSFORM_BODY(name) transform(name, in, out)
#define XYMAC_MLI_ELTWISE_BODY(name) combine(name, in1, in2, out)
#define XYMAC_MLI_CONCAT_BODY(name) join(name, inputs, cfg, out)
#define XYMAC_MLI_PERMUTE_BODY(name) permute(name, in, cfg, out)
#define XYMAC_MLI_PADDING_BODY(name) pad(name, in, cfg, out)

#define DEFINE(kind, name) \
    mli_status mli_krn_##name(kind##_ARGUMENTS) { return kind##_BODY("mli_krn_" #name); }
XYMAC_MLI_FUNCTIONS(DEFINE)

mli_status mli_hlp_convert_tensor(mli_tensor *in, mli_tensor *out)
{
    xymac_mli_call call = map("mli_hlp_convert_tensor", in, out);

    call.formatted = 1;
    return xymac_mli_do(&call);
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
