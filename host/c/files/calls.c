/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of embARC MLI for a core of size @SIZE@, made by xymac compile. Do not edit. */
#include "xymac_mli_run.h"

#if XYMAC_NETWORK_FORMAT != 3
#error "The driver is of another version than these calls"
#endif

@TABLES@

@TENSORS@

const xymac_mli_prepared xymac_mli_calls[] = {
@CALLS@
};

const uint32_t xymac_mli_call_count = sizeof xymac_mli_calls / sizeof *xymac_mli_calls;
