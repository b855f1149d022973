/* SPDX-License-Identifier: Apache-2.0 */
/* Moves of tensors: what goes where, what is refused, and the moving. */
#include "xymac_mli_call.h"
#include "api/mli_mov_api.h"
#include "xymac_memory.h"

/* A dimension of the destination: what of the source it has. */
typedef struct {
    uint64_t size, step, width, start, stride;
    int64_t first;      /* index in the source of the first one that is written */
    uint64_t in_stride; /* elements from one index of the source to the next */
} axis_of_move;

typedef struct {
    axis_of_move axes[MLI_MAX_RANK];
    uint32_t rank, element;
    const char *from;
    char *to;
} move;

/* Whether each stride is at least the next one, and the elements of the inner dimensions. */
static int are_strides(const uint64_t *sizes, const uint64_t *strides, uint32_t rank)
{
    uint64_t least = 1, inner = 1;
    uint32_t axis = rank;

    while (axis-- > 0) {
        if (strides[axis] < least || strides[axis] < inner)
            return 0;
        least = xymac_mli_times(least, sizes[axis]);
        inner = strides[axis];
    }
    return 1;
}

#if XYMAC_MLI_RELEASE >= 11
/* The dimension along which the scales of a tensor lie; below 0 without. */
#define SCALES(tensor)                                                                   \
    ((tensor)->el_type == MLI_EL_ASYM_I8 || (tensor)->el_type == MLI_EL_ASYM_I32         \
     ? (tensor)->el_params.asym.dim : -1)
#else
#define SCALES(tensor) ((void)(tensor), -1)
#endif

static mli_status check_tensors(const mli_tensor *src, const mli_tensor *dst)
{
    uint64_t sizes[MLI_MAX_RANK], strides[MLI_MAX_RANK];
    uint32_t axis;

    if (src == NULL || src->data == NULL || src->rank < 1 || src->rank > MLI_MAX_RANK
        || mli_hlp_tensor_element_size(src) == 0)
        return MLI_STATUS_BAD_TENSOR;
    for (axis = 0; axis < src->rank; axis++) {
        sizes[axis] = src->shape[axis];
        strides[axis] = xymac_mli_stride(src, axis);
    }
    if (xymac_mli_span(src) == 0 || SCALES(src) >= (int32_t)src->rank
        || !are_strides(sizes, strides, src->rank))
        return MLI_STATUS_BAD_TENSOR;
    if (xymac_mli_span(src) > src->capacity)
        return MLI_STATUS_NOT_ENGH_MEM;
    return dst == NULL || dst->data == NULL
        || xymac_mli_do_elements_meet(sizes, strides, src->rank)
        ? MLI_STATUS_BAD_TENSOR : MLI_STATUS_OK;
}

/* Whether every dimension comes once, with a step; then has_all_scales tells whether the dimension
 * with scales, if there is one, stays whole. */
static int is_order(const mli_tensor *src, const mli_mov_cfg_t *cfg, int *has_all_scales)
{
    uint32_t axis, other, dim;

    *has_all_scales = 1;
    for (axis = 0; axis < src->rank; axis++) {
        dim = cfg->perm_dim[axis];
        for (other = 0; other < axis; other++)
            if (cfg->perm_dim[other] == dim)
                return 0;
        if (dim >= src->rank || cfg->sub_sample_step[dim] == 0)
            return 0;
        if ((int32_t)dim == SCALES(src)
            && (cfg->offset[dim] || (cfg->size[dim] && cfg->size[dim] != src->shape[dim])
                || cfg->sub_sample_step[dim] != 1 || cfg->padding_pre[dim]
                || cfg->padding_post[dim] || cfg->dst_offset[axis]))
            *has_all_scales = 0;
    }
    return 1;
}

/* Dimension axis of the destination; 0 for what is wrong. */
static int find_axis(const mli_tensor *src, const mli_mov_cfg_t *cfg, const mli_tensor *dst,
                     uint32_t axis, axis_of_move *found)
{
    uint32_t dim = cfg->perm_dim[axis];
    uint64_t count, size = src->shape[dim];

    if (cfg->offset[dim] >= size || cfg->size[dim] > size - cfg->offset[dim]
        || cfg->dst_offset[axis] > dst->shape[axis])
        return 0;
    count = cfg->size[dim] ? cfg->size[dim] : size - cfg->offset[dim];
    if (cfg->padding_post[dim] && cfg->offset[dim] + count < size)
        return 0;
    found->size = size;
    found->step = cfg->sub_sample_step[dim];
    found->width = (count + cfg->padding_pre[dim] + cfg->padding_post[dim] + found->step - 1)
        / found->step;
    found->start = cfg->dst_offset[axis];
    found->first = (int64_t)cfg->offset[dim] - cfg->padding_pre[dim];
    found->in_stride = xymac_mli_stride(src, dim);
    return 1;
}

/* Strides of the destination, and its bytes; 0 where elements would overlap. */
static uint64_t find_strides(move *found, const mli_mov_cfg_t *cfg, const mli_tensor *dst)
{
    uint64_t sizes[MLI_MAX_RANK], strides[MLI_MAX_RANK], last = 0, dense = 1;
    uint32_t axis = found->rank;

    while (axis-- > 0) {
        axis_of_move *held = &found->axes[axis];
        int32_t own = XYMAC_MLI_OWN_STRIDE(dst, axis), given = cfg->dst_mem_stride[axis];

        given = given ? given : own;
        if (given < 0)
            return 0;
        held->stride = strides[axis] = given ? (uint64_t)given : dense;
        if (held->stride > INT32_MAX)
            return 0;
        sizes[axis] = held->start + held->width;
        dense = xymac_mli_times(held->stride, sizes[axis]);
        last += dense - held->stride < UINT32_MAX ? dense - held->stride : UINT32_MAX;
    }
    if (!are_strides(sizes, strides, found->rank)
        || (last < UINT32_MAX && xymac_mli_do_elements_meet(sizes, strides, found->rank)))
        return 0;
    return (last + 1) * found->element;
}

static int overlap(const mli_tensor *src, const mli_tensor *dst)
{
    uintptr_t from = (uintptr_t)src->data, to = (uintptr_t)dst->data;

    return from < to + dst->capacity && to < from + src->capacity;
}

static mli_status find_move(const mli_tensor *src, const mli_mov_cfg_t *cfg, const mli_tensor *dst,
                            move *found)
{
    mli_status status = check_tensors(src, dst);
    uint64_t bytes;
    uint32_t axis;
    int has_all_scales;

    if (status != MLI_STATUS_OK)
        return status;
    if (cfg == NULL || !is_order(src, cfg, &has_all_scales))
        return MLI_STATUS_BAD_FUNC_CFG;
    if (!has_all_scales)
        return MLI_STATUS_SPEC_PARAM_MISMATCH;
    for (axis = 0; axis < src->rank; axis++)
        if (!find_axis(src, cfg, dst, axis, &found->axes[axis]))
            return MLI_STATUS_BAD_FUNC_CFG;
    if (overlap(src, dst))
        return MLI_STATUS_INCOMPATEBLE_TENSORS;
    found->rank = src->rank;
    found->element = mli_hlp_tensor_element_size(src);
    found->from = (const char *)src->data;
    found->to = (char *)dst->data;
    bytes = find_strides(found, cfg, dst);
    if (bytes == 0)
        return MLI_STATUS_BAD_TENSOR;
    return bytes > dst->capacity ? MLI_STATUS_NOT_ENGH_MEM : MLI_STATUS_OK;
}

/* Whether the library copies all memory, whatever the offsets. */
static int takes_all(const move *found, const mli_tensor *src, const mli_mov_cfg_t *cfg)
{
    uint32_t axis, dim;

    for (axis = 0; axis < found->rank; axis++) {
        const axis_of_move *held = &found->axes[axis];

        dim = cfg->perm_dim[axis];
        if (dim != axis || held->step != 1 || cfg->padding_pre[dim] || cfg->padding_post[dim]
            || held->start + held->width != src->shape[axis]
            || held->stride != mli_hlp_count_elem_num(src, axis + 1)
            || held->stride != held->in_stride)
            return 0;
    }
    return 1;
}

/* Move one element, or write a zero. */
static void put(const move *found, const uint64_t *place)
{
    uint64_t from = 0, to = 0;
    uint32_t axis;
    int inside = 1;

    for (axis = 0; axis < found->rank; axis++) {
        const axis_of_move *held = &found->axes[axis];
        int64_t index = held->first + (int64_t)(place[axis] * held->step);

        if (index < 0 || index >= (int64_t)held->size)
            inside = 0;
        else
            from += (uint64_t)index * held->in_stride;
        to += (held->start + place[axis]) * held->stride;
    }
    if (inside)
        memcpy(found->to + to * found->element, found->from + from * found->element,
               found->element);
    else
        memset(found->to + to * found->element, 0, found->element);
}

static void put_all(const move *found)
{
    uint64_t place[MLI_MAX_RANK] = {0};
    uint32_t axis;

    for (;;) {
        put(found, place);
        axis = found->rank - 1;
        while (++place[axis] == found->axes[axis].width) {
            if (axis == 0)
                return;
            place[axis--] = 0;
        }
    }
}

mli_status mli_mov_prepare(mli_mov_handle_t *h, const mli_tensor *src, const mli_mov_cfg_t *cfg,
                           mli_tensor *dst)
{
    move found;
    mli_status status;
    uint32_t axis;

    if (h == NULL || h->state == MLI_MOV_STATE_INVALID)
        return MLI_STATUS_BAD_FUNC_CFG;
    status = find_move(src, cfg, dst, &found);
    if (status != MLI_STATUS_OK)
        return status;
    if (takes_all(&found, src, cfg))
        memcpy(dst->data, src->data, xymac_mli_bytes(src));
    else
        put_all(&found);
    for (axis = 0; axis < MLI_MAX_RANK; axis++) {
        dst->shape[axis] = axis < found.rank
            ? (uint32_t)(found.axes[axis].start + found.axes[axis].width) : 1;
#if XYMAC_MLI_RELEASE >= 11
        dst->mem_stride[axis] = axis < found.rank ? (int32_t)found.axes[axis].stride : 0;
#endif
    }
    dst->rank = found.rank;
    dst->el_type = src->el_type;
    dst->el_params = src->el_params;
#if XYMAC_MLI_RELEASE >= 11
    for (axis = 0; axis < found.rank; axis++)
        if ((int32_t)cfg->perm_dim[axis] == SCALES(src))
            dst->el_params.asym.dim = (int32_t)axis;
#endif
    h->state = MLI_MOV_STATE_PREPARED;
    return MLI_STATUS_OK;
}
