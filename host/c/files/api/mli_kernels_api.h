/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of embARC MLI 1.x. */
#ifndef XYMAC_MLI_KERNELS_API_H
#define XYMAC_MLI_KERNELS_API_H

#include "mli_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The functions, F(kind, name) for each: the kind has ARGUMENTS, the name follows mli_krn_. */
#define XYMAC_MLI_PLAIN(F, kind, name) \
    F(XYMAC_MLI_##kind, name##_fx8) F(XYMAC_MLI_##kind, name##_fx16)
#define XYMAC_MLI_WEIGHTED(F, kind, name)                                                \
    F(XYMAC_MLI_##kind, name##_fx8) F(XYMAC_MLI_##kind, name##_fx16)                     \
    F(XYMAC_MLI_##kind, name##_fx8w16d)
#define XYMAC_MLI_GENERIC(F, kind, name) \
    F(XYMAC_MLI_##kind, name##_fx8_generic) F(XYMAC_MLI_##kind, name##_fx16_generic)
#define XYMAC_MLI_ASYMMETRIC(F, kind, name) \
    F(XYMAC_MLI_##kind, name) F(XYMAC_MLI_##kind, name##_generic)

#if XYMAC_MLI_RELEASE >= 11
#define XYMAC_MLI_FUNCTIONS_OF_1_1(F)                                                    \
    XYMAC_MLI_ASYMMETRIC(F, CONVOLUTION, conv2d_nhwc_sa8_sa8_sa32)                       \
    XYMAC_MLI_ASYMMETRIC(F, CONVOLUTION, depthwise_conv2d_hwcn_sa8_sa8_sa32)             \
    F(XYMAC_MLI_POOLING, avepool_hwc_sa8)                                                \
    XYMAC_MLI_GENERIC(F, POOLING, maxpool_hwc)                                           \
    XYMAC_MLI_ASYMMETRIC(F, POOLING, maxpool_hwc_sa8)                                    \
    F(XYMAC_MLI_DENSE, fully_connected_sa8_sa8_sa32)
#else
#define XYMAC_MLI_FUNCTIONS_OF_1_1(F)
#endif

#define XYMAC_MLI_FUNCTIONS(F)                                                           \
    XYMAC_MLI_WEIGHTED(F, CONVOLUTION, conv2d_chw)                                       \
    XYMAC_MLI_WEIGHTED(F, CONVOLUTION, conv2d_hwc)                                       \
    XYMAC_MLI_WEIGHTED(F, CONVOLUTION, depthwise_conv2d_chw)                             \
    XYMAC_MLI_GENERIC(F, CONVOLUTION, conv2d_chw)                                        \
    XYMAC_MLI_GENERIC(F, CONVOLUTION, depthwise_conv2d_chw)                              \
    XYMAC_MLI_PLAIN(F, POOLING, maxpool_chw) XYMAC_MLI_PLAIN(F, POOLING, maxpool_hwc)    \
    XYMAC_MLI_PLAIN(F, POOLING, avepool_chw) XYMAC_MLI_PLAIN(F, POOLING, avepool_hwc)    \
    XYMAC_MLI_GENERIC(F, POOLING, maxpool_chw)                                           \
    XYMAC_MLI_GENERIC(F, POOLING, avepool_chw)                                           \
    XYMAC_MLI_WEIGHTED(F, DENSE, fully_connected) XYMAC_MLI_WEIGHTED(F, LSTM, lstm_cell) \
    XYMAC_MLI_WEIGHTED(F, RNN, basic_rnn_cell)                                           \
    XYMAC_MLI_PLAIN(F, RELU, relu) XYMAC_MLI_PLAIN(F, LEAKY, leaky_relu)                 \
    XYMAC_MLI_PLAIN(F, TRANSFORM, sigm) XYMAC_MLI_PLAIN(F, TRANSFORM, tanh)              \
    XYMAC_MLI_PLAIN(F, TRANSFORM, softmax)                                               \
    XYMAC_MLI_PLAIN(F, ELTWISE, eltwise_add) XYMAC_MLI_PLAIN(F, ELTWISE, eltwise_sub)    \
    XYMAC_MLI_PLAIN(F, ELTWISE, eltwise_min) XYMAC_MLI_PLAIN(F, ELTWISE, eltwise_max)    \
    XYMAC_MLI_PLAIN(F, ELTWISE, eltwise_mul) XYMAC_MLI_PLAIN(F, CONCAT, concat)          \
    XYMAC_MLI_PLAIN(F, PERMUTE, permute) XYMAC_MLI_PLAIN(F, PADDING, padding2d_chw)      \
    XYMAC_MLI_PLAIN(F, PADDING, padding2d_hwc) XYMAC_MLI_FUNCTIONS_OF_1_1(F)

/* Arguments of each kind. */
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

XYMAC_MLI_FUNCTIONS(XYMAC_MLI_DECLARE)

#ifdef __cplusplus
}
#endif
#endif
