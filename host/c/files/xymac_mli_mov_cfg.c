/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations of moves, handles and their channels. */
#include "xymac_mli_call.h"
#include "api/mli_mov_api.h"
#include "xymac_memory.h"

static struct {
    int first;
    bool free[XYMAC_MLI_MOV_CHANNELS];
    void (*callbacks[XYMAC_MLI_MOV_CHANNELS + 1])(int32_t);
    int32_t cookies[XYMAC_MLI_MOV_CHANNELS + 1];
} pool;

mli_status mli_mov_set_num_dma_ch(int ch_offset, int num_ch)
{
    int channel;

    if (ch_offset < 0 || num_ch < 0 || ch_offset > XYMAC_MLI_MOV_CHANNELS
        || num_ch > XYMAC_MLI_MOV_CHANNELS - ch_offset)
        return MLI_STATUS_BAD_FUNC_CFG;
    pool.first = ch_offset;
    for (channel = 0; channel < XYMAC_MLI_MOV_CHANNELS; channel++)
        pool.free[channel] = channel >= ch_offset && channel < ch_offset + num_ch;
    return MLI_STATUS_OK;
}

mli_status mli_mov_acquire_handle(int num_ch, mli_mov_handle_t *h)
{
    int channel, side_by_side = 0;

    if (h == NULL)
        return MLI_STATUS_BAD_FUNC_CFG;
    if (num_ch == 0) {
        channel = pool.first;
    } else {
        for (channel = 0; channel < XYMAC_MLI_MOV_CHANNELS && side_by_side != num_ch; channel++)
            side_by_side = pool.free[channel] ? side_by_side + 1 : 0;
        if (side_by_side != num_ch)
            return MLI_STATUS_NOT_ENGH_MEM;
        channel -= num_ch;
        memset(pool.free + channel, 0, (size_t)num_ch * sizeof pool.free[0]);
    }
    h->dma_ch = channel;
    h->num_ch = num_ch;
    h->state = MLI_MOV_STATE_OPEN;
    return MLI_STATUS_OK;
}

static bool is_handle(const mli_mov_handle_t *h)
{
    return h != NULL && h->dma_ch >= 0 && h->dma_ch <= XYMAC_MLI_MOV_CHANNELS && h->num_ch >= 0
        && h->num_ch <= XYMAC_MLI_MOV_CHANNELS - h->dma_ch;
}

mli_status mli_mov_release_handle(mli_mov_handle_t *h)
{
    int channel;

    if (!is_handle(h))
        return MLI_STATUS_BAD_FUNC_CFG;
    for (channel = h->dma_ch; channel < h->dma_ch + h->num_ch; channel++)
        pool.free[channel] = true;
    h->dma_ch = h->num_ch = 0;
    h->state = MLI_MOV_STATE_INVALID;
    return MLI_STATUS_OK;
}

mli_status mli_mov_registercallback(mli_mov_handle_t *h, void (*cb)(int32_t), int32_t cookie)
{
    if (!is_handle(h))
        return MLI_STATUS_BAD_FUNC_CFG;
    pool.callbacks[h->dma_ch] = cb;
    pool.cookies[h->dma_ch] = cookie;
    return MLI_STATUS_OK;
}

mli_status mli_mov_start(mli_mov_handle_t *h, const mli_tensor *src, const mli_mov_cfg_t *cfg,
                         mli_tensor *dst)
{
    (void)src;
    (void)cfg;
    (void)dst;
    if (!is_handle(h) || h->state != MLI_MOV_STATE_PREPARED)
        return MLI_STATUS_BAD_FUNC_CFG;
    h->state = MLI_MOV_STATE_DONE;
    if (pool.callbacks[h->dma_ch] != NULL)
        pool.callbacks[h->dma_ch](pool.cookies[h->dma_ch]);
    return MLI_STATUS_OK;
}

bool mli_mov_isdone(mli_mov_handle_t *h)
{
    return h != NULL && h->state == MLI_MOV_STATE_DONE;
}

/* A move that is not started would never be over. */
mli_status mli_mov_wait(mli_mov_handle_t *h)
{
    if (!is_handle(h))
        return MLI_STATUS_BAD_FUNC_CFG;
    return mli_mov_isdone(h) ? MLI_STATUS_OK : MLI_STATUS_NOT_SUPPORTED;
}

mli_status mli_mov_tensor_sync(const mli_tensor *src, const mli_mov_cfg_t *cfg, mli_tensor *dst)
{
    mli_mov_handle_t handle;
    mli_status status = mli_mov_acquire_handle(0, &handle);

    if (status == MLI_STATUS_OK)
        status = mli_mov_prepare(&handle, src, cfg, dst);
    if (status == MLI_STATUS_OK)
        status = mli_mov_start(&handle, src, cfg, dst);
    mli_mov_release_handle(&handle);
    return status;
}

mli_status mli_mov_cfg_for_copy(mli_mov_cfg_t *cfg)
{
    uint8_t axis;

    if (cfg == NULL)
        return MLI_STATUS_BAD_FUNC_CFG;
    memset(cfg, 0, sizeof *cfg);
    for (axis = 0; axis < MLI_MAX_RANK; axis++) {
        cfg->sub_sample_step[axis] = 1;
        cfg->perm_dim[axis] = axis;
    }
    return MLI_STATUS_OK;
}

/* Fill in what is given, and what copies a tensor elsewhere. */
static mli_status fill(mli_mov_cfg_t *cfg, const int *offsets, const int *sizes, const int *steps,
                       const int *dst_offsets, const int *dst_mem_stride)
{
    int axis;

    if (mli_mov_cfg_for_copy(cfg) != MLI_STATUS_OK || dst_mem_stride == NULL)
        return MLI_STATUS_BAD_FUNC_CFG;
    for (axis = 0; axis < MLI_MAX_RANK; axis++) {
        if (offsets != NULL)
            cfg->offset[axis] = (uint32_t)offsets[axis];
        if (sizes != NULL)
            cfg->size[axis] = (uint32_t)sizes[axis];
        if (steps != NULL)
            cfg->sub_sample_step[axis] = (uint32_t)steps[axis];
        if (dst_offsets != NULL)
            cfg->dst_offset[axis] = (uint32_t)dst_offsets[axis];
        cfg->dst_mem_stride[axis] = dst_mem_stride[axis];
    }
    return MLI_STATUS_OK;
}

mli_status mli_mov_cfg_for_slice(mli_mov_cfg_t *cfg, int *offsets, int *sizes, int *dst_mem_stride)
{
    if (offsets == NULL || sizes == NULL)
        return MLI_STATUS_BAD_FUNC_CFG;
    return fill(cfg, offsets, sizes, NULL, NULL, dst_mem_stride);
}

mli_status mli_mov_cfg_for_concat(mli_mov_cfg_t *cfg, int *dst_offsets, int *dst_mem_stride)
{
    if (dst_offsets == NULL)
        return MLI_STATUS_BAD_FUNC_CFG;
    return fill(cfg, NULL, NULL, NULL, dst_offsets, dst_mem_stride);
}

mli_status mli_mov_cfg_for_subsample(mli_mov_cfg_t *cfg, int *sub_sample_step, int *dst_mem_stride)
{
    if (sub_sample_step == NULL)
        return MLI_STATUS_BAD_FUNC_CFG;
    return fill(cfg, NULL, NULL, sub_sample_step, NULL, dst_mem_stride);
}

mli_status mli_mov_cfg_for_permute(mli_mov_cfg_t *cfg, uint8_t *perm_dim)
{
    if (perm_dim == NULL || mli_mov_cfg_for_copy(cfg) != MLI_STATUS_OK)
        return MLI_STATUS_BAD_FUNC_CFG;
    memcpy(cfg->perm_dim, perm_dim, sizeof cfg->perm_dim);
    return MLI_STATUS_OK;
}

/* Zeros around an image whose rows are dimension rows. */
static void pad(mli_mov_cfg_t *cfg, int rows, uint8_t padleft, uint8_t padright, uint8_t padtop,
                uint8_t padbot)
{
    cfg->padding_pre[rows] = padtop;
    cfg->padding_post[rows] = padbot;
    cfg->padding_pre[rows + 1] = padleft;
    cfg->padding_post[rows + 1] = padright;
}

mli_status mli_mov_cfg_for_padding2d_chw(mli_mov_cfg_t *cfg, uint8_t padleft, uint8_t padright,
                                         uint8_t padtop, uint8_t padbot, int *dst_mem_stride)
{
    mli_status status = fill(cfg, NULL, NULL, NULL, NULL, dst_mem_stride);

    if (status == MLI_STATUS_OK)
        pad(cfg, 1, padleft, padright, padtop, padbot);
    return status;
}

mli_status mli_mov_cfg_for_padding2d_hwc(mli_mov_cfg_t *cfg, uint8_t padleft, uint8_t padright,
                                         uint8_t padtop, uint8_t padbot, int *dst_mem_stride)
{
    mli_status status = fill(cfg, NULL, NULL, NULL, NULL, dst_mem_stride);

    if (status == MLI_STATUS_OK)
        pad(cfg, 0, padleft, padright, padtop, padbot);
    return status;
}

mli_status mli_mov_cfg_all(mli_mov_cfg_t *cfg, int *offsets, int *sizes, int *subsample_step,
                           int *dst_offsets, int *dst_mem_stride, uint8_t *perm_dim,
                           uint8_t padleft, uint8_t padright, uint8_t padtop, uint8_t padbot)
{
    if (offsets == NULL || sizes == NULL || subsample_step == NULL || dst_offsets == NULL
        || perm_dim == NULL
        || fill(cfg, offsets, sizes, subsample_step, dst_offsets, dst_mem_stride)
            != MLI_STATUS_OK)
        return MLI_STATUS_BAD_FUNC_CFG;
    memcpy(cfg->perm_dim, perm_dim, sizeof cfg->perm_dim);
    pad(cfg, 0, padleft, padright, padtop, padbot);
    return MLI_STATUS_OK;
}

/* Whether steps along the dimensions from axis on, in both directions, can add up to distance. */
static int can_reach(const uint64_t *sizes, const uint64_t *strides, uint32_t rank, uint32_t axis,
                     int64_t distance)
{
    int64_t reach = 0, stride, index, most;
    uint32_t inner = axis;

    if (axis == rank)
        return distance == 0;
    while (++inner < rank)
        reach += (int64_t)((sizes[inner] - 1) * strides[inner]);
    stride = (int64_t)strides[axis], most = (int64_t)sizes[axis] - 1;
    distance = distance < 0 ? -distance : distance;
    index = distance > reach ? (distance - reach + stride - 1) / stride
        : -(reach - distance) / stride;
    for (index = index < -most ? -most : index; index <= most && index * stride <= distance + reach;
         index++)
        if (can_reach(sizes, strides, rank, axis + 1, distance - index * stride))
            return 1;
    return 0;
}

int xymac_mli_do_elements_meet(const uint64_t *sizes, const uint64_t *strides, uint32_t rank)
{
    uint64_t reach = 0, index;
    uint32_t axis = rank;

    while (axis-- > 0) {
        for (index = 1; index < sizes[axis] && index * strides[axis] <= reach; index++)
            if (can_reach(sizes, strides, rank, axis + 1, (int64_t)(index * strides[axis])))
                return 1;
        reach += (sizes[axis] - 1) * strides[axis];
    }
    return 0;
}
