/* SPDX-License-Identifier: Apache-2.0 */
/* The helpers of embARC MLI 1.x that compute nothing, and what tensors say of themselves. */
#include <stddef.h>

#include "xymac_mli_call.h"

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
