/* SPDX-License-Identifier: Apache-2.0 */
/* The two functions that a freestanding C compiler needs, too: memcpy and memset. */
#ifndef XYMAC_MEMORY_H
#define XYMAC_MEMORY_H

#include <stddef.h>

#if defined(__STDC_HOSTED__) && __STDC_HOSTED__
#include <string.h>
#else
#ifdef __cplusplus
extern "C" {
#endif
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
#ifdef __cplusplus
}
#endif
#endif

#endif
