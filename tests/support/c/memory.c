/* SPDX-License-Identifier: Apache-2.0 */
/* A network on a memory in place of a core, which is always done: writes X to stdout, word by word. */
#include <stdio.h>
#include <string.h>

#include "network.h"

static uint32_t words[1u << 20];

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
    return 0;
}

static int8_t input[INPUT_COUNT], output[OUTPUT_COUNT];

int main(void)
{
    const void *inputs[] = {input};
    void *outputs[] = {output};
    xymac_core core;

    memset(&core, 0, sizeof core);
    core.read = read_word;
    core.write = write_word;
    core.ways = NETWORK.ways, core.passes = NETWORK.passes, core.engine = NETWORK.engine;
    core.functions = NETWORK.functions;
    core.x_rows = NETWORK.x_rows, core.y_rows = NETWORK.y_rows;
    words[XYMAC_REGISTER_STATUS / 4] = XYMAC_STATE_DONE;
    if (fread(input, 1, sizeof input, stdin) != sizeof input
        || xymac_network_load(&core, &NETWORK) != XYMAC_OK
        || xymac_network_run(&core, &NETWORK, inputs, outputs, NULL) != XYMAC_OK)
        return 1;
    return fwrite(&words[XYMAC_REGION_X / 4], 4, X_WORDS, stdout) != X_WORDS;
}
