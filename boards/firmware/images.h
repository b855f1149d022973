/* SPDX-License-Identifier: Apache-2.0 */
/* A network with images, each all inputs of a run, and the outputs that golden computes for them.
 *
 * An array is in the order of C, at a multiple of 4 bytes; inputs and outputs of an image follow
 * one another, and so do images. */
#ifndef XYMAC_FIRMWARE_IMAGES_H
#define XYMAC_FIRMWARE_IMAGES_H

#include "xymac_external.h"

#define IMAGES_ALIGN(bytes) (((bytes) + 3u) & ~3u)

extern const xymac_network *const images_network;   /* for a core without a DMA */
extern const xymac_external *const images_external; /* for a core with one */
extern const uint32_t images_count;
extern const uint32_t images_inputs[], images_outputs[];

#endif
