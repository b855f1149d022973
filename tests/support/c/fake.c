/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver says of memories that are no core, or another one. */
#include <stdio.h>
#include <string.h>

#include "xymac_network.h"

static int read_word(void *words, uint32_t offset, uint32_t *word)
{
    if (words == NULL)
        return 1;
    *word = ((uint32_t *)words)[offset / 4];
    return 0;
}

static int write_word(void *words, uint32_t offset, uint32_t word)
{
    if (words == NULL)
        return 1;
    ((uint32_t *)words)[offset / 4] = word;
    return 0;
}

int main(void)
{
    static uint32_t words[(XYMAC_REGION_PLACES + 0x1000) / 4];
    uint32_t sum = 0, offset;
    const int16_t entries[2] = {0, 0};
    xymac_network network;
    xymac_core core;

    memset(&core, 0, sizeof core);
    memset(&network, 0, sizeof network);
    core.read = read_word;
    core.write = write_word;
    printf("nothing: %s\n", xymac_error_text(xymac_open(&core)));
    core.context = words;
    printf("memory: %s\n", xymac_error_text(xymac_open(&core)));
    words[XYMAC_REGISTER_IDENTITY / 4] = XYMAC_IDENTITY;
    words[XYMAC_REGISTER_VERSION / 4] = XYMAC_VERSION + 1;
    printf("later core: %s\n", xymac_error_text(xymac_open(&core)));
    words[XYMAC_REGISTER_VERSION / 4] = XYMAC_VERSION;
    words[XYMAC_REGISTER_GEOMETRY / 4] = 2 | 64 << 8;
    words[XYMAC_REGISTER_DIALECTS / 4] = 7 | XYMAC_ENGINE_MICROPROGRAM << 8;
    if (xymac_open(&core) != XYMAC_OK || core.ways != 2 || core.lanes != 8 || core.passes != 64
        || xymac_place_table(&core, XYMAC_TABLE_OWN0, 0, 2, 0) != XYMAC_ERROR_TABLES)
        return 1;
    printf("compact core: %s\n", xymac_error_text(xymac_write_table(&core, 0, entries, 2)));
    printf("other size: %s\n", xymac_error_text(xymac_network_load(&core, &network)));
    network.ways = 2, network.passes = 64, network.engine = core.engine;
    network.functions = 1u << XYMAC_OP_GATHER | 1u << XYMAC_OP_MAC;
    core.functions = 1u << XYMAC_OP_MAC;
    printf("other functions: %s\n", xymac_error_text(xymac_network_load(&core, &network)));
    core.features = 1u << XYMAC_FEATURES_TABLES_AT;
    if (xymac_load_tables(&core) != XYMAC_OK)
        return 1;
    for (offset = XYMAC_REGION_TABLES; offset < sizeof words; offset += 4)
        sum = 31 * sum + words[offset / 4];
    printf("tables: %lu\n", (unsigned long)sum);
    printf("error 99: %s\n", xymac_error_text((xymac_error)99));
    printf("status 99: %s\n", xymac_status_text(99));
    return 0;
}
