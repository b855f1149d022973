/* SPDX-License-Identifier: Apache-2.0 */
/* A concatenation of COUNT tensors, and a cell with more inputs than a small
 * MLI_CONCAT_MAX_TENSORS: prints both results. */
#include <stdio.h>

#include "mli_api.h"

#define PART 3

static int8_t parts[COUNT][PART], joined[COUNT * PART], weights[4 * 2 * 4], biases[4 * 2];
static int8_t memories[4][8] = {{100, -50}, {20, 30}, {-70, 80}};

static void show(mli_status status, const mli_tensor *out)
{
    uint32_t index, count = mli_hlp_count_elem_num(out, 0);

    printf("%d:", (int)status);
    for (index = 0; index < count; index++)
        printf(" %d", ((const int8_t *)out->data)[index]);
    printf("\n");
}

static mli_tensor tensor(int8_t *data, uint32_t bytes, uint32_t count)
{
    mli_tensor made = {.data = data, .capacity = bytes, .shape = {count}, .rank = 1,
                       .el_type = MLI_EL_FX_8, .el_params.fx.frac_bits = 6};
    return made;
}

int main(void)
{
    static mli_tensor tensors[COUNT];
    const mli_tensor *inputs[COUNT];
    const mli_concat_cfg cfg = {COUNT, 0};
    mli_tensor x = tensor(memories[0], 2, 2), h = tensor(memories[1], 2, 2);
    mli_tensor c = tensor(memories[2], 2, 2), ir = tensor(memories[3], 8, 8);
    mli_tensor w = tensor(weights, sizeof weights, 4), b = tensor(biases, sizeof biases, 4);
    mli_tensor out = tensor(joined, sizeof joined, 0), y = tensor(joined, 2, 0);
    const mli_rnn_cell_cfg cell_cfg = {RNN_ONE_TO_ONE, RNN_ACT_TANH, &ir};
    uint32_t index;

    w.rank = 3, w.shape[1] = 2, w.shape[2] = 4;
    b.rank = 2, b.shape[1] = 2;
    for (index = 0; index < sizeof weights; index++)
        weights[index] = (int8_t)(37 * index);
    for (index = 0; index < COUNT * PART; index++)
        parts[index / PART][index % PART] = (int8_t)(7 * index);
    for (index = 0; index < COUNT; index++) {
        tensors[index] = tensor(parts[index], PART, PART);
        inputs[index] = &tensors[index];
    }
    show(mli_krn_concat_fx8(inputs, &cfg, &out), &out);
    show(mli_krn_lstm_cell_fx8(&x, &h, &w, &b, &cell_cfg, &c, &y), &y);
    show(MLI_STATUS_OK, &c);
    return 0;
}
