# SPDX-License-Identifier: Apache-2.0
"""Choose mutants by file, line, earlier survival or at random."""

import random
from fnmatch import fnmatchcase

from xymac.host.errors import InputError

from .sites import mutants_of

__all__ = ["choose_mutants"]


def choose_mutants(project, options):
    """The Mutants of a Project that the command line selects, in file and line order, a list.

    ``options`` is the parsed command line. InputError if it selects no mutant.
    """
    sources = project.sources
    if options.file:
        sources = [file for file in sources
                   if any(fnmatchcase(file, glob) for glob in options.file)]
        if not sources:
            raise InputError(f"No source matches --file {' '.join(options.file)}")
    if options.only:
        return _only(project, options.only)
    mutants = [mutant for file in sources for mutant in mutants_of(project.text(file), file)]
    if options.survivors:
        from .results import Results

        known   = Results(project.folder / "results.jsonl").known
        mutants = [mutant for mutant in mutants if _has_survived(known, mutant)]
    elif not options.all and len(mutants) > options.sample:
        chosen  = random.Random(options.seed).sample(range(len(mutants)), options.sample)
        mutants = [mutants[index] for index in sorted(chosen)]
    if not mutants:
        raise InputError("There is no mutant to run")
    return mutants


def _has_survived(known, mutant):
    result = known.get((mutant.file, mutant.line, mutant.number))
    return result is not None and not result.is_killed and result.text == mutant.text


def _only(project, names):
    """The Mutants named FILE:LINE or FILE:LINE:K; InputError for an unknown name."""
    found = []
    for name in names:
        file, _, position = name.partition(":")
        if file not in project.sources:
            raise InputError(f"--only {name}: there is no source {file}")
        line, _, number = position.partition(":")
        some = [mutant for mutant in mutants_of(project.text(file), file)
                if str(mutant.line) == line and number in ("", str(mutant.number))]
        if not some:
            raise InputError(f"--only {name}: there is no such mutant; --list --file {file} shows "
                             f"all of them")
        found += some
    return found
