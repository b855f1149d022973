/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of embARC MLI 1.x: equal in every file that is compiled, as -D options or here. */
#ifndef _MLI_CONFIG_H_
#define _MLI_CONFIG_H_

/* Release of the structures and functions: 10 is 1.0, 11 is 1.1. */
#ifndef XYMAC_MLI_RELEASE
#define XYMAC_MLI_RELEASE 10
#endif
#if XYMAC_MLI_RELEASE != 10 && XYMAC_MLI_RELEASE != 11
#error "XYMAC_MLI_RELEASE must be 10 or 11"
#endif

/* Most tensors of a concatenation, at most 255. */
#ifndef MLI_CONCAT_MAX_TENSORS
#define MLI_CONCAT_MAX_TENSORS 8
#endif

/* Most inputs of a call: a cell has fewer than 8. */
#define XYMAC_MLI_INPUTS (MLI_CONCAT_MAX_TENSORS > 8 ? MLI_CONCAT_MAX_TENSORS : 8)

/* DBG_MODE_RELEASE computes every call whose result the library defines; the other modes also
 * refuse calls that break a condition which the library examines. A refused call has a status in
 * each mode, and its reason on the standard error output of a hosted program. */
#define DBG_MODE_RELEASE 0
#define DBG_MODE_RET_CODES 1
#define DBG_MODE_ASSERT 2
#define DBG_MODE_DEBUG 3
#define DBG_MODE_FULL 4
#ifndef MLI_DEBUG_MODE
#define MLI_DEBUG_MODE DBG_MODE_RELEASE
#endif

/* The processor that calls the core has one address space. */
#define V2DSP 1
#define V2DSP_XY 2
#define V2DSP_WIDE 3
#ifndef ARC_PLATFORM
#define ARC_PLATFORM V2DSP
#endif
#define ARC_PLATFORM_STR "xymac"
#define MLI_PTR(type) type *
#define MLI_OUT_PTR(type) type *
#define MLI_CONV_OUT_PTR(type) type *
#if XYMAC_MLI_RELEASE >= 11
#define MLI_PTR_IS_XY 0
#define MLI_OUT_PTR_IS_XY 0
#define MLI_CONV_OUT_PTR_IS_XY 0
#endif

#endif
