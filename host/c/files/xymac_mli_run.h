/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of MLI that `xymac compile --calls` prepared, as calls.c has them. */
#ifndef XYMAC_MLI_RUN_H
#define XYMAC_MLI_RUN_H

#include "mli_api.h"
#include "xymac_network.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t rank; /* -1: there is none */
    uint32_t shape[MLI_MAX_RANK];
    int32_t type;
    uint32_t frac_bits;
    uint64_t hash; /* of the data of a constant, FNV-1a of 64 bits */
} xymac_mli_tensor;

typedef struct {
    const char *name;
    const xymac_mli_tensor *tensors;
    const int32_t *numbers;
    int32_t tensor_count, number_count;
    uint32_t overlaps;
    mli_status status;
    const char *reason;           /* of a status other than OK */
    const xymac_network *network; /* NULL where the status is not OK */
    int32_t inputs[XYMAC_MLI_INPUTS]; /* which tensors are the inputs of the network */
    xymac_mli_tensor result;
} xymac_mli_prepared;

extern const xymac_mli_prepared xymac_mli_calls[];
extern const uint32_t xymac_mli_call_count;

/* What went wrong with the core in the last call; XYMAC_OK if nothing. */
xymac_error xymac_mli_error(void);

/* Cycles of all calls so far. */
uint64_t xymac_mli_cycles(void);

/* Find the core, before the first call. Yours: fill in the functions of a xymac_core; 0 if done. */
int xymac_bus_open(xymac_core *core);

#ifdef __cplusplus
}
#endif
#endif
