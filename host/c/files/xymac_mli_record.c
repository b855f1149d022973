/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of MLI are told to `xymac compile --calls`, which started the program and answers what they
 * give. On a computer with files: the two are named in the environment.
 *
 * A call is a line `call NAME MODE OVERLAPS CONSTANTS OUT TENSORS NUMBERS` with the numbers behind,
 * and for every tensor a line `ADDRESS CAPACITY SHAPE (4) RANK TYPE FRACBITS SCALAR BYTES`, or
 * `null`, with so many bytes behind; out and a scratch tensor have none. An answer is
 * `STATUS COUNT REASON`, where the reason of a refusal fills the line and a status below 0 ends the
 * program, and for each of so many tensors that were written
 * `INDEX SHAPE (4) RANK TYPE FRACBITS BYTES` with its bytes behind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xymac_mli_call.h"

static FILE *calls, *answers;

static void stop(const char *reason)
{
    fprintf(stderr, "%s\n", reason);
    exit(2);
}

/* A line of the answers without its end. */
static void take_line(char *line, int size)
{
    int length;

    if (fgets(line, size, answers) == NULL)
        stop("xymac compile gave no answer");
    for (length = 0; line[length] != '\0' && line[length] != '\n'; length++)
        continue;
    if (line[length] != '\n')
        stop("An answer of xymac compile is cut");
    line[length] = '\0';
}

static FILE *open_file(const char *variable, const char *mode)
{
    const char *name = getenv(variable);
    FILE *file = name ? fopen(name, mode) : NULL;

    if (file == NULL)
        stop("A program that records calls of MLI is run by xymac compile --calls");
    return file;
}

static void tell_tensor(const xymac_mli_call *call, int32_t index)
{
    const mli_tensor *tensor = call->tensors[index];
    uint32_t bytes;

    if (tensor == NULL) {
        fputs("null\n", calls);
        return;
    }
    bytes = index < call->out_index ? xymac_mli_bytes(tensor) : 0; /* scratch follows out */
    fprintf(calls, "%llu %lu %lu %lu %lu %lu %lu %ld %u %ld %lu\n",
            (unsigned long long)(uintptr_t)tensor->data, (unsigned long)tensor->capacity,
            (unsigned long)tensor->shape[0], (unsigned long)tensor->shape[1],
            (unsigned long)tensor->shape[2], (unsigned long)tensor->shape[3],
            (unsigned long)tensor->rank, (long)tensor->el_type,
            (unsigned)xymac_mli_frac_bits(call, index), (long)xymac_mli_scalar(tensor),
            (unsigned long)bytes);
    if (bytes > 0)
        fwrite(tensor->data, 1, bytes, calls);
}

/* Take a tensor that was written; nothing changes if out may not lie there, which makes the status, or
 * if the status says so. */
static mli_status take_tensor(const xymac_mli_call *call, mli_status status)
{
    unsigned long shape[MLI_MAX_RANK], rank, bytes;
    uint32_t sizes[MLI_MAX_RANK];
    unsigned frac_bits;
    int index, type, axis;
    mli_tensor *tensor;

    if (fscanf(answers, "%d %lu %lu %lu %lu %lu %d %u %lu", &index, &shape[0], &shape[1],
               &shape[2], &shape[3], &rank, &type, &frac_bits, &bytes) != 9
        || fgetc(answers) != '\n')
        stop("An answer of xymac compile is cut");
    for (axis = 0; axis < MLI_MAX_RANK; axis++)
        sizes[axis] = (uint32_t)shape[axis];
    if (index == call->out_index)
        status = xymac_mli_check_out(call, sizes, (uint32_t)rank, type);
    if (status != MLI_STATUS_OK) {
        for (; bytes > 0; bytes--)
            fgetc(answers);
        return status;
    }
    tensor = index == call->out_index ? call->out : call->cell;
    memcpy(tensor->shape, sizes, sizeof tensor->shape);
    tensor->rank = (uint32_t)rank;
    tensor->el_type = (mli_element_type)type;
    if (type > MLI_EL_FX_16)
        tensor->el_params = call->tensors[0]->el_params;
    else
        tensor->el_params.fx.frac_bits = (uint8_t)frac_bits;
    if (fread(tensor->data, 1, bytes, answers) != bytes)
        stop("An answer of xymac compile is cut");
    return status;
}

mli_status xymac_mli_do(const xymac_mli_call *call)
{
    char line[1024];
    int32_t index;
    int code, count, length;
    mli_status status = xymac_mli_check_inputs(call);

    if (status != MLI_STATUS_OK)
        return status;
    if (calls == NULL) {
        calls = open_file("XYMAC_CALLS", "wb");
        answers = open_file("XYMAC_ANSWERS", "rb");
    }
    fprintf(calls, "call %s %d %lu %lu %ld %ld %ld", call->name, MLI_DEBUG_MODE,
            (unsigned long)xymac_mli_overlaps(call), (unsigned long)call->constants,
            (long)call->out_index, (long)call->tensor_count, (long)call->number_count);
    for (index = 0; index < call->number_count; index++)
        fprintf(calls, " %ld", (long)call->numbers[index]);
    fputc('\n', calls);
    for (index = 0; index < call->tensor_count; index++)
        tell_tensor(call, index);
    fflush(calls);
    take_line(line, sizeof line);
    if (sscanf(line, "%d %d %n", &code, &count, &length) != 2)
        stop("An answer of xymac compile is cut");
    if (code < 0)
        exit(2); /* xymac compile says why */
    status = (mli_status)code;
    if (status != MLI_STATUS_OK)
        return xymac_mli_refuse(call->name, status, line + length);
    for (; count > 0; count--)
        status = take_tensor(call, status);
    return status;
}
