/* SPDX-License-Identifier: Apache-2.0 */
/* Specialised functions of embARC MLI 1.x: every name that the naming convention spells with
 * kernels of 1 to 10 rows and columns, and common numbers of channels and strides. A function is a
 * small inline function, so that unused names take no memory. */
#ifndef XYMAC_MLI_SPECIAL_H
#define XYMAC_MLI_SPECIAL_H

#include "mli_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define XYMAC_MLI_PADS(F, name) F(name) F(name##_nopad) F(name##_krnpad)
#define XYMAC_MLI_STRIDES(F, name)                                                       \
    XYMAC_MLI_PADS(F, name) XYMAC_MLI_PADS(F, name##_str1) XYMAC_MLI_PADS(F, name##_str2) \
    XYMAC_MLI_PADS(F, name##_strh1) XYMAC_MLI_PADS(F, name##_strw1)                      \
    XYMAC_MLI_PADS(F, name##_strh2) XYMAC_MLI_PADS(F, name##_strw2)
#define XYMAC_MLI_CHANNELS(F, name)                                                      \
    XYMAC_MLI_STRIDES(F, name) XYMAC_MLI_STRIDES(F, name##_ch1)                          \
    XYMAC_MLI_STRIDES(F, name##_ch2) XYMAC_MLI_STRIDES(F, name##_ch3)                    \
    XYMAC_MLI_STRIDES(F, name##_ch4) XYMAC_MLI_STRIDES(F, name##_ch8)                    \
    XYMAC_MLI_STRIDES(F, name##_ch16)
#define XYMAC_MLI_SPECIAL(F, name)                                                       \
    XYMAC_MLI_CHANNELS(F, name##_k1x1) XYMAC_MLI_CHANNELS(F, name##_k2x2)                \
    XYMAC_MLI_CHANNELS(F, name##_k3x3) XYMAC_MLI_CHANNELS(F, name##_k4x4)                \
    XYMAC_MLI_CHANNELS(F, name##_k5x5) XYMAC_MLI_CHANNELS(F, name##_k6x6)                \
    XYMAC_MLI_CHANNELS(F, name##_k7x7) XYMAC_MLI_CHANNELS(F, name##_k8x8)                \
    XYMAC_MLI_CHANNELS(F, name##_k9x9) XYMAC_MLI_CHANNELS(F, name##_k10x10)              \
    XYMAC_MLI_CHANNELS(F, name##_k1xn) XYMAC_MLI_CHANNELS(F, name##_knx1)                \
    XYMAC_MLI_CHANNELS(F, name##_k1x2) XYMAC_MLI_CHANNELS(F, name##_k1x3)                \
    XYMAC_MLI_CHANNELS(F, name##_k2x1) XYMAC_MLI_CHANNELS(F, name##_k3x1)

mli_status xymac_mli_convolve(const char *name, const mli_tensor *in, const mli_tensor *weights,
                              const mli_tensor *bias, const mli_conv2d_cfg *cfg,
                              mli_tensor *out);
mli_status xymac_mli_pool(const char *name, const mli_tensor *in, const mli_pool_cfg *cfg,
                          mli_tensor *out);

#define XYMAC_MLI_CONVOLVE(name)                                                         \
    static inline mli_status mli_krn_##name(                                             \
        const mli_tensor *in, const mli_tensor *weights, const mli_tensor *bias,         \
        const mli_conv2d_cfg *cfg, mli_tensor *out)                                      \
    {                                                                                    \
        return xymac_mli_convolve("mli_krn_" #name, in, weights, bias, cfg, out);        \
    }
#define XYMAC_MLI_POOL(name)                                                             \
    static inline mli_status mli_krn_##name(const mli_tensor *in, const mli_pool_cfg *cfg, \
                                            mli_tensor *out)                             \
    {                                                                                    \
        return xymac_mli_pool("mli_krn_" #name, in, cfg, out);                           \
    }

#ifdef __cplusplus
}
#endif
#endif
