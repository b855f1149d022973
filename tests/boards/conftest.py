# SPDX-License-Identifier: Apache-2.0
"""A cluster in the process of the tests."""

import pytest

from xymac.host.cli.main import main


@pytest.fixture
def address():
    """A cluster of one worker in this process, where the stand-ins are."""
    distributed = pytest.importorskip("distributed", reason="needs the extra `cluster`")
    with distributed.LocalCluster(1, processes=False, threads_per_worker=2,
                                  dashboard_address=":0", protocol="tcp") as cluster:
        yield cluster.scheduler_address


@pytest.fixture(scope="session")
def exported(tmp_path_factory):
    """Folder that `xymac verilog` wrote for the smallest core."""
    folder = tmp_path_factory.mktemp("verilog") / "new" / "folder"
    assert main(["verilog", "--size", "tiny", "-o", str(folder)]) == 0
    return folder
