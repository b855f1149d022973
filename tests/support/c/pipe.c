/* SPDX-License-Identifier: Apache-2.0 */
/* The word functions of the driver, and the hooks of a cache, over two pipes to golden_core.py: the
 * core sees the bytes that were flushed, the processor those that were invalidated, and no others. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "xymac_external.h"

int xymac_bus_open(xymac_core *core);

enum { READ, WRITE, MAP, FLUSH, INVALIDATE, WAIT };

static FILE *calls, *answers;
static uint8_t *place; /* of the image */
static uint32_t place_address;

static void call(uint32_t kind, uint32_t first, uint32_t second)
{
    uint32_t words[3];

    words[0] = kind, words[1] = first, words[2] = second;
    fwrite(words, sizeof words, 1, calls);
}

static int answer(void *data, uint32_t bytes)
{
    fflush(calls);
    return fread(data, 1, bytes, answers) != bytes;
}

static int read_word(void *context, uint32_t offset, uint32_t *word)
{
    (void)context;
    call(READ, offset, 0);
    return answer(word, sizeof *word);
}

static int write_word(void *context, uint32_t offset, uint32_t word)
{
    (void)context;
    call(WRITE, offset, word);
    return 0;
}

static int wait_for_interrupt(void *context)
{
    uint32_t raised;

    (void)context;
    call(WAIT, 0, 0);
    return answer(&raised, sizeof raised) || !raised;
}

static int map(void *context, void *memory, uint32_t bytes, uint32_t *address)
{
    (void)context;
#ifdef ONE_IMAGE /* and memory behind it */
    if (place && memory != place) {
        *address = place_address + (uint32_t)((uint8_t *)memory - place);
        return (uint8_t *)memory < place;
    }
#endif
    place = (uint8_t *)memory;
    call(MAP, bytes, 0);
    if (answer(address, sizeof *address))
        return 1;
    place_address = *address;
    return *address == 0;
}

void xymac_cache_flush(const void *memory, uint32_t bytes)
{
    call(FLUSH, (uint32_t)((const uint8_t *)memory - place), bytes);
    fwrite(memory, 1, bytes, calls);
}

void xymac_cache_invalidate(void *memory, uint32_t bytes)
{
    call(INVALIDATE, (uint32_t)((uint8_t *)memory - place), bytes);
    answer(memory, bytes);
}

int xymac_bus_open(xymac_core *core)
{
    calls = fopen(getenv("XYMAC_CALLS"), "wb");
    answers = fopen(getenv("XYMAC_ANSWERS"), "rb");
    memset(core, 0, sizeof *core);
    core->read = read_word;
    core->write = write_word;
    core->map = map;
    core->polls = 10;
#ifdef XYMAC_MEMORY
    core->map = NULL;
    place = (uint8_t *)mmap((void *)(uintptr_t)XYMAC_MEMORY, 1u << 20, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
#endif
    if (getenv("XYMAC_INTERRUPT"))
        core->wait = wait_for_interrupt;
    return calls == NULL || answers == NULL;
}
