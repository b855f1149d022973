/* SPDX-License-Identifier: Apache-2.0 */
/* Moves of tensors as embARC MLI 2.0.2 has them, of the tensors of MLI 1.x.
 *
 * The processor moves the elements, when a move is prepared; the core and what is recorded have no
 * part in it. A source of release 1.1 may have gaps, one of 1.0 has none. The destination gets the
 * strides of cfg.dst_mem_stride; where that is 0, its own mem_stride of release 1.1; where that is
 * 0, too, no gaps. Scales along a dimension stay where they are, and `dim` of the destination follows the
 * dimension: all of it is moved, or the status is MLI_STATUS_SPEC_PARAM_MISMATCH. Zeros around are 0 whatever the type. Nothing
 * changes where a move is refused.
 */
#ifndef XYMAC_MLI_MOV_API_H
#define XYMAC_MLI_MOV_API_H

#include <stdbool.h>

#include "mli_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define XYMAC_MLI_MOV_CHANNELS 16

typedef struct {
    uint32_t offset[MLI_MAX_RANK];
    uint32_t size[MLI_MAX_RANK]; /* 0: all from the offset on */
    uint32_t sub_sample_step[MLI_MAX_RANK];
    uint32_t dst_offset[MLI_MAX_RANK];
    int32_t dst_mem_stride[MLI_MAX_RANK];
    uint8_t perm_dim[MLI_MAX_RANK];
    uint8_t padding_pre[MLI_MAX_RANK];
    uint8_t padding_post[MLI_MAX_RANK];
} mli_mov_cfg_t;

typedef enum {
    MLI_MOV_STATE_INVALID = 0,
    MLI_MOV_STATE_OPEN,
    MLI_MOV_STATE_PREPARED,
    MLI_MOV_STATE_DMA_CONFIGURED,
    MLI_MOV_STATE_DMA_RUNNING,
    MLI_MOV_STATE_DONE
} mli_mov_state;

typedef struct {
    int dma_ch;
    int num_ch;
    mli_mov_state state;
} mli_mov_handle_t;

mli_status mli_mov_tensor_sync(const mli_tensor *src, const mli_mov_cfg_t *cfg, mli_tensor *dst);
#define mli_move mli_mov_tensor_sync

mli_status mli_mov_prepare(mli_mov_handle_t *h, const mli_tensor *src, const mli_mov_cfg_t *cfg,
                           mli_tensor *dst);
mli_status mli_mov_registercallback(mli_mov_handle_t *h, void (*cb)(int32_t), int32_t cookie);
mli_status mli_mov_start(mli_mov_handle_t *h, const mli_tensor *src, const mli_mov_cfg_t *cfg,
                         mli_tensor *dst);
bool mli_mov_isdone(mli_mov_handle_t *h);
mli_status mli_mov_wait(mli_mov_handle_t *h);

mli_status mli_mov_set_num_dma_ch(int ch_offset, int num_ch);
mli_status mli_mov_acquire_handle(int num_ch, mli_mov_handle_t *h);
mli_status mli_mov_release_handle(mli_mov_handle_t *h);

mli_status mli_mov_cfg_for_copy(mli_mov_cfg_t *cfg);
mli_status mli_mov_cfg_for_slice(mli_mov_cfg_t *cfg, int *offsets, int *sizes,
                                 int *dst_mem_stride);
mli_status mli_mov_cfg_for_concat(mli_mov_cfg_t *cfg, int *dst_offsets, int *dst_mem_stride);
mli_status mli_mov_cfg_for_subsample(mli_mov_cfg_t *cfg, int *sub_sample_step,
                                     int *dst_mem_stride);
mli_status mli_mov_cfg_for_permute(mli_mov_cfg_t *cfg, uint8_t *perm_dim);
mli_status mli_mov_cfg_for_padding2d_chw(mli_mov_cfg_t *cfg, uint8_t padleft, uint8_t padright,
                                         uint8_t padtop, uint8_t padbot, int *dst_mem_stride);
mli_status mli_mov_cfg_for_padding2d_hwc(mli_mov_cfg_t *cfg, uint8_t padleft, uint8_t padright,
                                         uint8_t padtop, uint8_t padbot, int *dst_mem_stride);
mli_status mli_mov_cfg_all(mli_mov_cfg_t *cfg, int *offsets, int *sizes, int *subsample_step,
                           int *dst_offsets, int *dst_mem_stride, uint8_t *perm_dim,
                           uint8_t padleft, uint8_t padright, uint8_t padtop, uint8_t padbot);

#ifdef __cplusplus
}
#endif
#endif
