/* SPDX-License-Identifier: Apache-2.0 */
/* Networks in external memory: see xymac_external.h. */
#include "xymac_external.h"

#include "xymac_memory.h"

#define FIELD(name, word) ((word) >> XYMAC_##name##_AT & XYMAC_##name##_MASK)

/* Hand on an error of what is called. */
#define TRY(call)                   \
    do {                            \
        xymac_error failed = call;  \
        if (failed != XYMAC_OK)     \
            return failed;          \
    } while (0)

/* Whether the lower byte of a number comes first: compilers know the answer. */
#ifndef XYMAC_LITTLE_ENDIAN
#define XYMAC_LITTLE_ENDIAN is_little_endian()
static int is_little_endian(void)
{
    const uint16_t one = 1;

    return *(const uint8_t *)&one;
}
#endif

XYMAC_WEAK void xymac_cache_flush(const void *memory, uint32_t bytes)
{
    (void)memory;
    (void)bytes;
}

XYMAC_WEAK void xymac_cache_invalidate(void *memory, uint32_t bytes)
{
    (void)memory;
    (void)bytes;
}

/* A word of the image, little-endian for every processor. */
static int read_word(void *memory, uint32_t offset, uint32_t *word)
{
    const uint8_t *bytes = (const uint8_t *)memory + offset;

    *word = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16
        | (uint32_t)bytes[3] << 24;
    return 0;
}

static int write_word(void *memory, uint32_t offset, uint32_t word)
{
    uint8_t *bytes = (uint8_t *)memory + offset;

    bytes[0] = (uint8_t)(word & 0xFFu);
    bytes[1] = (uint8_t)(word >> 8 & 0xFFu);
    bytes[2] = (uint8_t)(word >> 16 & 0xFFu);
    bytes[3] = (uint8_t)(word >> 24);
    return 0;
}

/* The core with its memory in place of its registers: for steps that move values. */
static xymac_core memory_of(const xymac_core *core, const xymac_external *external)
{
    xymac_core memory = *core;

    memory.read = read_word;
    memory.write = write_word;
    memory.context = external->image->memory;
    return memory;
}

/* Copy a whole array between a value and the image, in either direction. */
static void copy_array(void *to, const void *from, const xymac_range *range)
{
    uint32_t swap = !XYMAC_LITTLE_ENDIAN && range->array->type == XYMAC_INT16, index;

    if (!swap && !range->inverted) {
        memcpy(to, from, range->bytes);
        return;
    }
    for (index = 0; index < range->bytes; index++)
        ((uint8_t *)to)[index] =
            (uint8_t)(((const uint8_t *)from)[index ^ swap] ^ range->inverted);
}

static void *data_of(const xymac_value *value, void *const *outputs)
{
    return value->place == XYMAC_IN_OUTPUT ? outputs[value->number] : value->buffer;
}

/* Copy inputs, and flush all that lie in the image. */
static void write_inputs(const xymac_external *external, const void *const *inputs,
                         void *const *outputs)
{
    const xymac_range *range = external->ranges, *end = range + external->input_count;

    for (; range < end; range++) {
        const xymac_value *value = range->array;
        uint8_t *memory = external->image->memory + range->offset;
        if (value)
            copy_array(memory, value->place == XYMAC_IN_INPUT ? inputs[value->number]
                                                              : data_of(value, outputs), range);
        xymac_cache_flush(memory, range->bytes);
    }
}

static void read_outputs(const xymac_external *external, void *const *outputs)
{
    const xymac_range *range = external->ranges + external->input_count;
    const xymac_range *end = range + external->output_count;

    for (; range < end; range++) {
        const xymac_value *value = range->array;
        uint8_t *memory = external->image->memory + range->offset;
        xymac_cache_invalidate(memory, range->bytes);
        if (value)
            copy_array(data_of(value, outputs), memory, range);
    }
}

/* Do steps on memory. */
static xymac_error run_steps(const xymac_core *core, const xymac_external *external,
                             const xymac_network *steps, const void *const *inputs,
                             void *const *outputs)
{
    xymac_core memory = memory_of(core, external);

    return xymac_network_run(&memory, steps, inputs, outputs, NULL);
}

static xymac_error run_list(const xymac_core *core, const xymac_external *external, uint32_t list,
                            xymac_list_result *result)
{
    xymac_error error = xymac_start_list(core, external->image->address, external->bytes, list);

    if (result) /* while the core runs */
        memset(result, 0, sizeof *result);
    return error == XYMAC_OK ? xymac_end_list(core, result) : error;
}

/* The address of the image for the core. */
static xymac_error find_address(const xymac_core *core, const xymac_external *external)
{
    xymac_image *image = external->image;
    uintptr_t memory = (uintptr_t)image->memory;

    if (core->map)
        return core->map(core->context, image->memory, external->bytes, &image->address)
            ? XYMAC_ERROR_PLACE : XYMAC_OK;
    image->address = (uint32_t)memory;
    return image->address == memory ? XYMAC_OK : XYMAC_ERROR_PLACE;
}

xymac_error xymac_external_reset(const xymac_core *core, const xymac_external *external)
{
    xymac_core memory = memory_of(core, external);
    const xymac_range *range = external->ranges + external->input_count + external->output_count;
    const xymac_range *end = range + external->state_count;

    TRY(xymac_network_load(&memory, external->before));
    for (; range < end; range++)
        xymac_cache_flush(external->image->memory + range->offset, range->bytes);
    return XYMAC_OK;
}

xymac_error xymac_external_load(const xymac_core *core, const xymac_external *external,
                                xymac_list_result *result)
{
    xymac_image *image = external->image;

    if (FIELD(FEATURES_DMA, core->features) != external->dma)
        return XYMAC_ERROR_DMA;
    TRY(find_address(core, external));
    if (image->content) {
        memcpy(image->memory, image->content, external->bytes);
        xymac_cache_flush(image->memory, external->bytes);
    }
    TRY(xymac_external_reset(core, external));
    return run_list(core, external, external->load, result);
}

xymac_error xymac_external_run(const xymac_core *core, const xymac_external *external,
                               const void *const *inputs, void *const *outputs,
                               xymac_list_result *result)
{
    if (external->before->run_count)
        TRY(run_steps(core, external, external->before, inputs, outputs));
    write_inputs(external, inputs, outputs);
    TRY(run_list(core, external, external->run, result));
    read_outputs(external, outputs);
    return external->after->run_count
        ? run_steps(core, external, external->after, inputs, outputs) : XYMAC_OK;
}
