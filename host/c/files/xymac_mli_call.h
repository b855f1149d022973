/* SPDX-License-Identifier: Apache-2.0 */
/* A call of a function of MLI, whatever its arguments: between xymac_mli.c and what does calls. */
#ifndef XYMAC_MLI_CALL_H
#define XYMAC_MLI_CALL_H

#include "mli_api.h"

#ifdef __cplusplus
extern "C" {
#endif

#define XYMAC_MLI_TENSORS (XYMAC_MLI_INPUTS + 1)
#define XYMAC_MLI_NUMBERS 9
#define XYMAC_MLI_NO_CFG (-1) /* as the count of numbers: the configuration is missing */

typedef struct {
    const char *name;
    int32_t tensor_count, number_count;
    /* In the order of the arguments, out among them, then ir_tsr of a cell; NULL where one is. */
    const mli_tensor *tensors[XYMAC_MLI_TENSORS];
    int32_t numbers[XYMAC_MLI_NUMBERS]; /* of the configuration, in the order of its fields */
    mli_tensor *out, *cell;
    int32_t out_index;
    uint32_t constants; /* bit n: tensor n is part of what is prepared */
    int formatted;      /* the fractional bits of out, of a conversion its type, too, are given */
} xymac_mli_call;

/* Do a call: xymac_mli_record.c or xymac_mli_run.c. A refused call has its reason on the standard
 * error output of a hosted program, behind the flushed standard output. */
mli_status xymac_mli_do(const xymac_mli_call *call);

/* The status, with the reason on the standard error output of a hosted program. */
mli_status xymac_mli_refuse(const char *name, mli_status status, const char *reason);

/* Most bytes of an input: release mode does not read its capacity. */
#define XYMAC_MLI_LIMIT(tensor) \
    (MLI_DEBUG_MODE == DBG_MODE_RELEASE ? (uint64_t)UINT32_MAX : (tensor)->capacity)

/* The stride that a tensor gives itself, 0 for none. */
#if XYMAC_MLI_RELEASE >= 11
#define XYMAC_MLI_OWN_STRIDE(tensor, axis) ((tensor)->mem_stride[axis])
#else
#define XYMAC_MLI_OWN_STRIDE(tensor, axis) ((void)(tensor), (void)(axis), 0)
#endif

/* MLI_STATUS_OK; MLI_STATUS_NOT_SUPPORTED if elements of an input lie apart,
 * MLI_STATUS_BAD_TENSOR if they lie at no multiple of their size. */
mli_status xymac_mli_check_inputs(const xymac_mli_call *call);

/* The same of out, which gets this shape and element type. */
mli_status xymac_mli_check_out(const xymac_mli_call *call, const uint32_t *shape, uint32_t rank,
                               int32_t type);

/* A product; UINT64_MAX if a factor has more than 32 bits, except 0 times it. */
uint64_t xymac_mli_times(uint64_t count, uint64_t size);

/* Elements from one index of a dimension to the next, as xymac_mli_times counts them. */
uint64_t xymac_mli_stride(const mli_tensor *tensor, uint32_t axis);

/* Whether two elements lie at one place, of a tensor with at most 2**32 places. */
int xymac_mli_do_elements_meet(const uint64_t *sizes, const uint64_t *strides, uint32_t rank);

/* Bytes from the first to the last element, gaps included; 0 if the tensor makes no sense. */
uint64_t xymac_mli_span(const mli_tensor *tensor);

/* Fractional bits, 0 for asymmetric elements. Where the caller gives out its format, its element
 * type may be anything. */
uint32_t xymac_mli_frac_bits(const xymac_mli_call *call, int32_t index);

/* Bytes of the elements of a tensor with memory; 0 if it makes no sense. */
uint32_t xymac_mli_bytes(const mli_tensor *tensor);

/* The value of a tensor of rank 0, which is in its field data. */
int32_t xymac_mli_scalar(const mli_tensor *tensor);

/* Which pairs of tensors share memory: a hash, the same for the same pairs. */
uint32_t xymac_mli_overlaps(const xymac_mli_call *call);

#ifdef __cplusplus
}
#endif
#endif
