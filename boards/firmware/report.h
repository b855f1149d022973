/* SPDX-License-Identifier: Apache-2.0 */
/* Lines about the runs of a network. */
#ifndef XYMAC_FIRMWARE_REPORT_H
#define XYMAC_FIRMWARE_REPORT_H

#include "xymac_network.h"

/* The only element of an array of 32 bits, as ARG_MAX gives it, else the index of the highest
 * element; `type` is one of xymac_network.h. */
uint32_t class_of(unsigned type, uint32_t count, const void *data);

/* A run: cycles of the core, and from the input to the output in memory. */
typedef struct {
    uint64_t cycles;
    uint32_t core, class;
    int same; /* whether the outputs are golden's */
} image_run;

void put_run(uint32_t number, const image_run *run);

/* All runs, and the sum of their cycles. */
void put_total(uint32_t count, uint32_t differ, uint64_t cycles);

/* The pass that stopped a program, at the end of a line about an error. */
void put_fault(const xymac_result *result);

#endif
