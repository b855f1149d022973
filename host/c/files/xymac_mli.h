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
#define MLI_CONCAT_MAX_TENSORS 8

typedef enum {
    MLI_STATUS_OK = 0,
    MLI_STATUS_BAD_TENSOR,
    MLI_STATUS_SHAPE_MISMATCH,
    MLI_STATUS_INCOMPATEBLE_TENSORS,
    MLI_STATUS_BAD_FUNC_CFG,
    MLI_STATUS_NOT_ENGH_MEM,
    MLI_STATUS_NOT_SUPPORTED,
    MLI_STATUS_SPEC_PARAM_MISMATCH,
    MLI_STATUS_TYPE_MISMATCH = 12
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

/* The functions, each by its name without mli_krn_. */
#define XYMAC_MLI_WEIGHTED(F, name) F(name##_fx8) F(name##_fx16) F(name##_fx8w16d)
#define XYMAC_MLI_PLAIN(F, name) F(name##_fx8) F(name##_fx16)
#define XYMAC_MLI_ANY(F, name) F(name##_fx) F(name##_fx8) F(name##_fx16)

#define XYMAC_MLI_CONVOLUTIONS(F)                                          \
    XYMAC_MLI_WEIGHTED(F, conv2d_chw) XYMAC_MLI_WEIGHTED(F, conv2d_hwc)    \
    XYMAC_MLI_WEIGHTED(F, depthwise_conv2d_chw)                            \
    F(conv2d_chw_fx8_generic) F(conv2d_chw_fx16_generic)                   \
    F(conv2d_chw_fx8w16d_generic) F(conv2d_hwc_fx8_generic)                \
    F(conv2d_hwc_fx16_generic) F(conv2d_hwc_fx8w16d_generic)               \
    F(depthwise_conv2d_chw_fx8_generic) F(depthwise_conv2d_chw_fx16_generic) \
    F(depthwise_conv2d_chw_fx8w16d_generic)                                \
    XYMAC_MLI_MORE_CONVOLUTIONS(F)
#define XYMAC_MLI_POOLINGS(F)                                              \
    XYMAC_MLI_PLAIN(F, maxpool_chw) XYMAC_MLI_PLAIN(F, maxpool_hwc)        \
    XYMAC_MLI_PLAIN(F, avepool_chw) XYMAC_MLI_PLAIN(F, avepool_hwc)        \
    F(maxpool_chw_fx8_generic) F(maxpool_chw_fx16_generic)                 \
    F(maxpool_hwc_fx8_generic) F(maxpool_hwc_fx16_generic)                 \
    F(avepool_chw_fx8_generic) F(avepool_chw_fx16_generic)                 \
    F(avepool_hwc_fx8_generic) F(avepool_hwc_fx16_generic)                 \
    XYMAC_MLI_MORE_POOLINGS(F)
#define XYMAC_MLI_DENSE(F) XYMAC_MLI_WEIGHTED(F, fully_connected)
#define XYMAC_MLI_LSTM(F) XYMAC_MLI_WEIGHTED(F, lstm_cell)
#define XYMAC_MLI_RNN(F) XYMAC_MLI_WEIGHTED(F, basic_rnn_cell)
#define XYMAC_MLI_RELU(F) XYMAC_MLI_PLAIN(F, relu)
#define XYMAC_MLI_LEAKY(F) XYMAC_MLI_PLAIN(F, leaky_relu)
#define XYMAC_MLI_TRANSFORMS(F) \
    XYMAC_MLI_PLAIN(F, sigm) XYMAC_MLI_PLAIN(F, tanh) XYMAC_MLI_PLAIN(F, softmax)
#define XYMAC_MLI_ELTWISE(F)                                               \
    XYMAC_MLI_ANY(F, eltwise_add) XYMAC_MLI_ANY(F, eltwise_sub)            \
    XYMAC_MLI_ANY(F, eltwise_min) XYMAC_MLI_ANY(F, eltwise_max)            \
    XYMAC_MLI_ANY(F, eltwise_mul)
#define XYMAC_MLI_CONCAT(F) XYMAC_MLI_ANY(F, concat)
#define XYMAC_MLI_PERMUTE(F) XYMAC_MLI_ANY(F, permute)
#define XYMAC_MLI_PADDING(F) XYMAC_MLI_PLAIN(F, padding2d_chw) XYMAC_MLI_PLAIN(F, padding2d_hwc)

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

#define XYMAC_MLI_CONVOLUTION(name) mli_status mli_krn_##name(XYMAC_MLI_CONVOLUTION_ARGUMENTS);
#define XYMAC_MLI_POOLING(name) mli_status mli_krn_##name(XYMAC_MLI_POOLING_ARGUMENTS);
#define XYMAC_MLI_DENSE_LAYER(name) mli_status mli_krn_##name(XYMAC_MLI_DENSE_ARGUMENTS);
#define XYMAC_MLI_LSTM_CELL(name) mli_status mli_krn_##name(XYMAC_MLI_LSTM_ARGUMENTS);
#define XYMAC_MLI_RNN_CELL(name) mli_status mli_krn_##name(XYMAC_MLI_RNN_ARGUMENTS);
#define XYMAC_MLI_RELU_LAYER(name) mli_status mli_krn_##name(XYMAC_MLI_RELU_ARGUMENTS);
#define XYMAC_MLI_LEAKY_LAYER(name) mli_status mli_krn_##name(XYMAC_MLI_LEAKY_ARGUMENTS);
#define XYMAC_MLI_TRANSFORM(name) mli_status mli_krn_##name(XYMAC_MLI_TRANSFORM_ARGUMENTS);
#define XYMAC_MLI_ELTWISE_LAYER(name) mli_status mli_krn_##name(XYMAC_MLI_ELTWISE_ARGUMENTS);
#define XYMAC_MLI_CONCAT_LAYER(name) mli_status mli_krn_##name(XYMAC_MLI_CONCAT_ARGUMENTS);
#define XYMAC_MLI_PERMUTE_LAYER(name) mli_status mli_krn_##name(XYMAC_MLI_PERMUTE_ARGUMENTS);
#define XYMAC_MLI_PADDING_LAYER(name) mli_status mli_krn_##name(XYMAC_MLI_PADDING_ARGUMENTS);

XYMAC_MLI_CONVOLUTIONS(XYMAC_MLI_CONVOLUTION)
XYMAC_MLI_POOLINGS(XYMAC_MLI_POOLING)
XYMAC_MLI_DENSE(XYMAC_MLI_DENSE_LAYER)
XYMAC_MLI_LSTM(XYMAC_MLI_LSTM_CELL)
XYMAC_MLI_RNN(XYMAC_MLI_RNN_CELL)
XYMAC_MLI_RELU(XYMAC_MLI_RELU_LAYER)
XYMAC_MLI_LEAKY(XYMAC_MLI_LEAKY_LAYER)
XYMAC_MLI_TRANSFORMS(XYMAC_MLI_TRANSFORM)
XYMAC_MLI_ELTWISE(XYMAC_MLI_ELTWISE_LAYER)
XYMAC_MLI_CONCAT(XYMAC_MLI_CONCAT_LAYER)
XYMAC_MLI_PERMUTE(XYMAC_MLI_PERMUTE_LAYER)
XYMAC_MLI_PADDING(XYMAC_MLI_PADDING_LAYER)

mli_status mli_hlp_convert_tensor(const mli_tensor *in, mli_tensor *out);
mli_status mli_hlp_point_to_subtensor(const mli_tensor *in, const mli_point_to_subtsr_cfg *cfg,
                                      mli_tensor *out);
uint32_t mli_hlp_tensor_element_size(const mli_tensor *in);
uint32_t mli_hlp_count_elem_num(const mli_tensor *in, uint32_t start_dim);

#ifdef __cplusplus
}
#endif
#endif
