/* SPDX-License-Identifier: Apache-2.0 */
/* A network that the processor loads and starts. */
#include "images.h"
#include "report.h"
#include "run.h"

static xymac_result result;

const xymac_network *find_network(void)
{
    return images_network;
}

xymac_error load(const xymac_core *core)
{
    return xymac_network_load(core, images_network);
}

xymac_error run(const xymac_core *core, const void *const *inputs, void *const *outputs,
                uint32_t *cycles)
{
    xymac_error error = xymac_network_run(core, images_network, inputs, outputs, &result);

    *cycles = result.counters[XYMAC_COUNTER_CYCLES];
    return error;
}

void put_place(xymac_error error)
{
    if (error == XYMAC_ERROR_FAULT)
        put_fault(&result);
}
