/* SPDX-License-Identifier: Apache-2.0 */
/* The network of images.h: run_network.c without a DMA, run_external.c with one. */
#ifndef XYMAC_FIRMWARE_RUN_H
#define XYMAC_FIRMWARE_RUN_H

#include "xymac_network.h"

/* Its name, inputs and outputs. */
const xymac_network *find_network(void);

/* Once before the first run. */
xymac_error load(const xymac_core *core);

/* Run on arrays of the inputs; the outputs go to other arrays. `cycles` are those of the core. */
xymac_error run(const xymac_core *core, const void *const *inputs, void *const *outputs,
                uint32_t *cycles);

/* More about an error of `load` or `run`, behind its text. */
void put_place(xymac_error error);

#endif
