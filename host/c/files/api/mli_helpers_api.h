/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of embARC MLI 1.x. */
#ifndef XYMAC_MLI_HELPERS_API_H
#define XYMAC_MLI_HELPERS_API_H

#include "mli_types.h"

#ifdef __cplusplus
extern "C" {
#endif

uint32_t mli_hlp_count_elem_num(const mli_tensor *in, uint32_t start_dim);
uint32_t mli_hlp_tensor_element_size(const mli_tensor *in);
mli_status mli_hlp_convert_tensor(mli_tensor *in, mli_tensor *out);
mli_status mli_hlp_point_to_subtensor(const mli_tensor *in, const mli_point_to_subtsr_cfg *cfg,
                                      mli_tensor *out);
#if XYMAC_MLI_RELEASE >= 11
mli_status mli_hlp_create_subtensor(const mli_tensor *in, const mli_sub_tensor_cfg *cfg,
                                    mli_tensor *out);
uint32_t mli_hlp_tensor_scale_shift(const mli_tensor *in);
int32_t mli_hlp_tensor_scale(const mli_tensor *in, const uint32_t scale_idx);
#endif

#ifdef __cplusplus
}
#endif
#endif
