# SPDX-License-Identifier: Apache-2.0
"""Regression evidence for the sign-off page: outcomes by kind, and campaign stimuli."""

import shlex

from xymac.host.errors import InputError
from xymac.sim.signoff.evidence import digest_places, load, save
from xymac.sim.signoff.need import ASKED, IN_ALL
from xymac.sim.signoff.places import PLACES

from .counted import sum_counted
from .piece import KINDS
from .robust import CAMPAIGNS

__all__ = ["digest_all", "robust_figures", "save_evidence"]

_NONE = "none"  # in place of failures


def digest_all():
    """{evidence name: {place: digest}} for all evidence of a regression, at its begin."""
    return {name: digest_places(places) for name, places in PLACES.items()
            if name.startswith(("regress-", "robust-"))}


def save_evidence(run, settings, seeds, kept, places):
    """Save ``regress-KIND`` for every kind whose pieces all ran, and ``robust-GROUP``.

    Parameters
    ----------
    run : Run
    settings : dict, run settings, see ``write_settings``
    seeds : int, seeds per random piece
    kept : Results from all runs
    places : digests from ``digest_all``
    """
    is_whole = settings["match"] == "*" and not run.missing
    for kind in KINDS:
        results = [result for result in run.results if result.kind == kind]
        name    = f"regress-{kind}"
        if results and is_whole and name in places:
            save(name, f"xymac regress --only {kind} --seeds {seeds} --seed {run.seed}",
                 _figures(results, seeds), seed=run.seed, places=places[name])
    groups = {}
    for campaign in CAMPAIGNS:
        groups.setdefault(campaign.evidence, []).append(campaign)
    for name, campaigns in groups.items():
        results = [result for result in run.results if _belongs(result, campaigns)]
        if results:
            figures = robust_figures(campaigns, results, kept.stored(), places[name],
                                     _failures_before(name, places[name]))
            save(name, f"xymac regress --only robust --match {shlex.quote(settings['match'])} "
                 f"--seed {run.seed}", figures, seed=run.seed, places=places[name])


def _belongs(result, campaigns):
    return result.kind == "robust" and any(
        campaign.name in (result.name, result.name.rpartition(" ")[0]) for campaign in campaigns)


def _figures(results, seeds):
    """Figures for a piece kind."""
    return {"pieces": len(results), "seeds": seeds,
            **{name: sum(getattr(result, name) for result in results)
               for name in ("passed", "failed", "skipped")},
            "failures": "; ".join(_failures(results)) or _NONE}


def _title(result):
    return f"{result.name} with seed {result.seed}"


def _failures(results):
    return sorted({_title(result) for result in results if not result.is_good})


def _failures_before(name, places):
    """Failures in the last evidence of a ``name``, if it is of the same sources."""
    try:
        before = load(names=[name]).get(name)
    except InputError:  # a damaged file, which the new one replaces
        return []
    if before is None or before.places != places:
        return []
    return [each for each in str(before.figures.get("failures", _NONE)).split("; ")
            if each != _NONE]


def robust_figures(campaigns, results, stored, places, before=()):
    """Figures for campaigns: stimuli on these sources, and on any sources; and failures.

    Stimuli with equal seeds count once. A failure stays until a source changes or its piece passes.

    Parameters
    ----------
    campaigns : list of Campaign, with equal places
    results : this run's Results
    stored : passed Results of all runs
    places : {place: digest} of these sources
    before : failures of earlier runs on these sources, a list of str
    """
    ever = {result.command: result for result in stored}
    here = {result.command: result for result in stored if result.places == places}
    passed   = {_title(result) for result in here.values()}
    failures = {*_failures(results), *(each for each in before if each not in passed)}
    now, all_ = sum_counted(here.values()), sum_counted(ever.values())
    figures   = {"failures": "; ".join(sorted(failures)) or _NONE}
    for campaign in campaigns:
        figures[campaign.name] = now.get(campaign.name, 0)
        figures[f"{campaign.name}{IN_ALL}"] = all_.get(campaign.name, 0)
        figures[f"{campaign.name}{ASKED}"]  = campaign.goal
    return figures
