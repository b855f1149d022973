/* SPDX-License-Identifier: Apache-2.0 */
/* The helpers of embARC MLI 1.x that compute nothing, and what tensors say of themselves. */
#include <stddef.h>

#include "xymac_mli_call.h"

#if defined(__STDC_HOSTED__) && __STDC_HOSTED__
#include <stdio.h>

mli_status xymac_mli_refuse(const char *name, mli_status status, const char *reason)
{
    fflush(stdout);
    fprintf(stderr, "%s: %s (status %d)\n", name, reason, (int)status);
    return status;
}
#else
mli_status xymac_mli_refuse(const char *name, mli_status status, const char *reason)
{
    (void)name;
    (void)reason;
    return status;
}
#endif

/* A kernel takes elements at multiples of their size, without gaps: strides of 0, or the sizes of
 * the inner dimensions. */
static mli_status check_memory(const char *name, const mli_tensor *tensor)
{
    uint32_t axis, size = mli_hlp_tensor_element_size(tensor);

    if (tensor->rank > 0 && size > 0 && (uintptr_t)tensor->data % size != 0)
        return xymac_mli_refuse(name, MLI_STATUS_BAD_TENSOR,
                                "data of a tensor must lie at a multiple of its element size");
    for (axis = 0; axis < tensor->rank && tensor->rank <= MLI_MAX_RANK; axis++)
        if (tensor->shape[axis] != 1
            && (uint32_t)xymac_mli_stride(tensor, axis) != mli_hlp_count_elem_num(tensor, axis + 1))
            return xymac_mli_refuse(name, MLI_STATUS_NOT_SUPPORTED,
                                    "mem_stride of a tensor must be 0 or leave no gaps");
    return MLI_STATUS_OK;
}

mli_status xymac_mli_check_inputs(const xymac_mli_call *call)
{
    mli_status status = MLI_STATUS_OK;
    int32_t index;

    for (index = 0; index < call->out_index && status == MLI_STATUS_OK; index++)
        if (call->tensors[index])
            status = check_memory(call->name, call->tensors[index]);
    return status;
}

mli_status xymac_mli_check_out(const xymac_mli_call *call, const uint32_t *shape, uint32_t rank,
                               int32_t type)
{
    mli_tensor written = *call->out;
    uint32_t axis;

    for (axis = 0; axis < MLI_MAX_RANK; axis++)
        written.shape[axis] = shape[axis];
    written.rank = rank;
    written.el_type = (mli_element_type)type;
    return check_memory(call->name, &written);
}

uint64_t xymac_mli_times(uint64_t count, uint64_t size)
{
    if (size == 0)
        return 0;
    return count > UINT32_MAX || size > UINT32_MAX ? UINT64_MAX : count * size;
}

uint64_t xymac_mli_stride(const mli_tensor *tensor, uint32_t axis)
{
    if (XYMAC_MLI_OWN_STRIDE(tensor, axis) != 0)
        return (uint32_t)XYMAC_MLI_OWN_STRIDE(tensor, axis);
    return axis + 1 < tensor->rank && axis + 1 < MLI_MAX_RANK
        ? xymac_mli_times(xymac_mli_stride(tensor, axis + 1), tensor->shape[axis + 1]) : 1;
}

uint64_t xymac_mli_span(const mli_tensor *tensor)
{
    uint64_t last = 0, more;
    uint32_t axis;

    if (tensor->data == NULL || tensor->rank < 1 || tensor->rank > MLI_MAX_RANK)
        return 0;
    for (axis = 0; axis < tensor->rank; axis++)
        if (tensor->shape[axis] == 0 || XYMAC_MLI_OWN_STRIDE(tensor, axis) < 0)
            return 0;
    for (axis = 0; axis < tensor->rank; axis++) {
        more = xymac_mli_times(xymac_mli_stride(tensor, axis), tensor->shape[axis] - 1u);
        if (more >= UINT32_MAX - last)
            return UINT64_MAX;
        last += more;
    }
    return (last + 1) * mli_hlp_tensor_element_size(tensor);
}

uint32_t mli_hlp_tensor_element_size(const mli_tensor *in)
{
    static const uint32_t SIZES[] = {1, 2, 1, 4};

    return in && (uint32_t)in->el_type < 4 ? SIZES[in->el_type] : 0;
}

uint32_t xymac_mli_frac_bits(const xymac_mli_call *call, int32_t index)
{
    const mli_tensor *tensor = call->tensors[index];

    return (uint32_t)tensor->el_type <= (uint32_t)MLI_EL_FX_16
        || (index == call->out_index && call->formatted) ? tensor->el_params.fx.frac_bits : 0;
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

#if XYMAC_MLI_RELEASE >= 11
static int is_asymmetric(const mli_tensor *in)
{
    return in->el_type == MLI_EL_ASYM_I8 || in->el_type == MLI_EL_ASYM_I32;
}

/* Parameters along a dimension, for a part of the tensor from index first on. The part has this
 * dimension as dimension kept; -1: it is left out, and the parameters are those of one index. */
static void cut_params(mli_tensor *part, uint32_t first, int32_t kept)
{
    mli_data_container *scale = &part->el_params.asym.scale;
    mli_data_container *zero = &part->el_params.asym.zero_point;

    if (scale->pi32 == NULL || zero->pi16 == NULL)
        return;
    if (kept < 0) {
        scale->i32 = scale->pi32[first];
        zero->i16 = zero->pi16[first];
    } else {
        scale->pi32 += first, zero->pi16 += first;
    }
    part->el_params.asym.dim = kept;
}
#endif

/* Nothing is copied: out points into in. */
mli_status mli_hlp_point_to_subtensor(const mli_tensor *in, const mli_point_to_subtsr_cfg *cfg,
                                      mli_tensor *out)
{
    uint32_t offset = 0, axis, first, size;
    mli_tensor part;

    if (in == NULL || out == NULL || xymac_mli_span(in) - 1 >= XYMAC_MLI_LIMIT(in)) /* or is 0 */
        return MLI_STATUS_BAD_TENSOR;
    if (cfg == NULL || cfg->coord_num < 1 || cfg->coord_num > in->rank)
        return MLI_STATUS_BAD_FUNC_CFG;
    for (axis = 0; axis < cfg->coord_num; axis++) {
        if (cfg->start_coord[axis] >= in->shape[axis])
            return MLI_STATUS_BAD_FUNC_CFG;
        offset += cfg->start_coord[axis] * (uint32_t)xymac_mli_stride(in, axis);
    }
    size = cfg->first_out_dim_size;
    first = cfg->coord_num - 1u;
    if (size < 1 || cfg->start_coord[first] + size > in->shape[first])
        return MLI_STATUS_BAD_FUNC_CFG;
    part = *in;
    part.rank = in->rank - first;
    for (axis = 0; axis < MLI_MAX_RANK; axis++) {
        part.shape[axis] = axis == 0 ? size : axis < part.rank ? in->shape[axis + first] : 0;
#if XYMAC_MLI_RELEASE >= 11
        part.mem_stride[axis] = axis < part.rank ? in->mem_stride[axis + first] : 0;
#endif
    }
#if XYMAC_MLI_RELEASE >= 11
    if (is_asymmetric(in) && in->el_params.asym.dim >= 0
        && in->el_params.asym.dim < (int32_t)in->rank) {
        axis = (uint32_t)in->el_params.asym.dim;
        cut_params(&part, axis < cfg->coord_num ? cfg->start_coord[axis] : 0,
                   axis < first ? -1 : (int32_t)(axis - first));
    }
#endif
    part.data = (char *)in->data + offset * mli_hlp_tensor_element_size(in);
    part.capacity = (uint32_t)xymac_mli_span(&part);
    *out = part;
    return MLI_STATUS_OK;
}

#if XYMAC_MLI_RELEASE >= 11
/* Nothing is copied: out points into in. Dimensions of size 1 are left out, the first ones first,
 * until the rank is that of the configuration. */
mli_status mli_hlp_create_subtensor(const mli_tensor *in, const mli_sub_tensor_cfg *cfg,
                                    mli_tensor *out)
{
    uint32_t axis, rank = 0, omitted, offset = 0;
    mli_tensor part;

    if (in == NULL || out == NULL || xymac_mli_span(in) == 0)
        return MLI_STATUS_BAD_TENSOR;
    if (xymac_mli_span(in) > XYMAC_MLI_LIMIT(in))
        return MLI_STATUS_NOT_ENGH_MEM;
    if (cfg == NULL || cfg->sub_tensor_rank < 1 || cfg->sub_tensor_rank > in->rank)
        return MLI_STATUS_BAD_FUNC_CFG;
    part = *in;
    omitted = in->rank - cfg->sub_tensor_rank;
    for (axis = 0; axis < in->rank; axis++) {
        const int kept = omitted == 0 || cfg->size[axis] != 1;

        if (cfg->size[axis] < 1 || cfg->offset[axis] >= in->shape[axis]
            || cfg->size[axis] > in->shape[axis] - cfg->offset[axis])
            return MLI_STATUS_BAD_FUNC_CFG;
        offset += cfg->offset[axis] * (uint32_t)xymac_mli_stride(in, axis);
        if (is_asymmetric(in) && in->el_params.asym.dim == (int32_t)axis)
            cut_params(&part, cfg->offset[axis], kept ? (int32_t)rank : -1);
        if (!kept) {
            omitted--;
            continue;
        }
        part.shape[rank] = cfg->size[axis];
        part.mem_stride[rank++] = (int32_t)xymac_mli_stride(in, axis);
    }
    if (omitted > 0)
        return MLI_STATUS_BAD_FUNC_CFG;
    offset *= mli_hlp_tensor_element_size(in);
    for (part.rank = rank; rank < MLI_MAX_RANK; rank++)
        part.shape[rank] = 0, part.mem_stride[rank] = 0;
    part.data = (char *)in->data + offset;
    part.capacity = in->capacity > offset ? in->capacity - offset : 0;
    *out = part;
    return MLI_STATUS_OK;
}

uint32_t mli_hlp_tensor_scale_shift(const mli_tensor *in)
{
    return is_asymmetric(in) ? (uint32_t)(int32_t)in->el_params.asym.scale_frac_bits
        : in->el_params.fx.frac_bits;
}

int32_t mli_hlp_tensor_scale(const mli_tensor *in, const uint32_t scale_idx)
{
    if (!is_asymmetric(in))
        return 1;
    return in->el_params.asym.dim < 0 ? in->el_params.asym.scale.i32
        : in->el_params.asym.scale.pi32[scale_idx];
}
#endif

uint32_t xymac_mli_bytes(const mli_tensor *tensor)
{
    uint32_t axis;
    uint64_t bytes = mli_hlp_tensor_element_size(tensor);

    if (tensor->data == NULL || tensor->rank < 1 || tensor->rank > MLI_MAX_RANK)
        return 0;
    for (axis = 0; axis < tensor->rank; axis++) {
        bytes *= tensor->shape[axis];
        if (bytes > XYMAC_MLI_LIMIT(tensor))
            return 0;
    }
    return (uint32_t)bytes;
}
