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
    unsigned index;

    for (index = 0; index < sizeof word; index++)
        bytes[index] = (uint8_t)(word >> 8 * index & 0xFFu);
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

static void flush(const xymac_external *external, uint32_t first, uint32_t count)
{
    uint32_t index;

    for (index = first; index < first + count; index++)
        xymac_cache_flush(external->image->memory + external->ranges[index].offset,
                          external->ranges[index].bytes);
}

static xymac_error run_list(const xymac_core *core, const xymac_external *external, uint32_t list,
                            xymac_list_result *result)
{
    if (result)
        memset(result, 0, sizeof *result);
    return xymac_run_list(core, external->image->address, external->bytes, list, result);
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

    TRY(xymac_network_load(&memory, external->before));
    flush(external, external->input_count + external->output_count, external->state_count);
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
    xymac_core memory = memory_of(core, external);
    uint32_t index;

    TRY(xymac_network_run(&memory, external->before, inputs, outputs, NULL));
    flush(external, 0, external->input_count);
    TRY(run_list(core, external, external->run, result));
    for (index = external->input_count; index < external->input_count + external->output_count;
         index++)
        xymac_cache_invalidate(external->image->memory + external->ranges[index].offset,
                               external->ranges[index].bytes);
    return xymac_network_run(&memory, external->after, inputs, outputs, NULL);
}
