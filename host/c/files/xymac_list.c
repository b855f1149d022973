/* SPDX-License-Identifier: Apache-2.0 */
/* Command lists of a core with a DMA: see xymac.h. */
#include "xymac.h"

#define FIELD(name, word) ((word) >> XYMAC_##name##_AT & XYMAC_##name##_MASK)
#define STOP_POLLS 100000u /* more than the cycles in which a list stops */

/* Hand on an error of what is called. */
#define TRY(call)                   \
    do {                            \
        xymac_error failed = call;  \
        if (failed != XYMAC_OK)     \
            return failed;          \
    } while (0)

static xymac_error read_register(const xymac_core *core, uint32_t which, uint32_t *word)
{
    return core->read(core->context, XYMAC_REGION_REGISTERS + which, word)
        ? XYMAC_ERROR_BUS : XYMAC_OK;
}

static xymac_error write_register(const xymac_core *core, uint32_t which, uint32_t word)
{
    return core->write(core->context, XYMAC_REGION_REGISTERS + which, word)
        ? XYMAC_ERROR_BUS : XYMAC_OK;
}

xymac_error xymac_start_list(const xymac_core *core, uint32_t address, uint32_t bytes,
                             uint32_t list)
{
    uint32_t status, program;

    if (!FIELD(FEATURES_DMA, core->features))
        return XYMAC_ERROR_DMA;
    if (address % (1u << XYMAC_BASE_BASE_AT) || (bytes && address > UINT32_MAX - (bytes - 1)))
        return XYMAC_ERROR_PLACE;
    if (list >= bytes || list % (1u << XYMAC_LIST_LIST_AT))
        return XYMAC_ERROR_RANGE;
    TRY(read_register(core, XYMAC_REGISTER_LIST_STATUS, &status));
    TRY(read_register(core, XYMAC_REGISTER_STATUS, &program));
    if (FIELD(LIST_STATUS_STATE, status) == XYMAC_STATE_BUSY
        || FIELD(STATUS_STATE, program) == XYMAC_STATE_BUSY)
        return XYMAC_ERROR_BUSY;
    TRY(write_register(core, XYMAC_REGISTER_CONTROL, XYMAC_CONTROL_CLEAR));
    TRY(write_register(core, XYMAC_REGISTER_IRQ_MASK, core->wait ? 1u : 0u));
    TRY(write_register(core, XYMAC_REGISTER_BASE, address));
    TRY(write_register(core, XYMAC_REGISTER_SIZE, bytes));
    TRY(write_register(core, XYMAC_REGISTER_LIST, list));
    return write_register(core, XYMAC_REGISTER_CONTROL, XYMAC_CONTROL_LIST);
}

/* Read LIST_STATUS until no list runs, `polls` times at most; 0: as long as it takes. */
static xymac_error poll_list(const xymac_core *core, uint32_t polls)
{
    uint32_t status;

    do {
        TRY(read_register(core, XYMAC_REGISTER_LIST_STATUS, &status));
        if (FIELD(LIST_STATUS_STATE, status) != XYMAC_STATE_BUSY)
            return XYMAC_OK;
    } while (polls == 0 || --polls);
    return XYMAC_ERROR_TIMEOUT;
}

xymac_error xymac_wait_list(const xymac_core *core)
{
    xymac_error error = XYMAC_ERROR_TIMEOUT;

    if (!core->wait || !core->wait(core->context))
        error = poll_list(core, core->wait ? 1 : core->polls);
    if (error == XYMAC_ERROR_TIMEOUT) {
        TRY(write_register(core, XYMAC_REGISTER_CONTROL, XYMAC_CONTROL_STOP));
        TRY(poll_list(core, STOP_POLLS));
    }
    return error;
}

xymac_error xymac_finish_list(const xymac_core *core, xymac_list_result *result)
{
    uint32_t status;
    xymac_error error;

    TRY(read_register(core, XYMAC_REGISTER_LIST_STATUS, &status));
    if (FIELD(LIST_STATUS_STATE, status) == XYMAC_STATE_BUSY)
        return XYMAC_ERROR_BUSY;
    if (result) {
        result->state = FIELD(LIST_STATUS_STATE, status);
        result->status = FIELD(LIST_STATUS_STATUS, status);
        result->entry = FIELD(LIST_STATUS_ENTRY, status);
        TRY(read_register(core, XYMAC_REGISTER_LIST, &result->list));
    }
    error = xymac_finish(core, result ? &result->program : NULL);
    if (error != XYMAC_OK && error != XYMAC_ERROR_FAULT)
        return error;
    return FIELD(LIST_STATUS_STATE, status) == XYMAC_STATE_FAULT ? XYMAC_ERROR_LIST : XYMAC_OK;
}

xymac_error xymac_run_list(const xymac_core *core, uint32_t address, uint32_t bytes, uint32_t list,
                           xymac_list_result *result)
{
    TRY(xymac_start_list(core, address, bytes, list));
    return xymac_end_list(core, result);
}

xymac_error xymac_end_list(const xymac_core *core, xymac_list_result *result)
{
    xymac_error waited = xymac_wait_list(core), ended;

    if (waited != XYMAC_OK && waited != XYMAC_ERROR_TIMEOUT)
        return waited;
    ended = xymac_finish_list(core, result);
    return waited == XYMAC_OK || ended == XYMAC_ERROR_BUS ? ended : waited;
}

const char *xymac_list_status_text(uint32_t status)
{
    static const char *const TEXTS[] = {XYMAC_LIST_STATUS_TEXTS};
    return status < sizeof TEXTS / sizeof *TEXTS ? TEXTS[status] : "unknown status";
}
