/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of embARC MLI 1.x on the xymac core, under the names of the release's headers.
 *
 * A program is linked twice: with xymac_mli_record.c, for `xymac compile --calls PROGRAM -o DIR`,
 * which runs the program and prepares every call; then with xymac_mli_run.c, the driver and
 * DIR/calls.c, for the core. The core executes a call if a call with the same function,
 * configuration, shapes, types, fractional bits and constants (data of weights, biases and slopes)
 * was prepared. Otherwise the status tells the first difference from the nearest prepared call:
 *
 *     MLI_STATUS_NOT_SUPPORTED         no call of the function was prepared, or the core failed
 *     MLI_STATUS_SHAPE_MISMATCH        no call with these shapes
 *     MLI_STATUS_TYPE_MISMATCH         no call with these element types
 *     MLI_STATUS_INCOMPATEBLE_TENSORS  no call with these fractional bits
 *     MLI_STATUS_BAD_FUNC_CFG          no call with this configuration
 *     MLI_STATUS_SPEC_PARAM_MISMATCH   no call with these constants
 *     MLI_STATUS_BAD_TENSOR            no call whose tensors share memory in this way; or elements
 *                                      of a tensor lie at no multiple of their size
 *     MLI_STATUS_NOT_ENGH_MEM          the memory of the output or of another tensor is too small
 */
#ifndef XYMAC_MLI_API_H
#define XYMAC_MLI_API_H

#include "mli_config.h"
#include "mli_types.h"
#include "api/mli_helpers_api.h"
#include "api/mli_kernels_api.h"
#include "api/mli_krn_avepool_spec_api.h"
#include "api/mli_krn_conv2d_spec_api.h"
#include "api/mli_krn_depthwise_conv2d_spec_api.h"
#include "api/mli_krn_maxpool_spec_api.h"
#if XYMAC_MLI_RELEASE >= 11
#include "api/mli_mov_api.h"
#endif

#endif
