/* SPDX-License-Identifier: Apache-2.0 */
/* A network in the manner of programs for embARC MLI 1.0: a table of layers, tensors in two
 * buffers that take turns, 16-bit data with 8-bit weights, and configurations by position. */
#include <stdio.h>

#include "mli_api.h"
#include "mli_config.h"
#include "mli_types.h"

#if (MLI_MAX_RANK < 4) || (MLI_CONCAT_MAX_TENSORS < 2)
#error "Tensors have four dimensions"
#endif

#define SIDE 6
#define MAPS 2

static int16_t image[SIDE * SIDE], ir_x[MAPS * SIDE * SIDE], ir_y[MAPS * SIDE * SIDE];
static int8_t rnn_w[3 * (MAPS * 9 + 3)], rnn_b[3];
static int8_t conv_w[MAPS * 9], conv_b[MAPS], depth_w[MAPS * 9], depth_b[MAPS];
static int16_t state[3], halves[4 * 3];

static mli_tensor input = {(void *)image, sizeof image, {1, SIDE, SIDE}, 3, MLI_EL_FX_16, {{13}}};
static mli_tensor x = {(void *)ir_x, sizeof ir_x, {0}, 0, MLI_EL_FX_16, {{11}}};
static mli_tensor y = {(void *)ir_y, sizeof ir_y, {0}, 0, MLI_EL_FX_16, {{11}}};
static mli_tensor h = {(void *)state, sizeof state, {3}, 1, MLI_EL_FX_16, {{15}}};
static mli_tensor kept = {(void *)halves, sizeof halves, {0}, 0, MLI_EL_FX_16, {{15}}};
static const mli_tensor conv_wt = {
    (void *)conv_w, sizeof conv_w, {MAPS, 1, 3, 3}, 4, MLI_EL_FX_8, {{7}}};
static const mli_tensor conv_bs = {(void *)conv_b, sizeof conv_b, {MAPS}, 1, MLI_EL_FX_8, {{6}}};
static const mli_tensor depth_wt = {
    (void *)depth_w, sizeof depth_w, {MAPS, 1, 3, 3}, 4, MLI_EL_FX_8, {{7}}};
static const mli_tensor depth_bs = {(void *)depth_b, sizeof depth_b, {MAPS}, 1, MLI_EL_FX_8, {{6}}};
static const mli_tensor rnn_wt = {
    (void *)rnn_w, sizeof rnn_w, {3, MAPS * 9 + 3}, 2, MLI_EL_FX_8, {{7}}};
static const mli_tensor rnn_bs = {(void *)rnn_b, sizeof rnn_b, {3}, 1, MLI_EL_FX_8, {{6}}};
static const mli_conv2d_cfg same = {{MLI_RELU_6}, 1, 1, 1, 1, 1, 1};
static const mli_conv2d_cfg strided = {{MLI_RELU_NONE}, 2, 2, 1, 0, 1, 0};
static const mli_pool_cfg mean = {3, 3, 1, 1, 1, 1, 1, 1};

typedef struct {
    const char *name;
    mli_status (*run)(void);
    mli_tensor *out;
} layer;

static mli_status conv(void)
{
    return mli_krn_conv2d_chw_fx8w16d(&input, &conv_wt, &conv_bs, &same, &x);
}

static mli_status pool(void)
{
    return mli_krn_avepool_chw_fx16_k3x3_krnpad(&x, &mean, &y);
}

static mli_status depth(void)
{
    return mli_krn_depthwise_conv2d_chw_fx8w16d(&y, &depth_wt, &depth_bs, &strided, &x);
}

static mli_status cell(void)
{
    const mli_rnn_cell_cfg cfg = {RNN_ONE_TO_ONE, RNN_ACT_TANH, NULL};

    return mli_krn_basic_rnn_cell_fx8w16d(&x, &h, &rnn_wt, &rnn_bs, &cfg, &y);
}

static mli_status smaller(void)
{
    return mli_krn_eltwise_min_fx16(&y, &h, &y);
}

static mli_status both(void)
{
    const mli_tensor *inputs[] = {&y, &h};
    const mli_concat_cfg cfg = {2, 0};

    return mli_krn_concat_fx16(inputs, &cfg, &kept);
}

static mli_status eight(void)
{
    static int8_t bytes[6];
    static mli_tensor out = {(void *)bytes, sizeof bytes, {0}, 0, MLI_EL_FX_8, {{7}}};
    mli_status status = mli_hlp_convert_tensor(&kept, &out);
    uint32_t index;

    for (index = 0; index < mli_hlp_count_elem_num(&out, 0); index++)
        printf("%d ", bytes[index]);
    return status;
}

static const layer layers[] = {
    {"conv", conv, &x}, {"pool", pool, &y}, {"depthwise", depth, &x}, {"cell", cell, &y},
    {"smaller", smaller, &y}, {"both", both, &kept}, {"eight", eight, &kept}};

static void fill(int8_t *memory, uint32_t bytes)
{
    static uint32_t random = 3;

    while (bytes-- > 0) {
        random = random * 1664525u + 1013904223u;
        *memory++ = (int8_t)((int)(random >> 25) - 64);
    }
}

int main(void)
{
    uint32_t number, index;

    fill((int8_t *)image, sizeof image);
    fill(conv_w, sizeof conv_w);
    fill(conv_b, sizeof conv_b);
    fill(depth_w, sizeof depth_w);
    fill(depth_b, sizeof depth_b);
    fill(rnn_w, sizeof rnn_w);
    fill(rnn_b, sizeof rnn_b);
    fill((int8_t *)state, sizeof state);
    for (number = 0; number < sizeof layers / sizeof layers[0]; number++) {
        const mli_tensor *out = layers[number].out;
        mli_status status = layers[number].run();

        printf("%s: status %d, rank %u:", layers[number].name, (int)status, (unsigned)out->rank);
        for (index = 0; index < mli_hlp_count_elem_num(out, 0); index++)
            printf(" %d", ((const int16_t *)out->data)[index]);
        printf("\n");
    }
    return 0;
}
