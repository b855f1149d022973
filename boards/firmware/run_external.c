/* SPDX-License-Identifier: Apache-2.0 */
/* A network in main RAM, whose command lists the core fetches. */
#include "console.h"
#include "images.h"
#include "report.h"
#include "run.h"

static xymac_list_result result;

const xymac_network *find_network(void)
{
    return images_external->before;
}

xymac_error load(const xymac_core *core)
{
    return xymac_external_load(core, images_external, &result);
}

/* Inputs that the core can read where they lie are not copied; program.ld places them behind the image. */
xymac_error run(const xymac_core *core, const void *const *inputs, void *const *outputs,
                uint32_t *cycles)
{
    const xymac_range *range = images_external->ranges, *end = range + images_external->input_count;
    xymac_error error;

    for (; range < end; range++)
        if (range->load_count)
            (void)xymac_external_input_at(core, images_external, range->array->number,
                                          inputs[range->array->number]);
    error = xymac_external_run(core, images_external, inputs, outputs, &result);
    *cycles = result.program.counters[XYMAC_COUNTER_CYCLES];
    return error;
}

void put_place(xymac_error error)
{
    if (error != XYMAC_ERROR_LIST)
        return;
    put_text(", command ");
    put_number(result.entry);
    put_text(" of the list at byte ");
    put_number(result.list);
    put_text(": ");
    put_text(xymac_list_status_text(result.status));
    if (result.status == XYMAC_LIST_STATUS_PROGRAM)
        put_fault(&result.program);
}
