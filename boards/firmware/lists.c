/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the command lists of a network on every input, out of main RAM; prints as main.c does. */
#include <string.h>
#include <system.h>

#include "console.h"
#include "core.h"
#include "lists.h"
#include "report.h"

#define PADDED(bytes) (((bytes) + 3u) & ~3u)
#define FIELD(name, word) \
    ((word) >> XYMAC_LIST_STATUS_##name##_AT & XYMAC_LIST_STATUS_##name##_MASK)

/* Start a list and wait for its interrupt; returns LIST_STATUS. */
static uint32_t run_list(xymac_core *core, uint32_t list, uint32_t *cycles)
{
    uint32_t status = 0;

    core->write(core->context, XYMAC_REGISTER_BASE, (uint32_t)(uintptr_t)lists_image);
    core->write(core->context, XYMAC_REGISTER_SIZE, lists_size);
    core->write(core->context, XYMAC_REGISTER_LIST, list);
    core->write(core->context, XYMAC_REGISTER_IRQ_MASK, 1);
    core->write(core->context, XYMAC_REGISTER_CONTROL, XYMAC_CONTROL_LIST);
    core->wait(core->context);
    core->read(core->context, XYMAC_REGISTER_LIST_STATUS, &status);
    core->read(core->context, XYMAC_REGISTER_CYCLES, cycles);
    core->write(core->context, XYMAC_REGISTER_CONTROL, XYMAC_CONTROL_CLEAR);
    flush_cpu_dcache();
    return status;
}

static int has_failed(uint32_t status)
{
    if (FIELD(STATE, status) == XYMAC_STATE_DONE)
        return 0;
    put_text("the list stopped with status ");
    put_number(FIELD(STATUS, status));
    put_text(" at command ");
    put_number(FIELD(ENTRY, status));
    put_text("\n");
    return 1;
}

static const uint8_t *put_inputs(const uint8_t *given)
{
    uint32_t index;

    for (index = 0; index < lists_input_count; index++) {
        const lists_place *place = &lists_inputs[index];
        memcpy((uint8_t *)lists_image + place->offset, given, place->bytes);
        given += PADDED(place->bytes);
    }
    return given;
}

/* Compare all outputs; returns where those of the next run lie. */
static const uint8_t *compare_outputs(const uint8_t *wanted, int *same)
{
    uint32_t index;

    for (index = 0, *same = 1; index < lists_output_count; index++) {
        const lists_place *place = &lists_outputs[index];
        *same &= memcmp((uint8_t *)lists_image + place->offset, wanted, place->bytes) == 0;
        wanted += PADDED(place->bytes);
    }
    return wanted;
}

static uint32_t run_images(xymac_core *core)
{
    const uint8_t *given = (const uint8_t *)lists_given, *wanted = (const uint8_t *)lists_wanted;
    const void *last = (uint8_t *)lists_image + lists_outputs[lists_output_count - 1].offset;
    uint32_t number, cycles, differ = 0;
    uint64_t total = 0;

    for (number = 0; number < lists_count; number++) {
        uint64_t begin = read_clock();
        int same;

        given = put_inputs(given);
        if (has_failed(run_list(core, lists_run, &cycles)))
            return 1;
        begin = read_clock() - begin;
        total += begin;
        wanted = compare_outputs(wanted, &same);
        differ += !same;
        put_run(number, class_of(lists_type, lists_elements, last), cycles, begin, same);
    }
    put_total(lists_count, differ, total);
    return differ;
}

int main(void)
{
    xymac_core core;
    xymac_error error;
    uint32_t cycles, differ = 1;

    memset(&core, 0, sizeof core);
    open_bus(&core);
    error = xymac_open(&core);
    if (error != XYMAC_OK) {
        put_text(xymac_error_text(error));
        put_text("\n");
    } else if (!has_failed(run_list(&core, lists_load, &cycles))) {
        put_text(lists_name);
        put_text("\n");
        differ = run_images(&core);
    }
    put_end(differ != 0);
    return 0;
}
