/* SPDX-License-Identifier: Apache-2.0 */
/* @TITLE@ for a core of size @SIZE@, made by xymac compile. Do not edit.
 *
 * Arrays are in the order of C, the last dimension fastest:
@ENDS@
 */
#ifndef @GUARD@_NETWORK_H
#define @GUARD@_NETWORK_H

#include "xymac_@KIND@.h"

@COUNTS@

#ifdef __cplusplus
extern "C" {
#endif

/* For xymac_@KIND@_load and xymac_@KIND@_reset. */
extern const xymac_@KIND@ @NAME@;
@PLACE@
/* xymac_@KIND@_run with arrays of the right types. */
static inline xymac_error @NAME@_run(const xymac_core *core, @PARAMETERS@,
                                     @RESULT@ *result)
{
    const void *inputs[] = {@INPUTS@};
    void *outputs[] = {@OUTPUTS@};
    return xymac_@KIND@_run(core, &@NAME@, inputs, outputs, result);
}

#ifdef __cplusplus
}
#endif
#endif
