/* @TITLE@ for a core of size @SIZE@, made by xymac compile. Do not edit. */
#include "network.h"

#if XYMAC_NETWORK_FORMAT != 1
#error "The driver is of another version than this network"
#endif

@ARRAYS@

static const xymac_value values[] = {
@VALUES@
};

static const xymac_step load_steps[] = {
@LOAD@
};

static const xymac_step run_steps[] = {
@RUN@
};

const xymac_network @NAME@ = {
    "@TITLE@",
    @CORE@,
    values, load_steps, run_steps,
    @COUNTS@
};
