/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of out that mean nothing before a call of MLI 1.1, and strides that fit or do not: prints
 * status, fields and memory of every out. */
#include <stdio.h>
#include <string.h>

#include "mli_api.h"

static int8_t x_mem[2 * 3 * 2] = {5, -7, 9, 100, -128, 127, 3, -4, 64, -65, 11, 12};
static int8_t w_mem[2 * 12] = {1, -2, 3, 4, 5, 6, 7, 8, 9, 10, -11, 12, -1, 2, 3, 4, -5, 6, 7, 8};
static int8_t b_mem[2] = {50, -60}, y_mem[40];

/* A tensor whose fields hold anything, but for memory, strides and fractional bits. */
static mli_tensor room(uint32_t bytes, int32_t stride, uint8_t frac_bits)
{
    mli_tensor made;

    memset(&made, 0x4D, sizeof made);
    memset(made.mem_stride, 0, sizeof made.mem_stride);
    made.mem_stride[0] = stride;
    made.data = y_mem;
    made.capacity = bytes;
    made.el_params.fx.frac_bits = frac_bits;
    memset(y_mem, 77, sizeof y_mem);
    return made;
}

static void show(const char *name, mli_status status, const mli_tensor *out)
{
    uint32_t index;

    printf("%s: %d", name, (int)status);
    if (status == MLI_STATUS_OK) {
        printf(" rank %u type %d:", (unsigned)out->rank, (int)out->el_type);
        for (index = 0; index < out->rank; index++)
            printf(" %u", (unsigned)out->shape[index]);
        if (out->el_type == MLI_EL_FX_8)
            printf(" frac_bits %d", out->el_params.fx.frac_bits);
        else
            printf(" scale %d", (int)out->el_params.asym.scale.i32);
    }
    printf(" |");
    for (index = 0; index < sizeof y_mem; index++)
        printf(" %d", y_mem[index]);
    printf("\n");
}

int main(void)
{
    const mli_tensor x = {x_mem, sizeof x_mem, {0}, {2, 3, 2}, 3, MLI_EL_FX_8, {{4}}};
    const mli_tensor w = {w_mem, sizeof w_mem, {0}, {2, 12}, 2, MLI_EL_FX_8, {{6}}};
    const mli_tensor b = {b_mem, sizeof b_mem, {0}, {2}, 1, MLI_EL_FX_8, {{7}}};
    const mli_pool_cfg pool = {2, 2, 1, 1, 0, 0, 0, 0};
    mli_tensor codes = x, y = room(sizeof y_mem, 0, 3);

    show("type", mli_krn_fully_connected_fx8(&x, &w, &b, &y), &y);
    y = room(sizeof y_mem, 1, 3);
    show("stride 1", mli_krn_fully_connected_fx8(&x, &w, &b, &y), &y);
    y = room(sizeof y_mem, 2, 3);
    show("stride 2", mli_krn_fully_connected_fx8(&x, &w, &b, &y), &y);
    y = room(0, 0, 3);
    show("no capacity", mli_krn_relu_fx8(&x, &(mli_relu_cfg){MLI_RELU_6}, &y), &y);

    memset(&codes.el_params, 0, sizeof codes.el_params);
    codes.el_type = MLI_EL_ASYM_I8;
    codes.el_params.asym.scale.i32 = 123456;
    y = room(sizeof y_mem, 0, 3);
    show("maxpool sa8", mli_krn_maxpool_hwc_sa8(&codes, &pool, &y), &y);
    y = room(4, 0, 3);
    show("avepool sa8", mli_krn_avepool_hwc_sa8(&codes, &pool, &y), &y);
    return 0;
}
