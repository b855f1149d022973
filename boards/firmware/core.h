/* SPDX-License-Identifier: Apache-2.0 */
/* The core of a LiteX system for the driver in C, with its interrupt. */
#ifndef XYMAC_FIRMWARE_CORE_H
#define XYMAC_FIRMWARE_CORE_H

#include "xymac.h"

/* Fill in how the core is reached, and let interrupts come; then call xymac_open. */
void open_bus(xymac_core *core);

/* Cycles of the system since its reset. */
uint64_t read_clock(void);

#endif
