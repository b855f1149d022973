/* SPDX-License-Identifier: Apache-2.0 */
/* Start the command lists of an image in external memory: see xymac_image.h. */
#include "xymac_image.h"

#define REGISTER(core, name) ((core)[XYMAC_IMAGE_##name / 4u])

void xymac_image_start(volatile uint32_t *core, uint32_t base, uint32_t list)
{
    REGISTER(core, BASE) = base;
    REGISTER(core, SIZE) = XYMAC_IMAGE_BYTES;
    REGISTER(core, LIST) = list;
    REGISTER(core, IRQ_MASK) = 1u;
    REGISTER(core, CONTROL) = XYMAC_IMAGE_START;
}

int xymac_image_ended(volatile uint32_t *core)
{
    return (REGISTER(core, LIST_STATUS) & 0xFu) != XYMAC_IMAGE_BUSY;
}

uint32_t xymac_image_finish(volatile uint32_t *core)
{
    uint32_t status = REGISTER(core, LIST_STATUS);

    REGISTER(core, CONTROL) = XYMAC_IMAGE_CLEAR;
    return (status & 0xFFu) == XYMAC_IMAGE_DONE ? 0u : status;
}
