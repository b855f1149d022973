/* SPDX-License-Identifier: Apache-2.0 */
/* What the host computes of a network, exactly as the golden model: for xymac_network.c. */
#ifndef XYMAC_EDGES_H
#define XYMAC_EDGES_H

#include "xymac_network.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An element of an array of a type of integers. Of a value of 8 or 16 bits that is set only these
 * low bits count. */
int32_t xymac_get_element(const void *data, uint8_t type, int32_t index);
void xymac_set_element(void *data, uint8_t type, int32_t index, int32_t value);

/* Floating point divided by the scale, rounded, halves away from zero, and limited;
 * XYMAC_ERROR_VALUE for what is no number, or 2**31 steps or more. */
xymac_error xymac_quantise(const xymac_scale *scale, const xymac_value *from, const float *data,
                           const xymac_value *to, void *result);

/* Integers of 32 bits to elements of another scale, rounded twice. */
void xymac_requantise(const xymac_scale *scale, const xymac_value *from, const void *data,
                      const xymac_value *to, void *result);

/* What elements stand for. */
void xymac_dequantise(const xymac_scale *scale, const xymac_value *from, const void *data,
                      float *result);

#ifdef __cplusplus
}
#endif
#endif
