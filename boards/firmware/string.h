/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the C library that the driver and compilers call; a SoC has no C library. */
#ifndef XYMAC_FIRMWARE_STRING_H
#define XYMAC_FIRMWARE_STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int value, size_t count);
int memcmp(const void *first, const void *second, size_t count);

#endif
