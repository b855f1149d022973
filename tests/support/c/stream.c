/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a network on every input that comes on stdin and writes its outputs to stdout, byte by byte;
 * cycles and what went wrong on stderr. With an argument states are reset before every input. With
 * PLACED the core reads inputs from that address on in every other run, elsewhere in each, if it can. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "network.h"

#define ENDS 32

#ifdef EXTERNAL /* a network that is an image in external memory */
#define VALUES NETWORK.before
#define LOAD(core) xymac_external_load(core, &NETWORK, NULL)
#define RESET(core) xymac_external_reset(core, &NETWORK)
#define RUN xymac_external_run
#define COUNTERS result.program.counters
typedef xymac_list_result network_result;
#else
#define VALUES (&NETWORK)
#define LOAD(core) xymac_network_load(core, &NETWORK)
#define RESET(core) xymac_network_reset(&NETWORK)
#define RUN xymac_network_run
#define COUNTERS result.counters
typedef xymac_result network_result;
#endif

int xymac_bus_open(xymac_core *core);

static const uint32_t SIZES[] = {1, 1, 2, 4, 4};

static int fail(xymac_error error)
{
    fprintf(stderr, "%s\n", xymac_error_text(error));
    return 2;
}

#ifdef PLACED
/* Move the inputs of a run; a copy instead in every other run. */
static xymac_error place(const xymac_core *core, const void **inputs, void **from,
                         const uint32_t *sizes, uint32_t count)
{
    static uint32_t turn;
    uint8_t *next = (uint8_t *)(uintptr_t)PLACED + turn % 4 * 0x2002;
    uint32_t index;

    for (index = 0; index < count; index++, next += 0x8000) {
        int moves = turn % 2 == 0;
        xymac_error error = xymac_external_input_at(core, &NETWORK, index, moves ? next : NULL);
        inputs[index] = from[index];
        if (error == XYMAC_ERROR_INPUT)
            continue;
        if (error != XYMAC_OK)
            return error;
        fprintf(stderr, "placed\n");
        if (moves)
            inputs[index] = memcpy(next, from[index], sizes[index]);
    }
    turn++;
    return XYMAC_OK;
}
#endif

int main(int count, char **arguments)
{
    const xymac_network *network = VALUES;
    const void *inputs[ENDS];
    void *ends[2][ENDS];
    uint32_t sizes[2][ENDS], numbers[2] = {0, 0}, index;
    xymac_core core;
    network_result result;
    xymac_error error;

    (void)arguments;
    for (index = 0; index < network->value_count; index++) {
        const xymac_value *value = &network->values[index];
        int which = value->place == XYMAC_IN_OUTPUT;
        if (value->place == XYMAC_IN_BUFFER)
            continue;
        sizes[which][value->number] = value->count * SIZES[value->type];
        ends[which][value->number] = malloc(sizes[which][value->number]);
        if (!which)
            inputs[value->number] = ends[which][value->number];
        numbers[which]++;
    }
    if (xymac_bus_open(&core) || (error = xymac_open(&core)) != XYMAC_OK)
        return fail(XYMAC_ERROR_BUS);
    if ((error = LOAD(&core)) != XYMAC_OK)
        return fail(error);
    for (;;) {
        for (index = 0; index < numbers[0]; index++)
            if (fread(ends[0][index], 1, sizes[0][index], stdin) != sizes[0][index])
                return 0;
        if (count > 1)
            RESET(&core);
#ifdef PLACED
        if ((error = place(&core, inputs, ends[0], sizes[0], numbers[0])) != XYMAC_OK)
            return fail(error);
#endif
        if ((error = RUN(&core, &NETWORK, inputs, ends[1], &result)) != XYMAC_OK)
            return fail(error);
        fprintf(stderr, "%lu cycles\n",
                (unsigned long)COUNTERS[XYMAC_COUNTER_CYCLES]);
        for (index = 0; index < numbers[1]; index++)
            fwrite(ends[1][index], 1, sizes[1][index], stdout);
    }
}
