# SPDX-License-Identifier: Apache-2.0
"""float32 functions rounded as a C library rounds them, and tables of float32 steps."""

import numpy as np
import pytest

from xymac.golden import run
from xymac.golden.tflm import PlainTable, Quantisation, Tensor
from xymac.golden.tflm.plain.exponents import exponential_less_one

KIND = Quantisation((0.5,), (3,))

#: Bits of arguments and of what expm1f of glibc 2.36 makes of them: every step of the function at
#: both ends, and three that the nearest float32 of exp(x) - 1 is not.
KNOWN = (
    (0x80000000, 0x80000000), (0x80000001, 0x80000001), (0xB2FFFFFF, 0xB2FFFFFF), (0xB3000000,
    0xB3000000), (0xB3000001, 0xB3000001), (0xBEB17218, 0xBE95F61A), (0xBEB17219, 0xBE95F61A),
    (0xBF851591, 0xBF257D86), (0xBF851592, 0xBF257D86), (0xBF851593, 0xBF257D87), (0xC195B843,
    0xBF800000), (0xC195B844, 0xBF800000), (0xC195B845, 0xBF800000), (0xC2000000, 0xBF800000),
    (0xFF800000, 0xBF800000), (0xBED6110D, 0xBEAEF3AC), (0xBFD59556, 0xBF4FBE00), (0xBF15213D,
    0xBEE20F0E))


def test_exponentials_less_one_are_those_of_the_c_library():
    bits = np.array(KNOWN, np.uint32)

    values = exponential_less_one(bits[:, 0].view(np.float32))

    np.testing.assert_array_equal(values.view(np.uint32), bits[:, 1])


def test_exponentials_less_one_are_near():
    x = -np.logspace(-9, 2, 5000).astype(np.float32)

    np.testing.assert_allclose(exponential_less_one(x), np.expm1(x.astype(np.float64)), rtol=1e-7)


def test_a_table_takes_its_entries():
    x     = Tensor(np.int8([[-128, -1], [0, 127]]), KIND)
    table = PlainTable(tuple(range(127, -129, -1)), Quantisation((2.0,), (0,)))

    output = run(table, x).output

    assert output.data.tolist() == [[127, 0], [-1, -128]]
    assert output.quantisation == table.out


@pytest.mark.parametrize(("outputs", "dtype", "sentence"), [
    ((0,) * 255, np.int8, r"outputs must be a tuple of 256 ints"),
    ((0,) * 255 + (128,), np.int8, r"outputs must be from -128 to 127, not 128"),
    ((0,) * 256, np.int16, r"Input .*INT8.*INT16")])
def test_tables_that_do_not_fit(outputs, dtype, sentence):
    x = Tensor(np.zeros(2, dtype), Quantisation((0.5,), (0,)))

    with pytest.raises((TypeError, ValueError), match=sentence):
        run(PlainTable(outputs, KIND), x)
