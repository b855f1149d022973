// SPDX-License-Identifier: Apache-2.0
@ARRAYS@

static const xymac_value @PREFIX@values[] = {
@VALUES@
};

static const xymac_step @PREFIX@load_steps[] = {
@LOAD@
};

static const xymac_step @PREFIX@run_steps[] = {
@RUN@
};

@STORAGE@const xymac_network @NAME@ = {
    "@TITLE@",
    @CORE@,
    @PREFIX@values, @PREFIX@load_steps, @PREFIX@run_steps,
    @COUNTS@
};
