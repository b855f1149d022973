/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of tensors in the manner of a face detection program for embARC MLI 1.0: a convolution of
 * every channel by itself. The program moves parts on by hand, with less and less capacity, and
 * points to parts of a bias, which has as many dimensions as there are coordinates. */
#include <stdio.h>

#include "mli_api.h"
#include "mli_config.h"

#define CHANNELS 3
#define SIDE 6

static int16_t image[CHANNELS * SIDE * SIDE], maps[2 * CHANNELS * 2 * 2], joined[2 * SIDE * SIDE];
static int16_t kernels[2 * CHANNELS * 3 * 3], biases[2 * CHANNELS];

static mli_tensor input = {image, sizeof image, {CHANNELS, SIDE, SIDE}, 3, MLI_EL_FX_16, {{8}}};
static mli_tensor pair = {joined, sizeof joined, {0}, 0, MLI_EL_FX_16, {{8}}};
static mli_tensor weights = {
    kernels, sizeof kernels, {2 * CHANNELS, 1, 3, 3}, 4, MLI_EL_FX_16, {{12}}};
static mli_tensor bias = {biases, sizeof biases, {2 * CHANNELS}, 1, MLI_EL_FX_16, {{12}}};
static const mli_conv2d_cfg strided = {{MLI_RELU_NONE}, 2, 2, 0, 0, 0, 0};

static void show(const char *name, mli_status status, const mli_tensor *out)
{
    uint32_t index, count = mli_hlp_count_elem_num(out, 0);

    printf("%s: status %d, frac_bits %d:", name, (int)status, out->el_params.fx.frac_bits);
    for (index = 0; index < count; index++)
        printf(" %d", ((const int16_t *)out->data)[index]);
    printf("\n");
}

/* Move a part on by elements of its first dimension. */
static void move_on(mli_tensor *part, uint32_t elements)
{
    uint32_t bytes = elements * mli_hlp_count_elem_num(part, 1)
        * mli_hlp_tensor_element_size(part);

    part->data = (char *)part->data + bytes;
    part->capacity -= bytes;
}

int main(void)
{
    mli_point_to_subtsr_cfg one = {{0}, 1, 1}, two = {{0}, 1, 2};
    const mli_concat_cfg concat = {2, 0};
    mli_tensor in, w, b, out = {maps, sizeof maps, {0}, 0, MLI_EL_FX_16, {{16}}}, other;
    const mli_tensor *inputs[2] = {&in, &other};
    uint32_t index;

    for (index = 0; index < sizeof image / 2; index++)
        image[index] = (int16_t)(index * 7 % 256);
    for (index = 0; index < sizeof kernels / 2; index++)
        kernels[index] = (int16_t)((int)(index * 1237 % 4096) - 2048);
    for (index = 0; index < 2 * CHANNELS; index++)
        biases[index] = (int16_t)(index * 100);
    printf("parts: status %d\n", (int)mli_hlp_point_to_subtensor(&input, &one, &in));
    printf("parts: status %d\n", (int)mli_hlp_point_to_subtensor(&weights, &two, &w));
    printf("parts: status %d\n", (int)mli_hlp_point_to_subtensor(&bias, &two, &b));
    for (index = 0; index < CHANNELS; index++) {
        show("channel", mli_krn_conv2d_chw_fx16_generic(&in, &w, &b, &strided, &out), &out);
        move_on(&in, 1);
        move_on(&w, 2);
        move_on(&b, 2);
        move_on(&out, 2);
    }
    mli_hlp_point_to_subtensor(&input, &one, &in);
    one.start_coord[0] = 2;
    mli_hlp_point_to_subtensor(&input, &one, &other);
    show("pair", mli_krn_concat_fx16(inputs, &concat, &pair), &pair);
    return 0;
}
