/* SPDX-License-Identifier: Apache-2.0 */
/* Specialised average pools of embARC MLI 1.x. */
#ifndef XYMAC_MLI_KRN_AVEPOOL_SPEC_API_H
#define XYMAC_MLI_KRN_AVEPOOL_SPEC_API_H

#include "xymac_mli_special.h"

XYMAC_MLI_SPECIAL(XYMAC_MLI_POOL, avepool_chw_fx8)
XYMAC_MLI_SPECIAL(XYMAC_MLI_POOL, avepool_chw_fx16)

#endif
