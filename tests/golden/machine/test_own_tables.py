# SPDX-License-Identifier: Apache-2.0
"""Tables that the host writes: a table without a place, and entries beyond their memory."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.random_passes import SMALL
from xymac.golden.machine.machine import Machine
from xymac.hdl.isa import OWN_TABLES, Access, Pass, State, Status, Table, TablePlace

PLAIN = Pass(x=Access(0, 0, 99), y=Access(0, 0, 99), z=Access(200, 200, 299))


@pytest.mark.parametrize("table", OWN_TABLES)
def test_a_table_without_a_place_is_a_fault(table):
    machine = Machine(SMALL)
    machine.load([replace(PLAIN, table=table, last=True)])
    before = machine.x.tolist()

    outcome = machine.run()

    assert (outcome.state, outcome.status, outcome.field) == (
        State.FAULT, Status.TABLE, table.value)
    assert machine.x.tolist() == before
    machine.tables.place(table, TablePlace(0, 2, 0))
    assert machine.run().state is State.DONE
    machine.tables.place(table, None)
    assert machine.run().status is Status.TABLE


def test_tables_beyond_their_memory():
    tables = Machine(SMALL).tables
    with pytest.raises(ValueError, match=r"^Entries of tables must lie between 0 and 2047, not "
                                         r"2040 to 2048$"):
        tables.write(2040, np.zeros(9, np.int16))
    with pytest.raises(ValueError, match=r"^NONE has no place$"):
        tables.place(Table.NONE, TablePlace(0, 2, 0))
