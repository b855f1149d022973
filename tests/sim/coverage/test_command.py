# SPDX-License-Identifier: Apache-2.0
"""``python -m xymac.sim.coverage``: jobs, wrong arguments, a run with processes of no use."""

import re
from pathlib import Path

import pytest

from xymac.hdl.core.hostport import HostPort
from xymac.sim.build.annotate import annotated_verilog
from xymac.sim.build.compile import ports_of, verilog_of
from xymac.sim.coverage import command
from xymac.sim.coverage.collect import add_up, own_hits, run_jobs
from xymac.sim.coverage.jobs import GROUPS, SIZES, Job, list_jobs
from xymac.sim.coverage.points import Point

ROOT = Path(__file__).parents[3]
DMA  = Point("dma/order.py", 1, "line", "")


def test_every_size_and_group_has_jobs():
    jobs = list_jobs([*SIZES])
    assert {size for job in jobs for size in job.sizes} == set(SIZES)
    assert {job.group for job in jobs} == set(GROUPS)
    assert len({job.name for job in jobs}) == len(jobs)
    for job in jobs:
        for word in job.words:
            assert not word.startswith("tests/") or (ROOT / word).exists()
    assert len(list_jobs(["tiny"], quick=True)) < len(list_jobs(["tiny"])) < len(jobs)
    assert {job.group for job in list_jobs(["base"], ["blocks", "random"])} == {"blocks", "random"}


def test_a_seed_reaches_the_random_tests():
    [job] = list_jobs(["tiny"], ["random"], seed=42)
    assert job.words[-2:] == ("--seed", "42")


@pytest.mark.parametrize(("words", "fault"), [
    (["--size", "huge"], "must be of tiny, base, dma, not 'huge'"),
    (["--only", "all"], "not 'all'"), (["--jobs", "0"], "must be at least 1, not 0"),
    (["--seed", "-1"], "must be at least 0, not -1"), (["--seed", "a"], "must be an int, not 'a'")])
def test_wrong_arguments(words, fault, capsys):
    with pytest.raises(SystemExit, match="2"):
        command.main(words)
    assert fault in capsys.readouterr().err


def test_no_stimulus(capsys):
    assert command.main(["--size", "dma", "--only", "calls"]) == 2
    assert "No stimulus of calls reaches dma" in capsys.readouterr().out


def test_a_failed_process_is_told(tmp_path, monkeypatch, capsys):
    job = Job("broken", "calls", ("tiny",), ("-c", "raise SystemExit('it broke')"))
    monkeypatch.setattr(command, "list_jobs", lambda *_, **__: [job])
    monkeypatch.setattr(command, "save", lambda *_, **__: pytest.fail("there are no figures"))
    assert command.main(["--size", "tiny", "--jobs", "1", "-o", str(tmp_path)]) == 1
    told = capsys.readouterr().out
    assert "broken: FAILED with code 1" in told
    assert "it broke" in told
    assert "No simulation counted the coverage of tiny" in told


def test_a_process_counts_in_a_folder_of_its_own(tmp_path):
    job = Job("shown", "calls", ("tiny",), (
        "-c", "import os; print(os.environ['XYMAC_COVERAGE'])"))
    [outcome] = run_jobs([job], tmp_path, 1)
    assert outcome.output == str((tmp_path / "job-0").resolve())
    assert (outcome.code, outcome.counts) == (0, {})


def test_hits_of_benches_and_of_other_sizes():
    here, other, strange = (Point("ring.py", line, "line", "") for line in (1, 2, 3))
    counts = {"core-tiny": {here: 1, other: 0}, "ring": {other: 5, strange: 1},
              "core-base": {other: 100}, "core_dma_w4_x2048_y2560_p128_s4_dma32": {other: 1000},
              "core_axi4_w1_x2048_y4096_p32_s2_dma32": {DMA: 7}}
    assert add_up("tiny", counts) == {here: 1, other: 5}
    assert add_up("base", counts) == {other: 100 + 5}
    assert add_up("dma", counts) == {DMA: 7}
    assert own_hits("tiny", counts) == {here: 1, other: 0}
    assert own_hits("base", counts) == {other: 100}


def test_the_counted_hardware_is_that_of_the_tests():
    """But for attributes, comments and watches of state machines."""
    component = HostPort(ways=1, x_rows=512, y_rows=512, passes=4)
    text, _   = annotated_verilog(component, ports_of(component))
    plain     = verilog_of(HostPort(ways=1, x_rows=512, y_rows=512, passes=4))
    assert _bare(text) == _bare(plain)


def _bare(verilog):
    verilog = re.sub(r"/\* watches \*/.*?/\* end of watches \*/", "", verilog, flags=re.DOTALL)
    verilog = re.sub(r"\(\* [^*]*? \*\)|/\* .*? \*/", "", verilog)
    return "".join(verilog.split())


def test_evidence_names_no_output_folder():
    """The page of the sign-off is read on other computers."""
    for folder in (["-o", "/somewhere/else"], ["--output=/somewhere/else"]):
        assert command._command(["--size", "tiny", *folder, "--seed", "5"]) == (
            "python -m xymac.sim.coverage --size tiny --seed 5")
