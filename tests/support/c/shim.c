/* SPDX-License-Identifier: Apache-2.0 */
/* The word functions of the driver over the AXI4-Lite port of a core in sim/rtl/harness.cpp. */
#include <stdlib.h>
#include <string.h>

#include "xymac.h"

void *harness_create(void);
void harness_reset(void *harness);
uint64_t harness_transfer(void *harness, const uint64_t *requests, uint64_t *responses,
                          uint64_t count, uint64_t limit);
uint64_t harness_run(void *harness, uint64_t limit);
int harness_irq(void *harness);
void harness_connect(void *harness, uint8_t *data, uint64_t base, uint64_t bytes);

int xymac_bus_open(xymac_core *core);

#define LIMIT 100000 /* cycles of a transfer */
#define RUN 50000000 /* cycles of a program */
#define IMAGE 0x40000000u /* address of external memory */

static int transfer(void *harness, uint64_t request, uint32_t *word)
{
    uint64_t response = 0;

    if (harness_transfer(harness, &request, &response, 1, LIMIT) != 1)
        return 1;
    *word = (uint32_t)(response >> RESPONSE_DATA & 0xFFFFFFFFu);
    return (int)(response >> RESPONSE_ERROR & 1);
}

static int read_word(void *harness, uint32_t offset, uint32_t *word)
{
    return transfer(harness, (uint64_t)offset << REQUEST_ADDRESS, word);
}

static int write_word(void *harness, uint32_t offset, uint32_t word)
{
    uint32_t answer;

    return transfer(harness, (uint64_t)1 << REQUEST_WRITE | (uint64_t)offset << REQUEST_ADDRESS
                    | (uint64_t)word << REQUEST_DATA | (uint64_t)0xF << REQUEST_MASK, &answer);
}

static int wait_for_interrupt(void *harness)
{
    harness_run(harness, RUN);
    return !harness_irq(harness);
}

#ifdef DMA
static int map(void *harness, void *memory, uint32_t bytes, uint32_t *address)
{
    harness_connect(harness, (uint8_t *)memory, IMAGE, bytes);
    *address = IMAGE;
    return 0;
}
#endif

int xymac_bus_open(xymac_core *core)
{
    memset(core, 0, sizeof *core);
    core->context = harness_create();
    core->read = read_word;
    core->write = write_word;
#ifdef DMA
    core->map = map;
#endif
    if (getenv("XYMAC_INTERRUPT"))
        core->wait = wait_for_interrupt;
    harness_reset(core->context);
    return 0;
}
