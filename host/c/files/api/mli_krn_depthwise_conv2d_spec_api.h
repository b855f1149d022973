/* SPDX-License-Identifier: Apache-2.0 */
/* Specialised depthwise convolutions of embARC MLI 1.x. */
#ifndef XYMAC_MLI_KRN_DEPTHWISE_CONV2D_SPEC_API_H
#define XYMAC_MLI_KRN_DEPTHWISE_CONV2D_SPEC_API_H

#include "xymac_mli_special.h"

XYMAC_MLI_SPECIAL(XYMAC_MLI_CONVOLVE, depthwise_conv2d_chw_fx8)
XYMAC_MLI_SPECIAL(XYMAC_MLI_CONVOLVE, depthwise_conv2d_chw_fx16)
#if XYMAC_MLI_RELEASE >= 11
XYMAC_MLI_SPECIAL(XYMAC_MLI_CONVOLVE, depthwise_conv2d_hwcn_sa8_sa8_sa32)
#endif

#endif
