/* SPDX-License-Identifier: Apache-2.0 */
/* Networks that `xymac compile --dma --c` writes: images in external memory, with command lists. */
#ifndef XYMAC_EXTERNAL_H
#define XYMAC_EXTERNAL_H

#include "xymac_network.h"

/* Version of the structures below; network.c is for this version. */
#define XYMAC_EXTERNAL_FORMAT 4

/* An array that begins at a multiple of 64 bytes, and a function that another file may replace:
 * define both yourself for a compiler that is neither GCC nor Clang. */
#ifndef XYMAC_ALIGNED
#define XYMAC_ALIGNED __attribute__((aligned(64)))
#endif
#ifndef XYMAC_WEAK
#define XYMAC_WEAK __attribute__((weak))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A command that loads an array from its byte `first` on, and the byte in the image at which it says
 * where they lie. */
typedef struct {
    uint32_t word, first;
} xymac_load;

/* Bytes of an image. */
typedef struct {
    uint32_t offset, bytes;
    const xymac_value *array; /* the value whose array they are, little-endian; NULL: see steps */
    uint8_t inverted;         /* bits that every byte of the array has inverted */
    const xymac_load *loads;  /* the commands that load the array, in order, if it may lie elsewhere */
    uint32_t load_count;
} xymac_range;

/* The place of an image. network.c sets it; a program may change it before xymac_external_load. */
typedef struct {
    uint8_t *memory;        /* for the processor; writable */
    const uint8_t *content; /* bytes that are copied to memory; NULL: they lie there already */
    uint32_t address;       /* for the core: xymac_external_load sets it */
    const void **placed;    /* inputs that lie elsewhere, see xymac_external_input_at; NULL: copied */
    uint32_t window;        /* bytes from the image on that the core may access */
} xymac_image;

typedef struct {
    const xymac_network *before, *after; /* steps on memory, before and after a list */
    xymac_image *image;
    uint32_t dma, bytes, load, run; /* data bits of the DMA; bytes of the image; both lists */
    const xymac_range *ranges;      /* values in the image: inputs, outputs, states */
    uint32_t input_count, output_count, state_count;
} xymac_external;

/* Hooks for a cache between processor and memory; empty until a file of yours defines functions of
 * the same names. The driver calls `flush` with bytes that the processor has written, before a list
 * starts: write the cache lines back. It calls `invalidate` with bytes that the core has written,
 * after a list has ended: drop the cache lines. A processor that reorders accesses to memory and
 * registers needs a barrier in both. */
void xymac_cache_flush(const void *memory, uint32_t bytes);
void xymac_cache_invalidate(void *memory, uint32_t bytes);

/* Put the image in place and run its list `load`: once before the first run, after another image on
 * the same core, and after any error. States get their initial values. A result may be NULL. */
xymac_error xymac_external_load(const xymac_core *core, const xymac_external *external,
                                xymac_list_result *result);

/* As xymac_network_run, by the list `run`. */
xymac_error xymac_external_run(const xymac_core *core, const xymac_external *external,
                               const void *const *inputs, void *const *outputs,
                               xymac_list_result *result);

/* From now on the core reads an input at `data`, its array in the order of C, and the driver copies it
 * no more; NULL: into the image again. A few words change, so a call before each run costs little.
 * Runs still take `data` among their inputs, and flush it. The array must lie at a higher address than
 * the image, at a multiple of its elements' size, else XYMAC_ERROR_ARRAY; a multiple of 64 is as fast
 * as a copy. XYMAC_ERROR_INPUT: only a copy has the form that the core needs. xymac_external_load
 * undoes the call. */
xymac_error xymac_external_input_at(const xymac_core *core, const xymac_external *external,
                                    uint32_t number, const void *data);

/* Give states their initial values. */
xymac_error xymac_external_reset(const xymac_core *core, const xymac_external *external);

#ifdef __cplusplus
}
#endif
#endif
