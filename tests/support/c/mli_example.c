/* SPDX-License-Identifier: Apache-2.0 */
/* An activity recognition network in the manner of programs for embARC MLI 1.0: constant tensors
 * with designated initialisers, buffers that layers share, and an LSTM cell that is built of a basic
 * cell with four matrices, activations and elementwise functions. The program uses release mode:
 * a sum adds elements with different fractional bits, and out of the basic cell has other fractional
 * bits than prev_out. Prints the elements of every result. */
#include <stdio.h>

#include "mli_api.h"
#include "mli_config.h"
#include "mli_types.h"

#if (ARC_PLATFORM == V2DSP_XY)
#error "The processor has no XY memory"
#endif
#define DATA __attribute__((section(".mli_model")))
#define BUFFER __attribute__((section(".mli_ir_bank_1")))

enum { STEPS = 6, INPUTS = 5, HIDDEN = 8, CLASSES = 4 };

static int16_t DATA dense_w[HIDDEN * INPUTS] = {0}, dense_b[HIDDEN] = {0};
static int16_t DATA first_w[4 * HIDDEN * 2 * HIDDEN] = {0}, first_b[4 * HIDDEN] = {0};
static int16_t DATA last_w[4 * HIDDEN * 2 * HIDDEN] = {0}, last_b[4 * HIDDEN] = {0};
static int16_t DATA class_w[CLASSES * HIDDEN] = {0}, class_b[CLASSES] = {0};
static int16_t BUFFER x_mem[STEPS * HIDDEN], y_mem[STEPS * HIDDEN], ir_mem[4 * HIDDEN];
static int16_t BUFFER cell_mem[HIDDEN], out_mem[HIDDEN], gates_mem[4 * HIDDEN];

#define CONSTANT(name, memory, bits, dims, ...)                                          \
    static const mli_tensor name = {.data = (void *)memory, .capacity = sizeof(memory),  \
                                    .shape = {__VA_ARGS__}, .rank = dims,                \
                                    .el_type = MLI_EL_FX_16,                             \
                                    .el_params.fx.frac_bits = bits}
CONSTANT(dense_weights, dense_w, 14, 2, HIDDEN, INPUTS);
CONSTANT(dense_bias, dense_b, 13, 1, HIDDEN);
CONSTANT(first_weights, first_w, 14, 3, 4, HIDDEN, 2 * HIDDEN);
CONSTANT(first_bias, first_b, 13, 2, 4, HIDDEN);
CONSTANT(last_weights, last_w, 14, 3, 4, HIDDEN, 2 * HIDDEN);
CONSTANT(last_bias, last_b, 13, 2, 4, HIDDEN);
CONSTANT(class_weights, class_w, 14, 2, CLASSES, HIDDEN);
CONSTANT(class_bias, class_b, 12, 1, CLASSES);
static const mli_relu_cfg rectified = {MLI_RELU_GEN};

static void fill(int16_t *memory, uint32_t bytes)
{
    static uint32_t state = 7;

    for (bytes /= 2; bytes > 0; bytes--) {
        state = state * 1664525u + 1013904223u;
        *memory++ = (int16_t)((int)(state >> 18) - 8192);
    }
}

static void show(const char *name, mli_status status, const mli_tensor *out)
{
    const int16_t *data = (const int16_t *)out->data;
    uint32_t index, count = mli_hlp_count_elem_num(out, 0);

    printf("%s: status %d, rank %u, frac_bits %d:", name, (int)status, (unsigned)out->rank,
           out->el_params.fx.frac_bits);
    for (index = 0; index < count; index++)
        printf(" %d", data[index]);
    printf("\n");
}

static mli_tensor room(int16_t *memory, uint32_t bytes, uint8_t frac_bits)
{
    mli_tensor made = {.data = memory, .capacity = bytes, .el_type = MLI_EL_FX_16,
                       .el_params.fx.frac_bits = frac_bits};
    return made;
}

/* The matrix of a gate. */
static mli_tensor gate(const mli_tensor *gates, uint32_t index)
{
    const mli_point_to_subtsr_cfg cfg = {.start_coord = {index}, .coord_num = 1,
                                         .first_out_dim_size = 1};
    mli_tensor found = {0};

    mli_hlp_point_to_subtensor(gates, &cfg, &found);
    return found;
}

/* The output behind the last step of an LSTM. */
static void recur(mli_tensor *in, mli_tensor *out)
{
    mli_rnn_cell_cfg cfg = {.mode = RNN_ONE_TO_ONE, .act = RNN_ACT_NONE, .ir_tsr = NULL};
    mli_tensor gates = room(gates_mem, sizeof gates_mem, 12);
    mli_tensor cell = room(cell_mem, sizeof cell_mem, 13), product = room(ir_mem, sizeof ir_mem, 14);
    mli_tensor step, parts[4];
    uint32_t index, number;

    cell.rank = 2, cell.shape[0] = 1, cell.shape[1] = HIDDEN;
    for (index = 0; index < STEPS; index++) {
        const mli_point_to_subtsr_cfg at = {{index}, 1, 1};
        mli_hlp_point_to_subtensor(in, &at, &step);
        gates.el_params.fx.frac_bits = 12;
        mli_krn_basic_rnn_cell_fx16(&step, out, &last_weights, &last_bias, &cfg, &gates);
        for (number = 0; number < 4; number++)
            parts[number] = gate(&gates, number);
        mli_krn_sigm_fx16(&parts[0], &parts[0]);
        mli_krn_tanh_fx16(&parts[1], &parts[1]);
        mli_krn_sigm_fx16(&parts[2], &parts[2]);
        mli_krn_sigm_fx16(&parts[3], &parts[3]);
        product.el_params.fx.frac_bits = 14;
        mli_krn_eltwise_mul_fx16(&parts[0], &parts[1], &product);
        cell.el_params.fx.frac_bits = 13;
        mli_krn_eltwise_mul_fx16(&cell, &parts[2], &cell);
        mli_krn_eltwise_add_fx16(&cell, &product, &cell);
        mli_krn_tanh_fx16(&cell, &product);
        out->el_params.fx.frac_bits = 15;
        show("step", mli_krn_eltwise_mul_fx16(&product, &parts[3], out), out);
        out->rank = 1, out->shape[0] = HIDDEN;
    }
}

int main(void)
{
    mli_tensor in = room(x_mem, STEPS * INPUTS * 2, 13), row, x = room(y_mem, sizeof y_mem, 11);
    mli_tensor ir = room(ir_mem, sizeof ir_mem, 0), cell = room(cell_mem, sizeof cell_mem, 13);
    mli_tensor h = room(out_mem, sizeof out_mem, 15), y = room(x_mem, sizeof x_mem, 0);
    mli_tensor classes = room(gates_mem, sizeof gates_mem, 11);
    mli_rnn_cell_cfg cfg = {RNN_BATCH_TO_BATCH, RNN_ACT_TANH, &ir};
    uint32_t index;

    fill(dense_w, sizeof dense_w), fill(dense_b, sizeof dense_b);
    fill(first_w, sizeof first_w), fill(first_b, sizeof first_b);
    fill(last_w, sizeof last_w), fill(last_b, sizeof last_b);
    fill(class_w, sizeof class_w), fill(class_b, sizeof class_b);
    fill(x_mem, STEPS * INPUTS * 2);
    in.rank = 2, in.shape[0] = STEPS, in.shape[1] = INPUTS;
    for (index = 0; index < STEPS; index++) {
        const mli_point_to_subtsr_cfg at = {{index}, 1, 1};
        mli_hlp_point_to_subtensor(&in, &at, &row);
        x.data = y_mem + index * HIDDEN, x.el_params.fx.frac_bits = 11;
        mli_krn_fully_connected_fx16(&row, &dense_weights, &dense_bias, &x);
    }
    x.data = y_mem, x.rank = 2, x.shape[0] = STEPS, x.shape[1] = HIDDEN;
    show("relu", mli_krn_relu_fx16(&x, &rectified, &x), &x);
    cell.rank = h.rank = 1, cell.shape[0] = h.shape[0] = HIDDEN;
    show("lstm", mli_krn_lstm_cell_fx16(&x, &h, &first_weights, &first_bias, &cfg, &cell, &y), &y);
    for (index = 0; index < HIDDEN; index++)
        out_mem[index] = cell_mem[index] = 0;
    recur(&y, &h);
    show("classes", mli_krn_fully_connected_fx16(&h, &class_weights, &class_bias, &classes),
         &classes);
    return 0;
}
