/* SPDX-License-Identifier: Apache-2.0 */
/* Specialised maximum pools of embARC MLI 1.x. */
#ifndef XYMAC_MLI_KRN_MAXPOOL_SPEC_API_H
#define XYMAC_MLI_KRN_MAXPOOL_SPEC_API_H

#include "xymac_mli_special.h"

XYMAC_MLI_SPECIAL(XYMAC_MLI_POOL, maxpool_chw_fx8)
XYMAC_MLI_SPECIAL(XYMAC_MLI_POOL, maxpool_chw_fx16)
#if XYMAC_MLI_RELEASE >= 11
XYMAC_MLI_SPECIAL(XYMAC_MLI_POOL, maxpool_hwc_fx8)
XYMAC_MLI_SPECIAL(XYMAC_MLI_POOL, maxpool_hwc_fx16)
XYMAC_MLI_SPECIAL(XYMAC_MLI_POOL, maxpool_hwc_sa8)
#endif

#endif
