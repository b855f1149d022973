/* SPDX-License-Identifier: Apache-2.0 */
/* A program over the documented functions of embARC MLI 1.x alone: a small network, recurrent
 * cells, and every other kind of function. Prints statuses, formats and elements. */
#include <stdio.h>

#include "mli_api.h"

static uint32_t state = 1;

/* Numbers that look random, the same in every run. */
static int next_number(void)
{
    state = state * 1664525u + 1013904223u;
    return (int)(state >> 24) - 128;
}

static mli_tensor tensor(void *data, uint32_t capacity, mli_element_type type, uint8_t frac_bits,
                         uint32_t rank, uint32_t s0, uint32_t s1, uint32_t s2, uint32_t s3)
{
    mli_tensor made = {data, capacity, {s0, s1, s2, s3}, rank, type, {{frac_bits}}};
    return made;
}

#define T8(array, frac_bits, rank, s0, s1, s2, s3) \
    tensor(array, sizeof array, MLI_EL_FX_8, frac_bits, rank, s0, s1, s2, s3)
#define T16(array, frac_bits, rank, s0, s1, s2, s3) \
    tensor(array, sizeof array, MLI_EL_FX_16, frac_bits, rank, s0, s1, s2, s3)
#define FILL8(array) fill8(array, sizeof array)
#define FILL16(array, scale) fill16(array, sizeof array / 2, scale)

static void fill8(int8_t *array, uint32_t count)
{
    while (count-- > 0)
        *array++ = (int8_t)next_number();
}

static void fill16(int16_t *array, uint32_t count, int scale)
{
    while (count-- > 0)
        *array++ = (int16_t)(next_number() * scale);
}

static void show(const char *name, mli_status status, const mli_tensor *out)
{
    uint32_t index, count = mli_hlp_count_elem_num(out, 0);

    printf("%s: status %d", name, (int)status);
    if (status == MLI_STATUS_OK) {
        printf(", %lux%lux%lux%lu rank %lu type %d frac_bits %d:", (unsigned long)out->shape[0],
               (unsigned long)out->shape[1], (unsigned long)out->shape[2],
               (unsigned long)out->shape[3], (unsigned long)out->rank, (int)out->el_type,
               out->el_params.fx.frac_bits);
        for (index = 0; index < count; index++)
            printf(" %d", out->el_type == MLI_EL_FX_8 ? ((int8_t *)out->data)[index]
                   : ((int16_t *)out->data)[index]);
    }
    printf("\n");
}

static int8_t image[2 * 6 * 7], kernel[5 * 2 * 3 * 3], kernel_bias[5], maps[5 * 6 * 7];
static int8_t pooled[5 * 3 * 3], matrix[4 * 45], matrix_bias[4], logits[4], shares[4];
static int8_t depth_kernel[2 * 1 * 3 * 3], depth_bias[2], other[2 * 6 * 7], joined[4 * 6 * 7];
static int16_t wide[24], wider[24], sum[24], frame[3 * 5], cell_weights[4 * 6 * 11];
static int16_t cell_bias[4 * 6], hidden[6], cell_state[6], scratch[4 * 6], hidden_next[3 * 6];
static int8_t rnn_weights[6 * 11], rnn_bias[6];

static void network(void)
{
    mli_tensor x = T8(image, 4, 3, 2, 6, 7, 0), w = T8(kernel, 6, 4, 5, 2, 3, 3);
    mli_tensor b = T8(kernel_bias, 5, 1, 5, 0, 0, 0), y = T8(maps, 3, 0, 0, 0, 0, 0);
    mli_tensor p = T8(pooled, 0, 0, 0, 0, 0, 0), m = T8(matrix, 7, 2, 4, 45, 0, 0);
    mli_tensor mb = T8(matrix_bias, 4, 1, 4, 0, 0, 0), l = T8(logits, 2, 0, 0, 0, 0, 0);
    mli_tensor s = T8(shares, 0, 0, 0, 0, 0, 0);
    mli_conv2d_cfg cfg = {{MLI_RELU_NONE}, 1, 1, 1, 1, 1, 1};
    mli_relu_cfg relu = {MLI_RELU_6};
    mli_pool_cfg pool = {2, 2, 2, 2, 0, 0, 0, 0};
    int run;

    for (run = 0; run < 2; run++) {
        FILL8(image);
        show("conv2d", mli_krn_conv2d_chw_fx8(&x, &w, &b, &cfg, &y), &y);
        show("relu in place", mli_krn_relu_fx8(&y, &relu, &y), &y);
        show("maxpool", mli_krn_maxpool_chw_fx8(&y, &pool, &p), &p);
        show("fully connected", mli_krn_fully_connected_fx8(&p, &m, &mb, &l), &l);
        show("softmax", mli_krn_softmax_fx8(&l, &s), &s);
    }
    cfg.stride_width = 0;
    show("no stride", mli_krn_conv2d_chw_fx8(&x, &w, &b, &cfg, &y), &y);
    show("no configuration", mli_krn_conv2d_chw_fx8(&x, &w, &b, NULL, &y), &y);
    show("no bias", mli_krn_conv2d_chw_fx8(&x, &w, NULL, &cfg, &y), &y);
}

static void recurrent(void)
{
    mli_tensor x = T16(frame, 12, 1, 5, 0, 0, 0), w = T16(cell_weights, 14, 3, 4, 6, 11, 0);
    mli_tensor b = T16(cell_bias, 14, 2, 4, 6, 0, 0), h = T16(hidden, 15, 1, 6, 0, 0, 0);
    mli_tensor c = T16(cell_state, 12, 1, 6, 0, 0, 0), s = T16(scratch, 0, 0, 0, 0, 0, 0);
    mli_tensor y = T16(hidden_next, 15, 0, 0, 0, 0, 0), rw = T8(rnn_weights, 7, 2, 6, 11, 0, 0);
    mli_tensor rb = T8(rnn_bias, 7, 1, 6, 0, 0, 0);
    mli_rnn_cell_cfg cfg = {RNN_ONE_TO_ONE, RNN_ACT_TANH, NULL};
    int step;

    cfg.ir_tsr = &s;
    for (step = 0; step < 3; step++) {
        FILL16(frame, 30);
        show("lstm", mli_krn_lstm_cell_fx16(&x, &h, &w, &b, &cfg, &c, &h), &h);
        show("its cell", MLI_STATUS_OK, &c);
    }
    show("rnn", mli_krn_basic_rnn_cell_fx8w16d(&x, &h, &rw, &rb, &cfg, &y), &y);
    x.rank = 2, x.shape[0] = 3, x.shape[1] = 5;
    cfg.mode = RNN_BATCH_TO_BATCH;
    show("lstm of a sequence", mli_krn_lstm_cell_fx16(&x, &h, &w, &b, &cfg, &c, &y), &y);
    show("its cell", MLI_STATUS_OK, &c);
    cfg.mode = RNN_BATCH_TO_LAST;
    show("rnn of a sequence", mli_krn_basic_rnn_cell_fx8w16d(&x, &h, &rw, &rb, &cfg, &y), &y);
}

static void others(void)
{
    mli_tensor a = T16(wide, 11, 2, 4, 6, 0, 0), d = T16(wider, 11, 2, 4, 6, 0, 0);
    mli_tensor y = T16(sum, 9, 0, 0, 0, 0, 0), three = {(void *)-300, 0, {0, 0, 0, 0}, 0,
        MLI_EL_FX_16, {{11}}};
    mli_tensor x = T8(image, 4, 3, 2, 6, 7, 0), z = T8(other, 5, 0, 0, 0, 0, 0), part, another;
    mli_tensor w = T8(depth_kernel, 6, 4, 2, 1, 3, 3), b = T8(depth_bias, 5, 1, 2, 0, 0, 0);
    mli_tensor j = T8(joined, 0, 0, 0, 0, 0, 0), m = T8(maps, 0, 0, 0, 0, 0, 0);
    const mli_tensor *inputs[2];
    mli_conv2d_cfg cfg = {{MLI_RELU_GEN}, 1, 1, 1, 1, 1, 1};
    mli_pool_cfg pool = {3, 2, 2, 1, 0, 1, 1, 0};
    mli_permute_cfg order = {{2, 0, 1, 77}};
    mli_padding2d_cfg pads = {1, 0, 2, 1};
    mli_concat_cfg concat = {2, 0};
    mli_point_to_subtsr_cfg point = {{1, 2, 0, 0}, 2, 3};

    FILL16(wide, 200);
    FILL16(wider, 200);
    show("add", mli_krn_eltwise_add_fx16(&a, &d, &y), &y);
    show("sub", mli_krn_eltwise_sub_fx16(&a, &three, &y), &y);
    show("min", mli_krn_eltwise_min_fx16(&a, &d, &y), &y);
    show("max", mli_krn_eltwise_max_fx16(&three, &d, &y), &y);
    y.el_params.fx.frac_bits = 9;
    show("mul", mli_krn_eltwise_mul_fx16(&a, &d, &y), &y);
    show("sigm", mli_krn_sigm_fx16(&a, &y), &y);
    show("tanh in place", mli_krn_tanh_fx16(&d, &d), &d);
    show("leaky relu", mli_krn_leaky_relu_fx16(&a, &three, &y), &y);
    y.el_type = MLI_EL_FX_16, y.el_params.fx.frac_bits = 8;
    show("convert", mli_hlp_convert_tensor(&a, &y), &y);
    show("depthwise", mli_krn_depthwise_conv2d_chw_fx8(&x, &w, &b, &cfg, &z), &z);
    show("avepool", mli_krn_avepool_chw_fx8(&x, &pool, &m), &m);
    show("permute", mli_krn_permute_fx8(&x, &order, &m), &m);
    show("padding", mli_krn_padding2d_chw_fx8(&x, &pads, &m), &m);
    z.el_params = x.el_params;
    inputs[0] = &x, inputs[1] = &z;
    show("concat", mli_krn_concat_fx8(inputs, &concat, &j), &j);
    show("part", mli_hlp_point_to_subtensor(&x, &point, &part), &part);
    point.start_coord[0] = 0;
    show("another part", mli_hlp_point_to_subtensor(&x, &point, &another), &another);
    inputs[0] = &part, inputs[1] = &another;
    show("concat of parts", mli_krn_concat_fx8(inputs, &concat, &m), &m);
    inputs[1] = &part;
    show("concat of one part twice", mli_krn_concat_fx8(inputs, &concat, &m), &m);
    point.start_coord[1] = 4;
    show("no part", mli_hlp_point_to_subtensor(&x, &point, &part), &part);
    j.capacity = 100;
    inputs[0] = &x, inputs[1] = &z;
    show("no room", mli_krn_concat_fx8(inputs, &concat, &j), &j);
    show("not its type", mli_krn_sigm_fx8(&a, &y), &y);
    printf("sizes %u %u, elements %u %u\n", (unsigned)mli_hlp_tensor_element_size(&x),
           (unsigned)mli_hlp_tensor_element_size(&a), (unsigned)mli_hlp_count_elem_num(&x, 1),
           (unsigned)mli_hlp_count_elem_num(&x, 4));
}

int main(void)
{
    FILL8(kernel);
    FILL8(kernel_bias);
    FILL8(matrix);
    FILL8(matrix_bias);
    FILL8(depth_kernel);
    FILL8(depth_bias);
    FILL8(rnn_weights);
    FILL8(rnn_bias);
    FILL16(cell_weights, 100);
    FILL16(cell_bias, 100);
    FILL16(hidden, 100);
    FILL16(cell_state, 10);
    network();
    recurrent();
    others();
    return 0;
}
