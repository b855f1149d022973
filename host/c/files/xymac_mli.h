/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of embARC MLI 1.x, as its documents have them, on the xymac core.
 *
 * A program is linked twice: with xymac_mli_record.c, for `xymac compile --calls PROGRAM -o DIR`,
 * which runs it and prepares every call that it makes; then with xymac_mli_run.c, the driver and
 * DIR/calls.c, for the core. A call is executed there if one like it was prepared: the same
 * function, configuration, shapes, types, fractional bits, and data of what are constants (weights,
 * biases, slopes). What differs first gives the status of one that is not:
 *
 *     MLI_STATUS_NOT_SUPPORTED         no call of the function was prepared, or the core failed
 *     MLI_STATUS_SHAPE_MISMATCH        none with such shapes
 *     MLI_STATUS_TYPE_MISMATCH         none with such element types
 *     MLI_STATUS_INCOMPATEBLE_TENSORS  none with such fractional bits
 *     MLI_STATUS_BAD_FUNC_CFG          none with such a configuration
 *     MLI_STATUS_SPEC_PARAM_MISMATCH   none with such constants
 *     MLI_STATUS_BAD_TENSOR            none whose tensors overlap so
 *     MLI_STATUS_NOT_ENGH_MEM          the output, or another tensor, has not the room
 *
 * A call that the library refuses has the library's status, that of its debug mode RET_CODES.
 */
#ifndef XYMAC_MLI_H
#define XYMAC_MLI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MLI_MAX_RANK 4
#ifndef MLI_CONCAT_MAX_TENSORS
#define MLI_CONCAT_MAX_TENSORS 8 /* at most 255; the same in every file that is compiled */
#endif

typedef enum {
    MLI_STATUS_OK = 0,
    MLI_STATUS_BAD_TENSOR,
    MLI_STATUS_SHAPE_MISMATCH,
    MLI_STATUS_INCOMPATEBLE_TENSORS,
    MLI_STATUS_BAD_FUNC_CFG,
    MLI_STATUS_NOT_ENGH_MEM,
    MLI_STATUS_NOT_SUPPORTED,
    MLI_STATUS_SPEC_PARAM_MISMATCH,
    MLI_STATUS_ARGUMENT_ERROR, /* this one and all that follow but the type: of MLI 2.0 */
    MLI_STATUS_LENGTH_ERROR,
    MLI_STATUS_SIZE_MISMATCH,
    MLI_STATUS_RANK_MISMATCH,
    MLI_STATUS_TYPE_MISMATCH,
    MLI_STATUS_MEM_BANK_MISMATCH,
    MLI_STATUS_MISALIGNMENT_ERROR
} mli_status;

typedef enum {
    MLI_EL_FX_8 = 0,
    MLI_EL_FX_16,
    MLI_EL_ASYM_I8,
    MLI_EL_ASYM_I32
} mli_element_type;

typedef union _mli_element_params {
    struct {
        uint8_t frac_bits;
    } fx;
} mli_element_params;

typedef struct _mli_tensor {
    void *data;
    uint32_t capacity;
    uint32_t shape[MLI_MAX_RANK];
    uint32_t rank;
    mli_element_type el_type;
    mli_element_params el_params;
} mli_tensor;

typedef enum { MLI_RELU_NONE = 0, MLI_RELU_GEN, MLI_RELU_1, MLI_RELU_6 } mli_relu_type;
typedef enum { RNN_ONE_TO_ONE = 0, RNN_BATCH_TO_BATCH, RNN_BATCH_TO_LAST } mli_rnn_mode;
typedef enum { RNN_ACT_NONE = 0, RNN_ACT_TANH, RNN_ACT_SIGM } mli_rnn_out_activation;

typedef struct {
    mli_relu_type type;
} mli_relu_cfg;

typedef struct {
    uint8_t stride_width;
    uint8_t stride_height;
    uint8_t padding_left;
    uint8_t padding_right;
    uint8_t padding_top;
    uint8_t padding_bottom;
    mli_relu_cfg relu;
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

typedef mli_pool_cfg mli_avepool_cfg;

typedef struct {
    mli_rnn_mode mode;
    mli_rnn_out_activation act;
    mli_tensor *ir_tsr;
} mli_rnn_cell_cfg;

typedef mli_rnn_cell_cfg mli_lstm_cell_cfg;

typedef struct {
    uint8_t tensors_num;
    uint8_t axis;
} mli_concat_cfg;

typedef struct {
    int perm_dim[MLI_MAX_RANK];
} mli_permute_cfg;

typedef struct {
    uint8_t padding_left;
    uint8_t padding_right;
    uint8_t padding_top;
    uint8_t padding_bottom;
} mli_padding2d_cfg;

typedef struct {
    uint32_t start_coord[MLI_MAX_RANK];
    uint8_t coord_num;
    uint8_t first_out_dim_size;
} mli_point_to_subtsr_cfg;

/* Specialised functions have the arguments of the general ones. There are thousands of names: those
 * that a program uses are listed when it and xymac_mli.c are compiled, as in
 * -D'XYMAC_MLI_MORE_CONVOLUTIONS(F)=F(conv2d_chw_fx16_k3x3_str1) F(conv2d_chw_fx8_k1x1_nopad)'. */
#ifndef XYMAC_MLI_MORE_CONVOLUTIONS
#define XYMAC_MLI_MORE_CONVOLUTIONS(F)
#endif
#ifndef XYMAC_MLI_MORE_POOLINGS
#define XYMAC_MLI_MORE_POOLINGS(F)
#endif

/* The functions, F(kind, name) of each: the kind has its ARGUMENTS, the name comes behind mli_krn_. */
#define XYMAC_MLI_PLAIN(F, kind, name) \
    F(XYMAC_MLI_##kind, name##_fx8) F(XYMAC_MLI_##kind, name##_fx16)
#define XYMAC_MLI_ANY(F, kind, name)                                                     \
    F(XYMAC_MLI_##kind, name##_fx) F(XYMAC_MLI_##kind, name##_fx8)                       \
    F(XYMAC_MLI_##kind, name##_fx16)
#define XYMAC_MLI_WEIGHTED(F, kind, name)                                                \
    F(XYMAC_MLI_##kind, name##_fx8) F(XYMAC_MLI_##kind, name##_fx16)                     \
    F(XYMAC_MLI_##kind, name##_fx8w16d)
#define XYMAC_MLI_PLAIN_GENERIC(F, kind, name) \
    F(XYMAC_MLI_##kind, name##_fx8_generic) F(XYMAC_MLI_##kind, name##_fx16_generic)
#define XYMAC_MLI_WEIGHTED_GENERIC(F, kind, name)                                        \
    F(XYMAC_MLI_##kind, name##_fx8_generic) F(XYMAC_MLI_##kind, name##_fx16_generic)     \
    F(XYMAC_MLI_##kind, name##_fx8w16d_generic)

#define XYMAC_MLI_FUNCTIONS(F)                                                           \
    XYMAC_MLI_WEIGHTED(F, CONVOLUTION, conv2d_chw)                                       \
    XYMAC_MLI_WEIGHTED(F, CONVOLUTION, conv2d_hwc)                                       \
    XYMAC_MLI_WEIGHTED(F, CONVOLUTION, depthwise_conv2d_chw)                             \
    XYMAC_MLI_WEIGHTED_GENERIC(F, CONVOLUTION, conv2d_chw)                               \
    XYMAC_MLI_WEIGHTED_GENERIC(F, CONVOLUTION, conv2d_hwc)                               \
    XYMAC_MLI_WEIGHTED_GENERIC(F, CONVOLUTION, depthwise_conv2d_chw)                     \
    XYMAC_MLI_PLAIN(F, POOLING, maxpool_chw) XYMAC_MLI_PLAIN(F, POOLING, maxpool_hwc)    \
    XYMAC_MLI_PLAIN(F, POOLING, avepool_chw) XYMAC_MLI_PLAIN(F, POOLING, avepool_hwc)    \
    XYMAC_MLI_PLAIN_GENERIC(F, POOLING, maxpool_chw)                                     \
    XYMAC_MLI_PLAIN_GENERIC(F, POOLING, maxpool_hwc)                                     \
    XYMAC_MLI_PLAIN_GENERIC(F, POOLING, avepool_chw)                                     \
    XYMAC_MLI_PLAIN_GENERIC(F, POOLING, avepool_hwc)                                     \
    XYMAC_MLI_WEIGHTED(F, DENSE, fully_connected) XYMAC_MLI_WEIGHTED(F, LSTM, lstm_cell) \
    XYMAC_MLI_WEIGHTED(F, RNN, basic_rnn_cell)                                           \
    XYMAC_MLI_PLAIN(F, RELU, relu) XYMAC_MLI_PLAIN(F, LEAKY, leaky_relu)                 \
    XYMAC_MLI_PLAIN(F, TRANSFORM, sigm) XYMAC_MLI_PLAIN(F, TRANSFORM, tanh)              \
    XYMAC_MLI_PLAIN(F, TRANSFORM, softmax)                                               \
    XYMAC_MLI_ANY(F, ELTWISE, eltwise_add) XYMAC_MLI_ANY(F, ELTWISE, eltwise_sub)        \
    XYMAC_MLI_ANY(F, ELTWISE, eltwise_min) XYMAC_MLI_ANY(F, ELTWISE, eltwise_max)        \
    XYMAC_MLI_ANY(F, ELTWISE, eltwise_mul) XYMAC_MLI_ANY(F, CONCAT, concat)              \
    XYMAC_MLI_ANY(F, PERMUTE, permute) XYMAC_MLI_PLAIN(F, PADDING, padding2d_chw)        \
    XYMAC_MLI_PLAIN(F, PADDING, padding2d_hwc)

/* Their arguments. */
#define XYMAC_MLI_CONVOLUTION_ARGUMENTS                                                  \
    const mli_tensor *in, const mli_tensor *weights, const mli_tensor *bias,             \
        const mli_conv2d_cfg *cfg, mli_tensor *out
#define XYMAC_MLI_POOLING_ARGUMENTS const mli_tensor *in, const mli_pool_cfg *cfg, mli_tensor *out
#define XYMAC_MLI_DENSE_ARGUMENTS \
    const mli_tensor *in, const mli_tensor *weights, const mli_tensor *bias, mli_tensor *out
#define XYMAC_MLI_LSTM_ARGUMENTS                                                         \
    const mli_tensor *in, const mli_tensor *prev_out, const mli_tensor *weights,         \
        const mli_tensor *bias, const mli_rnn_cell_cfg *cfg, mli_tensor *cell, mli_tensor *out
#define XYMAC_MLI_RNN_ARGUMENTS                                                          \
    const mli_tensor *in, const mli_tensor *prev_out, const mli_tensor *weights,         \
        const mli_tensor *bias, const mli_rnn_cell_cfg *cfg, mli_tensor *out
#define XYMAC_MLI_RELU_ARGUMENTS const mli_tensor *in, const mli_relu_cfg *cfg, mli_tensor *out
#define XYMAC_MLI_LEAKY_ARGUMENTS \
    const mli_tensor *in, const mli_tensor *slope_coeff, mli_tensor *out
#define XYMAC_MLI_TRANSFORM_ARGUMENTS const mli_tensor *in, mli_tensor *out
#define XYMAC_MLI_ELTWISE_ARGUMENTS const mli_tensor *in1, const mli_tensor *in2, mli_tensor *out
#define XYMAC_MLI_CONCAT_ARGUMENTS \
    const mli_tensor **inputs, const mli_concat_cfg *cfg, mli_tensor *out
#define XYMAC_MLI_PERMUTE_ARGUMENTS \
    const mli_tensor *in, const mli_permute_cfg *cfg, mli_tensor *out
#define XYMAC_MLI_PADDING_ARGUMENTS \
    const mli_tensor *in, const mli_padding2d_cfg *cfg, mli_tensor *out

#define XYMAC_MLI_DECLARE(kind, name) mli_status mli_krn_##name(kind##_ARGUMENTS);
#define XYMAC_MLI_DECLARE_CONVOLUTION(name) XYMAC_MLI_DECLARE(XYMAC_MLI_CONVOLUTION, name)
#define XYMAC_MLI_DECLARE_POOLING(name) XYMAC_MLI_DECLARE(XYMAC_MLI_POOLING, name)

XYMAC_MLI_FUNCTIONS(XYMAC_MLI_DECLARE)
XYMAC_MLI_MORE_CONVOLUTIONS(XYMAC_MLI_DECLARE_CONVOLUTION)
XYMAC_MLI_MORE_POOLINGS(XYMAC_MLI_DECLARE_POOLING)

mli_status mli_hlp_convert_tensor(const mli_tensor *in, mli_tensor *out);
mli_status mli_hlp_point_to_subtensor(const mli_tensor *in, const mli_point_to_subtsr_cfg *cfg,
                                      mli_tensor *out);
uint32_t mli_hlp_tensor_element_size(const mli_tensor *in);
uint32_t mli_hlp_count_elem_num(const mli_tensor *in, uint32_t start_dim);

#ifdef __cplusplus
}
#endif
#endif
