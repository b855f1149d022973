/* SPDX-License-Identifier: Apache-2.0 */
/* memcpy and its relatives, a word at a time where all addresses are multiples of a word; compiled so
 * that no loop becomes a call of itself. */
#include "string.h"

#include <stdint.h>

#define WORD sizeof(word)

typedef uint32_t __attribute__((may_alias)) word;

static int has_words(const void *first, const void *second)
{
    return ((uintptr_t)first | (uintptr_t)second) % WORD == 0;
}

void *memcpy(void *to, const void *from, size_t count)
{
    uint8_t *target = to;
    const uint8_t *source = from;

    if (has_words(to, from))
        for (; count >= WORD; count -= WORD, target += WORD, source += WORD)
            *(word *)target = *(const word *)source;
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
    word all = (uint8_t)value * 0x01010101u;

    if (has_words(to, to))
        for (; count >= WORD; count -= WORD, target += WORD)
            *(word *)target = all;
    while (count--)
        *target++ = (uint8_t)value;
    return to;
}

int memcmp(const void *first, const void *second, size_t count)
{
    const uint8_t *left = first, *right = second;

    if (has_words(first, second))
        for (; count >= WORD && *(const word *)left == *(const word *)right; count -= WORD)
            left += WORD, right += WORD;
    for (; count; count--, left++, right++)
        if (*left != *right)
            return *left - *right;
    return 0;
}
