# SPDX-License-Identifier: Apache-2.0
"""Regression evidence for the sign-off page: outcomes by kind, and campaign stimuli."""

from xymac.sim.signoff.evidence import save

from .counted import sum_counted
from .piece import KINDS
from .robust import CAMPAIGNS

__all__ = ["save_evidence"]


def save_evidence(run, settings, seeds, kept):
    """Save the evidence ``regress-KIND`` for every kind whose pieces all ran, and ``robustness``.

    Parameters
    ----------
    run : Run
    settings : dict, run settings, see ``write_settings``
    seeds : int, seeds per random piece
    kept : Results from all runs
    """
    is_whole = settings["match"] == "*" and not run.missing
    for kind in KINDS:
        results = [result for result in run.results if result.kind == kind]
        if results and is_whole:
            save(f"regress-{kind}", f"xymac regress --only {kind} --seeds {seeds} --seed "
                 f"{run.seed}", _figures(results, seeds), seed=run.seed)
    if sum_counted(run.results):
        save("robustness", f"xymac regress --only robust --seed {run.seed}",
             robust_figures(run, kept.stored()), seed=run.seed)


def _figures(results, seeds):
    """Figures for a piece kind."""
    bad = sorted({f"{result.name} with seed {result.seed}" for result in results
                  if not result.is_good})
    return {"pieces": len(results), "seeds": seeds,
            **{name: sum(getattr(result, name) for result in results)
               for name in ("passed", "failed", "skipped")},
            "failures": "; ".join(bad) or "none"}


def robust_figures(run, stored):
    """Figures for all campaigns: stimuli on this run's sources, and on any sources.

    Stimuli with equal seeds on the same sources count once, on this run's and on other sources.
    """
    sources = run.environment.sources
    here = {result.command: result for result in stored if result.sources == sources}
    ever = {result.command: result for result in stored}
    now, all_ = sum_counted(here.values()), sum_counted(ever.values())
    figures = {"failures": "; ".join(sorted(
        f"{result.name} with seed {result.seed}" for result in run.results
        if not result.is_good)) or "none"}
    for campaign in CAMPAIGNS:
        figures[campaign.name] = all_.get(campaign.name, 0)
        figures[f"{campaign.name}, on these sources"] = now.get(campaign.name, 0)
        figures[f"{campaign.name}, asked"] = campaign.goal
    return figures
