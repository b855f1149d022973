/* SPDX-License-Identifier: Apache-2.0 */
/* A network in the manner of programs for embARC MLI 1.1: tensors with memory strides, windows of
 * a larger tensor, moves that cut and pad, scale helpers, specialised functions, and positional
 * initialisers throughout. Prints the elements of every result. */
#include <stdio.h>
#include <string.h>

#include "mli_api.h"
#include "mli_config.h"
#include "mli_types.h"

#if !defined(MLI_DEBUG_MODE) || (MLI_DEBUG_MODE == DBG_MODE_FULL)
#error "The program is for release mode"
#endif
#if MLI_PTR_IS_XY || MLI_OUT_PTR_IS_XY || MLI_CONV_OUT_PTR_IS_XY
#error "The processor has no XY memory"
#endif

#define CHANNELS 3
#define SIDE     8
#define FILTERS  4
#define QMN(type, fraq, val) \
    (type)(((val) * (1u << (fraq))) + (((val) >= 0) ? 0.5f : -0.5f))
#define FRQ_BITS(int_part, el_type) ((sizeof(el_type) * 8) - (int_part) - 1)

typedef int8_t w_type;
typedef int8_t d_type;

static d_type image[CHANNELS * SIDE * SIDE], window[CHANNELS * 6 * 6], first[FILTERS * 36];
static d_type pooled[FILTERS * 9], wide[FILTERS * 25], joined[2 * FILTERS * 25], scores[5];
static d_type turned[2 * FILTERS * 25], shares[5];
static w_type conv_w[FILTERS * CHANNELS * 9], conv_b[FILTERS], full_w[5 * 2 * FILTERS * 25];
static w_type full_b[5] = {QMN(w_type, 5, 0.5f), QMN(w_type, 5, -0.25f), 0,
                           QMN(w_type, 5, 1.0f), QMN(w_type, 5, -1.0f)};

static mli_tensor in_tensor = {
    (void *)image, sizeof(image), {SIDE * SIDE, SIDE, 1, 0}, {CHANNELS, SIDE, SIDE, 0}, 3,
    MLI_EL_FX_8, {{FRQ_BITS(0, d_type)}}};
static const mli_tensor weights = {
    (void *)conv_w, sizeof(conv_w), {CHANNELS * 9, 9, 3, 1}, {FILTERS, CHANNELS, 3, 3}, 4,
    MLI_EL_FX_8, {{7}}};
static const mli_tensor bias = {
    (void *)conv_b, sizeof(conv_b), {1}, {FILTERS}, 1, MLI_EL_FX_8, {{7}}};
static const mli_tensor full_weights = {
    (void *)full_w, sizeof(full_w), {0}, {5, 2 * FILTERS * 25}, 2, MLI_EL_FX_8, {{7}}};
static const mli_tensor full_bias = {
    (void *)full_b, sizeof(full_b), {0}, {5}, 1, MLI_EL_FX_8, {{5}}};
static const mli_conv2d_cfg conv_cfg = {{MLI_RELU_GEN}, 1, 1, 1, 1, 1, 1};
static const mli_pool_cfg pool_cfg = {2, 2, 2, 2, 0, 0, 0, 0};

static void fill(int8_t *memory, uint32_t bytes)
{
    static uint32_t state = 11;

    while (bytes-- > 0) {
        state = state * 1664525u + 1013904223u;
        *memory++ = (int8_t)((int)(state >> 25) - 64);
    }
}

static void show(const char *name, mli_status status, const mli_tensor *out)
{
    uint32_t index, count = mli_hlp_count_elem_num(out, 0);
    const d_type *data = (const d_type *)out->data;

    printf("%s: status %d, rank %u, scale %d >> %u:", name, (int)status, (unsigned)out->rank,
           (int)mli_hlp_tensor_scale(out, 0), (unsigned)mli_hlp_tensor_scale_shift(out));
    for (index = 0; index < count; index++)
        printf(" %d", (int)data[index]);
    printf("\n");
}

static mli_tensor room(d_type *memory, uint32_t bytes, uint8_t bits)
{
    mli_tensor made;

    memset(&made, 0, sizeof(made));
    made.data = (void *)memory;
    made.capacity = bytes;
    made.el_type = MLI_EL_FX_8;
    made.el_params.fx.frac_bits = bits;
    return made;
}

int main(void)
{
    mli_tensor cut = room(window, sizeof(window), 7), conv = room(first, sizeof(first), 4);
    mli_tensor pool = room(pooled, sizeof(pooled), 4), pad = room(wide, sizeof(wide), 4);
    mli_tensor both = room(joined, sizeof(joined), 4), turn = room(turned, sizeof(turned), 4);
    mli_tensor y = room(scores, sizeof(scores), 3), soft = room(shares, sizeof(shares), 7), view;
    const mli_sub_tensor_cfg corner = {{0, 1, 1}, {CHANNELS, 6, 6}, 3};
    const mli_sub_tensor_cfg plane = {{1, 0, 0}, {1, 3, 3}, 2};
    const mli_tensor *parts[2];
    const mli_concat_cfg concat_cfg = {2, 0};
    const mli_permute_cfg permute_cfg = {{1, 2, 0, 3}};
    int offsets[MLI_MAX_RANK] = {0, 1, 1, 0}, sizes[MLI_MAX_RANK] = {CHANNELS, 6, 6, 0};
    int strides[MLI_MAX_RANK] = {0};
    mli_mov_cfg_t move;
    mli_mov_handle_t handle;
    mli_status status;

    fill(image, sizeof(image));
    fill(conv_w, sizeof(conv_w));
    fill(conv_b, sizeof(conv_b));
    fill(full_w, sizeof(full_w));

    status = mli_hlp_create_subtensor(&in_tensor, &corner, &view);
    printf("view: status %d, %u elements, strides %d %d %d\n", (int)status,
           (unsigned)mli_hlp_count_elem_num(&view, 0), (int)view.mem_stride[0],
           (int)view.mem_stride[1], (int)view.mem_stride[2]);

    mli_mov_cfg_for_slice(&move, offsets, sizes, strides);
    show("slice", mli_mov_tensor_sync(&in_tensor, &move, &cut), &cut);
    show("conv", mli_krn_conv2d_chw_fx8_k3x3_str1_krnpad(&cut, &weights, &bias, &conv_cfg, &conv),
         &conv);
    show("pool", mli_krn_maxpool_chw_fx8_k2x2(&conv, &pool_cfg, &pool), &pool);

    status = mli_hlp_create_subtensor(&pool, &plane, &view);
    printf("plane: status %d, rank %u, first %d\n", (int)status, (unsigned)view.rank,
           (int)*(d_type *)view.data);

    mli_mov_cfg_for_padding2d_chw(&move, 1, 1, 1, 1, strides);
    mli_mov_set_num_dma_ch(0, 1);
    status = mli_mov_acquire_handle(1, &handle);
    if (status == MLI_STATUS_OK)
        status = mli_mov_prepare(&handle, &pool, &move, &pad);
    if (status == MLI_STATUS_OK)
        status = mli_mov_start(&handle, &pool, &move, &pad);
    while (status == MLI_STATUS_OK && !mli_mov_isdone(&handle))
        ;
    mli_mov_release_handle(&handle);
    show("padding", status, &pad);

    parts[0] = &pad;
    parts[1] = &pad;
    show("concat", mli_krn_concat_fx8(parts, &concat_cfg, &both), &both);
    show("permute", mli_krn_permute_fx8(&both, &permute_cfg, &turn), &turn);
    show("full", mli_krn_fully_connected_fx8(&turn, &full_weights, &full_bias, &y), &y);
    show("softmax", mli_krn_softmax_fx8(&y, &soft), &soft);
    return 0;
}
