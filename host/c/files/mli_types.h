/* SPDX-License-Identifier: Apache-2.0 */
/* Codes and structures of embARC MLI 1.x: names, types and field order of the release's headers. */
#ifndef _MLI_TYPES_H_
#define _MLI_TYPES_H_

#include <stdbool.h>
#include <stdint.h>

#include "mli_config.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MLI_MAX_RANK 4

typedef enum {
    MLI_STATUS_OK = 0,
    MLI_STATUS_BAD_TENSOR,
    MLI_STATUS_SHAPE_MISMATCH,
    MLI_STATUS_INCOMPATEBLE_TENSORS,
    MLI_STATUS_BAD_FUNC_CFG,
    MLI_STATUS_NOT_ENGH_MEM,
    MLI_STATUS_NOT_SUPPORTED,
    MLI_STATUS_SPEC_PARAM_MISMATCH,
    MLI_STATUS_ARGUMENT_ERROR,
    MLI_STATUS_LENGTH_ERROR,
    MLI_STATUS_SIZE_MISMATCH,
    MLI_STATUS_RANK_MISMATCH,
    MLI_STATUS_TYPE_MISMATCH,
    MLI_STATUS_LARGE_ENUM = 0x02000000
} mli_status;

typedef enum {
    MLI_EL_FX_8 = 0,
    MLI_EL_FX_16,
#if XYMAC_MLI_RELEASE >= 11
    MLI_EL_ASYM_I8,
    MLI_EL_ASYM_I32,
#endif
    MLI_EL_LARGE_ENUM = 0x02000000
} mli_element_type;

typedef enum {
    MLI_RELU_NONE = 0,
    MLI_RELU_GEN,
    MLI_RELU_1,
    MLI_RELU_6,
    MLI_RELU_LARGE_ENUM = 0x02000000
} mli_relu_type;

typedef enum {
    RNN_ONE_TO_ONE = 0,
    RNN_BATCH_TO_BATCH,
    RNN_BATCH_TO_LAST,
    RNN_MODE_LARGE_ENUM = 0x02000000
} mli_rnn_mode;

typedef enum {
    RNN_ACT_NONE = 0,
    RNN_ACT_TANH,
    RNN_ACT_SIGM,
    RNN_ACT_LARGE_ENUM = 0x02000000
} mli_rnn_out_activation;

#if XYMAC_MLI_RELEASE >= 11
typedef enum { LAYOUT_HWC, LAYOUT_HWCN } mli_layout_type;

typedef union _mli_data_container {
    int32_t *pi32;
    int16_t *pi16;
    int8_t *pi8;
    int32_t i32;
    int16_t i16;
    int8_t i8;
} mli_data_container;
#endif

typedef union _mli_element_params {
    struct {
        uint8_t frac_bits;
    } fx;
#if XYMAC_MLI_RELEASE >= 11
    struct {
        mli_data_container zero_point;
        mli_data_container scale;
        int32_t dim;
        int8_t scale_frac_bits;
    } asym;
#endif
} mli_element_params;

typedef struct _mli_tensor {
    void *data;
    uint32_t capacity;
#if XYMAC_MLI_RELEASE >= 11
    int32_t mem_stride[MLI_MAX_RANK];
#endif
    uint32_t shape[MLI_MAX_RANK];
    uint32_t rank;
    mli_element_type el_type;
    mli_element_params el_params;
} mli_tensor;

typedef struct {
    mli_relu_type type;
} mli_relu_cfg;

typedef struct {
    mli_relu_cfg relu;
    uint8_t stride_width;
    uint8_t stride_height;
    uint8_t padding_left;
    uint8_t padding_right;
    uint8_t padding_top;
    uint8_t padding_bottom;
} mli_conv2d_cfg;

typedef struct {
    uint8_t kernel_width;
    uint8_t kernel_height;
    uint8_t stride_width;
    uint8_t stride_height;
    uint8_t padding_left;
    uint8_t padding_right;
    uint8_t padding_top;
    uint8_t padding_bottom;
} mli_pool_cfg;

typedef struct {
    mli_rnn_mode mode;
    mli_rnn_out_activation act;
    mli_tensor *ir_tsr;
} mli_rnn_cell_cfg;

typedef struct {
    uint8_t perm_dim[MLI_MAX_RANK];
} mli_permute_cfg;

typedef struct {
    uint8_t padding_left;
    uint8_t padding_right;
    uint8_t padding_top;
    uint8_t padding_bottom;
} mli_padding2d_cfg;

typedef struct {
    uint8_t tensors_num;
    uint8_t axis;
} mli_concat_cfg;

typedef struct {
    uint32_t start_coord[MLI_MAX_RANK];
    uint8_t coord_num;
    uint8_t first_out_dim_size;
} mli_point_to_subtsr_cfg;

#if XYMAC_MLI_RELEASE >= 11
typedef struct {
    uint32_t offset[MLI_MAX_RANK];
    uint32_t size[MLI_MAX_RANK];
    uint32_t sub_tensor_rank;
} mli_sub_tensor_cfg;
#endif

#ifdef __cplusplus
}
#endif
#endif
