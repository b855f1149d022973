/* SPDX-License-Identifier: Apache-2.0 */
/* Lines about the runs of a network. */
#ifndef XYMAC_FIRMWARE_REPORT_H
#define XYMAC_FIRMWARE_REPORT_H

#include "xymac_network.h"

/* Index of the highest element of an array; `type` is one of xymac_network.h. */
uint32_t class_of(unsigned type, uint32_t count, const void *data);

/* A run: cycles of the core, and from the input to the output in memory. */
void put_run(uint32_t number, uint32_t class, uint32_t core, uint64_t cycles, int same);

/* All runs, and the sum of their cycles. */
void put_total(uint32_t count, uint32_t differ, uint64_t cycles);

/* The pass that stopped a program, at the end of a line about an error. */
void put_fault(const xymac_result *result);

#endif
