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
static int read_memory(void *memory, uint32_t offset, uint32_t *word)
{
    const uint8_t *bytes = (const uint8_t *)memory + offset;

    *word = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16
        | (uint32_t)bytes[3] << 24;
    return 0;
}

static int write_memory(void *memory, uint32_t offset, uint32_t word)
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

    memory.read = read_memory;
    memory.write = write_memory;
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

/* Copy inputs that the core does not read where they lie, and flush all. */
static void write_inputs(const xymac_external *external, const void *const *inputs,
                         void *const *outputs)
{
    const xymac_range *range = external->ranges, *end = range + external->input_count;

    const void *const *placed = external->image->placed;

    for (; range < end; range++, placed++) {
        const xymac_value *value = range->array;
        uint8_t *memory = external->image->memory + range->offset;
        if (*placed) {
            xymac_cache_flush(*placed, range->bytes);
            continue;
        }
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
    const xymac_image *image = external->image;
    xymac_error error = xymac_start_list(core, image->address, image->window, list);

    if (result) /* while the core runs */
        memset(result, 0, sizeof *result);
    return error == XYMAC_OK ? xymac_end_list(core, result) : error;
}

/* The address of memory for the core; returns whether there is one. */
static int find_address(const xymac_core *core, const void *memory, uint32_t bytes,
                        uint32_t *address)
{
    if (core->map)
        return !core->map(core->context, (void *)memory, bytes, address);
    *address = (uint32_t)(uintptr_t)memory;
    return *address == (uintptr_t)memory;
}

/* Let the commands of an input load it from the byte `offset` behind the image's start on. */
static void set_loads(const xymac_external *external, const xymac_range *range, uint32_t offset)
{
    uint8_t *memory = external->image->memory;
    const xymac_load *load = range->loads, *end = load + range->load_count;

    for (; load < end; load++) {
        write_memory(memory, load->word, offset + load->first);
        xymac_cache_flush(memory + load->word, 4u);
    }
}

/* Inputs lie in the image. If its bytes were not copied, they may be those of an earlier program, whose
 * inputs lay elsewhere. */
static void reset_inputs(const xymac_external *external)
{
    xymac_image *image = external->image;
    const xymac_range *range = external->ranges;
    uint32_t index;

    image->window = external->bytes;
    for (index = 0; index < external->input_count; index++, range++) {
        image->placed[index] = NULL;
        if (!image->content)
            set_loads(external, range, range->offset);
    }
}

xymac_error xymac_external_input_at(const xymac_core *core, const xymac_external *external,
                                    uint32_t number, const void *data)
{
    xymac_image *image = external->image;
    const xymac_range *range = external->ranges, *end = range + external->input_count;
    uint32_t address, offset;

    for (; range < end; range++)
        if (range->load_count && range->array->number == number)
            break;
    if (range == end || (!XYMAC_LITTLE_ENDIAN && range->array->type == XYMAC_INT16))
        return XYMAC_ERROR_INPUT;
    offset = range->offset;
    if (data) {
        if (!find_address(core, data, range->bytes, &address) || address < image->address
            || (range->array->type == XYMAC_INT16 && address % 2u))
            return XYMAC_ERROR_ARRAY;
        offset = address - image->address;
        if (offset < external->bytes || range->bytes - 1u > UINT32_MAX - address)
            return XYMAC_ERROR_ARRAY;
        if (image->window < offset + range->bytes)
            image->window = offset + range->bytes;
    }
    image->placed[range - external->ranges] = data;
    set_loads(external, range, offset);
    return XYMAC_OK;
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
    if (!find_address(core, image->memory, external->bytes, &image->address))
        return XYMAC_ERROR_PLACE;
    if (image->content) {
        memcpy(image->memory, image->content, external->bytes);
        xymac_cache_flush(image->memory, external->bytes);
    }
    reset_inputs(external);
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
