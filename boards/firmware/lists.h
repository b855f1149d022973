/* SPDX-License-Identifier: Apache-2.0 */
/* A network as an image with command lists for a core with a DMA, with inputs, and the outputs that
 * golden computes for them.
 *
 * An input is the block that is copied to its place in the image, a multiple of 4 bytes long. */
#ifndef XYMAC_FIRMWARE_LISTS_H
#define XYMAC_FIRMWARE_LISTS_H

#include <stdint.h>

typedef struct {
    uint32_t offset, bytes; /* in the image */
} lists_place;

extern const char lists_name[];
extern uint32_t lists_image[];
extern const uint32_t lists_size, lists_load, lists_run;       /* bytes */
extern const lists_place lists_inputs[], lists_outputs[];
extern const uint32_t lists_input_count, lists_output_count, lists_count; /* of a run; runs */
extern const uint32_t lists_type, lists_elements;               /* of the last output */
extern const uint32_t lists_given[], lists_wanted[];            /* blocks of all runs */

#endif
