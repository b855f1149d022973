/* SPDX-License-Identifier: Apache-2.0 */
/* Networks that `xymac compile --c` writes, run by the driver. */
#ifndef XYMAC_NETWORK_H
#define XYMAC_NETWORK_H

#include "xymac.h"

/* Of the tables below; network.c is for one of these. */
#define XYMAC_NETWORK_FORMAT 3

#ifdef __cplusplus
extern "C" {
#endif

/* What an element of a value is. */
enum { XYMAC_INT8, XYMAC_UINT8, XYMAC_INT16, XYMAC_INT32, XYMAC_FLOAT };

/* Where a value lies: in a buffer of the network, or where the caller says. */
enum { XYMAC_IN_BUFFER, XYMAC_IN_INPUT, XYMAC_IN_OUTPUT };

typedef struct {
    uint8_t type, place, number; /* number: of the input or output */
    uint32_t count;              /* elements */
    void *buffer;
    const void *first; /* of a state: what it is at first, else NULL */
} xymac_value;

enum {
    XYMAC_STEP_WORDS,      /* write `count` words `data` from `offset` on */
    XYMAC_STEP_START,      /* run the program */
    XYMAC_STEP_WRITE,      /* write a value to `count` words, its elements by the path `data`, with
                              the bits `to` inverted, of 32 bits in the lower halves alone */
    XYMAC_STEP_STATE,      /* the same of halves of elements; an upper half is the sign */
    XYMAC_STEP_READ,       /* read a value from them, the bits `to` inverted as in a write */
    XYMAC_STEP_QUANTISE,   /* floating point becomes value `to`, by the xymac_scale `data` */
    XYMAC_STEP_REQUANTISE, /* integers become value `to` */
    XYMAC_STEP_DEQUANTISE, /* a value becomes floating point */
    XYMAC_STEP_COPY        /* a value becomes value `to` */
};

typedef struct {
    uint8_t kind;
    uint16_t value, to;
    uint32_t offset, count;
    int32_t fill;
    const void *data;
} xymac_step;

typedef struct {
    float scale;
    int32_t zero, from_zero; /* zero points, of 32 bits from_zero that of the input */
    int32_t multiplier, exponent;
} xymac_scale;

/* A path is which elements lie in words, byte by byte or cell by cell, in numbers of 32 bits; the
 * halves of an element, lower and upper, are numbers 2 * element and 1 more. It has
 * `count << 2 | XYMAC_PATH_...`, of elements `jump, step` behind it (the first is `jump` behind the
 * last one so far, which is 0 at first), of a loop the numbers of its body, which follows. */
enum { XYMAC_PATH_ELEMENTS, XYMAC_PATH_ZEROS, XYMAC_PATH_FILLS, XYMAC_PATH_LOOP };
#define XYMAC_PATH_DEPTH 4 /* loops in loops at most */

typedef struct {
    const char *name;
    uint32_t ways, passes, x_rows, y_rows, engine; /* of the core */
    uint32_t functions; /* bits of XYMAC_REGISTER_FUNCTIONS that its passes need */
    const xymac_value *values;
    const xymac_step *load, *run;
    uint32_t value_count, load_count, run_count;
} xymac_network;

/* What is to be done once before the first run; states are what they are at first. */
xymac_error xymac_network_load(const xymac_core *core, const xymac_network *network);

/* Run on arrays of the elements of the inputs; the outputs go to arrays of the caller. States stay
 * from run to run. Of a result, which may be NULL, counters are sums over all programs, flags are
 * those of any; the rest is of the last one. */
xymac_error xymac_network_run(const xymac_core *core, const xymac_network *network,
                              const void *const *inputs, void *const *outputs,
                              xymac_result *result);

/* Let states be what they are at first. */
void xymac_network_reset(const xymac_network *network);

#ifdef __cplusplus
}
#endif
#endif
