/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver says of lists on a memory in place of a core. */
#include <stdio.h>
#include <string.h>

#include "xymac_external.h"

static uint32_t words[64], stops;

static int read_word(void *context, uint32_t offset, uint32_t *word)
{
    (void)context;
    *word = words[offset / 4];
    return 0;
}

static int write_word(void *context, uint32_t offset, uint32_t word)
{
    (void)context;
    words[offset / 4] = word;
    if (offset == XYMAC_REGISTER_CONTROL && word == XYMAC_CONTROL_STOP) {
        stops++;
        words[XYMAC_REGISTER_LIST_STATUS / 4] = XYMAC_STATE_FAULT << XYMAC_LIST_STATUS_STATE_AT
            | XYMAC_LIST_STATUS_STOPPED << XYMAC_LIST_STATUS_STATUS_AT
            | 3u << XYMAC_LIST_STATUS_ENTRY_AT;
    }
    return 0;
}

static int refuse(void *context, void *memory, uint32_t bytes, uint32_t *address)
{
    (void)context, (void)memory, (void)bytes;
    *address = 0;
    return 1;
}

static void say(const char *what, xymac_error error)
{
    printf("%s: %s\n", what, xymac_error_text(error));
}

int main(void)
{
    static uint8_t memory[64];
    xymac_image image = {memory, NULL, 0, NULL, 0};
    xymac_external external;
    xymac_list_result result;
    xymac_core core;

    memset(&core, 0, sizeof core);
    memset(&external, 0, sizeof external);
    core.read = read_word;
    core.write = write_word;
    core.polls = 3;
    external.image = &image, external.dma = 32, external.bytes = sizeof memory;
    say("no DMA", xymac_start_list(&core, 0, 64, 0));
    say("image, no DMA", xymac_external_load(&core, &external, NULL));
    core.features = 64u << XYMAC_FEATURES_DMA_AT;
    say("image, other DMA", xymac_external_load(&core, &external, NULL));
    external.dma = 64, core.map = refuse;
    say("image without an address", xymac_external_load(&core, &external, NULL));
    say("address", xymac_start_list(&core, 32, 64, 0));
    say("end", xymac_start_list(&core, 0xFFFFFFC0u, 65, 0));
    say("last address", xymac_start_list(&core, 0xFFFFFFC0u, 64, 0));
    say("list beyond", xymac_start_list(&core, 0, 64, 64));
    say("list", xymac_start_list(&core, 0, 64, 16));
    words[XYMAC_REGISTER_STATUS / 4] = XYMAC_STATE_BUSY;
    say("program", xymac_start_list(&core, 0, 64, 0));
    words[XYMAC_REGISTER_STATUS / 4] = XYMAC_STATE_IDLE;
    words[XYMAC_REGISTER_LIST_STATUS / 4] = XYMAC_STATE_BUSY;
    say("other list", xymac_start_list(&core, 0, 64, 0));
    say("finish", xymac_finish_list(&core, &result));
    say("wait", xymac_wait_list(&core));
    words[XYMAC_REGISTER_LIST / 4] = 32;
    say("then", xymac_finish_list(&core, &result));
    printf("%lu stop, list %lu, command %lu, %s, %s\n", (unsigned long)stops,
           (unsigned long)result.list, (unsigned long)result.entry,
           xymac_list_status_text(result.status), xymac_list_status_text(99));
    say("no result", xymac_finish_list(&core, NULL));
    return 0;
}
