/* SPDX-License-Identifier: Apache-2.0 */
/* Elements, and floating point and 32 bits at the edges of a network: see xymac_edges.h. */
#include "xymac_edges.h"

int32_t xymac_get_element(const void *data, uint8_t type, int32_t index)
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

/* Of a value of 8 and 16 bits only the low bits of a word count, which are those of either sign. */
void xymac_set_element(void *data, uint8_t type, int32_t index, int32_t value)
{
    if (type == XYMAC_INT32)
        ((int32_t *)data)[index] = value;
    else if (type == XYMAC_INT16)
        ((int16_t *)data)[index] = (int16_t)(value >= 0x8000 ? value - 0x10000 : value);
    else if (type == XYMAC_UINT8)
        ((uint8_t *)data)[index] = (uint8_t)value;
    else
        ((int8_t *)data)[index] = (int8_t)(value >= 0x80 ? value - 0x100 : value);
}

static int32_t saturate(int64_t value, uint8_t type)
{
    int32_t high = type == XYMAC_INT32 ? INT32_MAX : type == XYMAC_INT16 ? 0x7FFF : 0x7F;
    if (type == XYMAC_UINT8)
        return value > 0xFF ? 0xFF : value < 0 ? 0 : (int32_t)value;
    return value > high ? high : value < -high - 1 ? -high - 1 : (int32_t)value;
}

/* The low 32 bits, signed. */
static int64_t wrap(int64_t value)
{
    int64_t low = (int64_t)((uint64_t)value & 0xFFFFFFFFu);
    return low >= INT64_C(0x80000000) ? low - INT64_C(0x100000000) : low;
}

xymac_error xymac_quantise(const xymac_scale *scale, const xymac_value *from, const float *data,
                           const xymac_value *to, void *result)
{
    uint32_t index;

    for (index = 0; index < from->count; index++) {
        volatile float steps = data[index] / scale->scale; /* in float, whatever the processor */
        double exact = steps;
        if (!(exact > -2147483648.0 && exact < 2147483648.0))
            return XYMAC_ERROR_VALUE;
        exact += exact < 0 ? -0.5 : 0.5;
        xymac_set_element(result, to->type, (int32_t)index,
                          saturate((int64_t)exact + scale->zero, to->type));
    }
    return XYMAC_OK;
}

/* Floor of a division by a power of two. */
static int64_t shift_right(int64_t value, int32_t bits)
{
    return value >= 0 ? value >> bits : -((-value - 1) >> bits) - 1;
}

/* As MultiplyByQuantizedMultiplier of tensorflow/lite/kernels/internal/common.cc rounds twice. It
 * saturates the product of the lowest numbers alone, and multipliers are at least 0. */
static int64_t rescale(int64_t value, const xymac_scale *scale)
{
    int32_t right = scale->exponent < 0 ? -scale->exponent : 0;
    int64_t half = right > 0 ? (INT64_C(1) << right) - 1 : 0, rest;

    if (scale->exponent > 0)
        value = wrap(value * (INT64_C(1) << scale->exponent));
    value = shift_right(value * scale->multiplier + (INT64_C(1) << 30), 31);
    rest = (int64_t)((uint64_t)value & (uint64_t)half);
    return shift_right(value, right) + (rest > (half >> 1) + (value < 0));
}

void xymac_requantise(const xymac_scale *scale, const xymac_value *from, const void *data,
                      const xymac_value *to, void *result)
{
    uint32_t index;

    for (index = 0; index < from->count; index++) {
        int64_t value = xymac_get_element(data, from->type, (int32_t)index);
        value = wrap(rescale(wrap(value - scale->from_zero), scale) + scale->zero);
        xymac_set_element(result, to->type, (int32_t)index, saturate(value, to->type));
    }
}

void xymac_dequantise(const xymac_scale *scale, const xymac_value *from, const void *data,
                      float *result)
{
    uint32_t index;

    for (index = 0; index < from->count; index++) {
        int32_t value = xymac_get_element(data, from->type, (int32_t)index);
        result[index] = (float)((double)scale->scale * (double)(value - scale->zero));
    }
}
