/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the network on every image; prints class, time, images a second, and whether the outputs are
 * those of the golden model. */
#include <string.h>

#include "console.h"
#include "core.h"
#include "images.h"
#include "report.h"
#include "run.h"

#define ENDS 8 /* inputs, and outputs, of a network at most */
#ifndef OUTPUT_BYTES
#define OUTPUT_BYTES 4096 /* of all outputs of an image at most */
#endif

#define ROUND 16 /* runs between lines: text takes the place of a run's code in the cache */

static uint32_t made[OUTPUT_BYTES / 4];
static image_run runs[ROUND];

static uint32_t size_of(const xymac_value *value)
{
    static const uint8_t SIZES[] = {1, 1, 2, 4, 4}; /* by XYMAC_INT8 and the others */

    return IMAGES_ALIGN(value->count * SIZES[value->type]);
}

/* Pointers to the inputs or outputs from `base` on, their number and the last; returns the bytes of
 * them all. */
static uint32_t find_ends(unsigned place, const uint8_t *base, const void **ends,
                          unsigned *count, const xymac_value **last)
{
    const xymac_network *network = find_network();
    uint32_t bytes = 0, number, index;

    for (number = 0; number < ENDS; number++)
        for (index = 0; index < network->value_count; index++) {
            const xymac_value *value = &network->values[index];
            if (value->place != place || value->number != number)
                continue;
            *last = value;
            *count = number + 1;
            ends[number] = base + bytes;
            bytes += size_of(value);
        }
    return bytes;
}

static uint32_t fail(xymac_error error)
{
    put_text(xymac_error_text(error));
    put_place(error);
    put_text("\n");
    return 1;
}

/* Run, and take the time; program.ld names this function. */
__attribute__((noinline)) xymac_error time_run(const xymac_core *core, const void *const *inputs,
                                               void *const *outputs, image_run *done)
{
    uint64_t begin = read_clock();
    xymac_error error = run(core, inputs, outputs, &done->core);

    done->cycles = read_clock() - begin;
    return error;
}

/* Lines about the last runs up to image `end`. */
static void put_runs(uint32_t end)
{
    uint32_t first = (end - 1) / ROUND * ROUND, number;

    for (number = first; number < end; number++)
        put_run(number, &runs[number - first]);
}

/* Run every image; returns how many outputs differ, or 1 after an error. */
static uint32_t run_images(const xymac_core *core)
{
    const void *inputs[ENDS], *outputs[ENDS];
    const xymac_value *input, *output = NULL;
    const uint8_t *next = (const uint8_t *)images_inputs, *wanted = (const uint8_t *)images_outputs;
    uint32_t number, differ = 0, size;
    unsigned count = 0, taken;
    uint64_t total = 0;
    xymac_error error;

    size = find_ends(XYMAC_IN_OUTPUT, (const uint8_t *)made, outputs, &count, &output);
    if (size > sizeof made) {
        put_text("the outputs are larger than OUTPUT_BYTES\n");
        return 1;
    }
    for (number = 0; number < images_count; wanted += size) {
        image_run *done = &runs[number % ROUND];

        next += find_ends(XYMAC_IN_INPUT, next, inputs, &taken, &input);
        error = time_run(core, inputs, (void *const *)outputs, done);
        if (error != XYMAC_OK) {
            if (number % ROUND)
                put_runs(number);
            return fail(error);
        }
        done->same = memcmp(made, wanted, size) == 0;
        done->class = class_of(output->type, output->count, outputs[count - 1]);
        differ += !done->same;
        total += done->cycles;
        if (++number % ROUND == 0 || number == images_count)
            put_runs(number);
    }
    put_total(images_count, differ, total);
    return differ;
}

int main(void)
{
    xymac_core core;
    xymac_error error;
    uint32_t differ;

    memset(&core, 0, sizeof core);
    open_bus(&core);
    error = xymac_open(&core);
    if (error == XYMAC_OK)
        error = load(&core);
    if (error == XYMAC_OK) {
        put_text(find_network()->name);
        put_text("\n");
        differ = run_images(&core);
    } else {
        differ = fail(error);
    }
    put_end(differ != 0);
    return 0;
}
