/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of MLI that differ from those of the same program without -DCHANGED in one thing each. */
#include <stdio.h>

#include "mli_api.h"
#ifdef CHANGED
#include "xymac_mli_run.h"
#else
#define CHANGED 0
#endif

static int8_t image[50], weights[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, bias[3], maps[75];

static mli_tensor tensor(void *data, uint32_t capacity, uint32_t rank, uint32_t s0, uint32_t s1,
                         uint32_t s2, uint32_t s3)
{
    mli_tensor made = {data, capacity, {s0, s1, s2, s3}, rank, MLI_EL_FX_8, {{4}}};
    return made;
}

int main(void)
{
    mli_tensor x = tensor(image, sizeof image, 3, 1, 5, 5, 0);
    mli_tensor w = tensor(weights, sizeof weights, 4, 3, 1, 2, 2);
    mli_tensor b = tensor(bias, sizeof bias, 1, 3, 0, 0, 0);
    mli_tensor y = tensor(maps, sizeof maps, 0, 0, 0, 0, 0);
    mli_conv2d_cfg cfg = {{MLI_RELU_NONE}, 1, 1, 0, 0, 0, 0};
    mli_relu_cfg relu = {MLI_RELU_GEN};
    mli_status status;
    int index;

    for (index = 0; index < 50; index++)
        image[index] = (int8_t)(5 * index - 100);
    if (CHANGED == 1)
        x.shape[1] = 4;
    if (CHANGED == 2)
        x.el_type = MLI_EL_FX_16;
    if (CHANGED == 3)
        y.el_params.fx.frac_bits = 3;
    if (CHANGED == 4)
        cfg.stride_width = 2;
    if (CHANGED == 5)
        weights[11] = 13;
    if (CHANGED == 6)
        y.data = image + 1, y.capacity = 49;
    if (CHANGED == 7)
        y.capacity = 47;
    if (CHANGED == 8)
        x.data = NULL;
    if (CHANGED == 9)
        image[3] = 77; /* data are no part of what is prepared */
    if (CHANGED == 10)
        status = mli_krn_conv2d_chw_fx8w16d(&x, &w, &b, &cfg, &y);
    else if (CHANGED == 11)
        status = mli_krn_relu_fx8(&x, &relu, &y);
    else if (CHANGED == 12)
        status = mli_krn_conv2d_chw_fx8(&x, &w, &b, NULL, &y);
    else
        status = mli_krn_conv2d_chw_fx8(&x, &w, &b, &cfg, &y);
    printf("%d\n", (int)status);
    return 0;
}
