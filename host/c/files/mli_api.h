/* SPDX-License-Identifier: Apache-2.0 */
/* In place of the header of embARC MLI 1.x: see xymac_mli.h. */
#include "xymac_mli.h"
#include "xymac_mli_mov.h"
