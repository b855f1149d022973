/* SPDX-License-Identifier: Apache-2.0 */
/* memcpy and its relatives, a byte at a time; compiled so that no loop becomes a call of itself. */
#include "string.h"

#include <stdint.h>

void *memcpy(void *to, const void *from, size_t count)
{
    uint8_t *target = to;
    const uint8_t *source = from;

    while (count--)
        *target++ = *source++;
    return to;
}

void *memmove(void *to, const void *from, size_t count)
{
    uint8_t *target = to;
    const uint8_t *source = from;

    if (target < source)
        return memcpy(to, from, count);
    while (count--)
        target[count] = source[count];
    return to;
}

void *memset(void *to, int value, size_t count)
{
    uint8_t *target = to;

    while (count--)
        *target++ = (uint8_t)value;
    return to;
}

int memcmp(const void *first, const void *second, size_t count)
{
    const uint8_t *left = first, *right = second;

    for (; count; count--, left++, right++)
        if (*left != *right)
            return *left - *right;
    return 0;
}
