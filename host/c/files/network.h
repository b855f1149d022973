/* SPDX-License-Identifier: Apache-2.0 */
/* @TITLE@ for a core of size @SIZE@, made by xymac compile. Do not edit.
 *
 * Arrays are in the order of C, the last dimension fastest:
@ENDS@
 */
#ifndef @GUARD@_NETWORK_H
#define @GUARD@_NETWORK_H

#include "xymac_network.h"

@COUNTS@

#ifdef __cplusplus
extern "C" {
#endif

/* For xymac_network_load and xymac_network_reset. */
extern const xymac_network @NAME@;

/* xymac_network_run with arrays of the right types. */
static inline xymac_error @NAME@_run(const xymac_core *core, @PARAMETERS@,
                                     xymac_result *result)
{
    const void *inputs[] = {@INPUTS@};
    void *outputs[] = {@OUTPUTS@};
    return xymac_network_run(core, &@NAME@, inputs, outputs, result);
}

#ifdef __cplusplus
}
#endif
#endif
