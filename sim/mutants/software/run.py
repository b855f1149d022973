# SPDX-License-Identifier: Apache-2.0
"""Run mutants: choose tests, run them in forks, confirm a kill, store the result."""

import threading
from collections import defaultdict

from xymac.host.errors import InputError

from .results import Result
from .serve import open_fresh, open_warm

__all__ = ["Runner"]

_CHUNK = 6  #: Test files that a fresh process imports at a time.


class Runner:
    """Runs mutants in ``jobs`` pairs of processes.

    Parameters
    ----------
    project, cover, results : Project, Cover, Results
    jobs : int
    """

    def __init__(self, project, cover, results, jobs=1):
        self.project, self.cover, self.results, self.jobs = project, cover, results, jobs
        self.killers  = defaultdict(dict)  # function -> tests that killed its mutants
        self.sound    = {}                 # (way, test) -> whether it passes without a mutant
        self.lock     = threading.Lock()

    def run(self, mutants, say=lambda result, is_kept: None):
        """Results for Mutants; ``say(result, is_kept)`` is called after each."""
        open_, done = [], []
        for mutant in mutants:
            tests = self.cover.select(mutant)
            kept  = self.results.find(mutant, self.project.hash_of(mutant.file), tests.digest)
            if kept is None and not tests.warm and not tests.fresh:
                kept = self._result(mutant, tests, {"outcome": "not covered"}, 0)
                self.results.add(kept)
            if kept is None:
                open_.append((mutant, tests))
            else:
                done.append(kept)
                say(kept, True)
        open_.sort(key=lambda each: not each[1].warm)  # quick ones first
        if open_:
            done += self._run_all(open_, say)
        order = {mutant.name: index for index, mutant in enumerate(mutants)}
        return sorted(done, key=lambda result: order[result.name])

    def _run_all(self, waiting, say):
        warm = sorted({test.file for _, tests in waiting for test in tests.warm})
        # Servers before threads: a fork copies one thread.
        pairs = [(open_fresh(self.project, self.cover.modules),
                  open_warm(self.project, warm) if warm else None) for _ in range(self.jobs)]
        results, faults, queue = [], [], list(reversed(waiting))

        def work(pair):
            try:
                while True:
                    with self.lock:
                        if not queue or faults:
                            return
                        mutant, _ = queue.pop()
                    result = self._run_one(mutant, *pair)
                    with self.lock:
                        self.results.add(result)
                        results.append(result)
                        say(result, False)
            except BaseException as error:
                faults.append(error)

        threads = [threading.Thread(target=work, args=(pair,)) for pair in pairs]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        finally:
            with self.lock:
                queue.clear()
            for thread in threads:
                thread.join()
            for server in (each for pair in pairs for each in pair if each is not None):
                server.close()
        if faults:
            raise faults[0]
        return results

    def _run_one(self, mutant, fresh, warm):
        first   = self.killers[mutant.file, mutant.function]
        tests   = self.cover.select(mutant, first)
        change  = {"file": mutant.file, "order": mutant.order}
        answers = []
        if tests.warm:
            answers.append(self._confirmed(warm, "warm", change, tests.warm))
            if answers[-1]["outcome"] == "not swapped":
                answers.pop()
                answers += self._run_fresh(fresh, change, tests.warm)
        if not any(_is_killed(answer) for answer in answers):
            answers += self._run_fresh(fresh, change, tests.fresh)
        return self._conclude(mutant, tests, answers)

    def _conclude(self, mutant, tests, answers):
        rank   = ("killed", "timeout", "survived", "not covered")
        answer = min(answers, key=lambda answer: rank.index(answer["outcome"]))
        if _is_killed(answer):
            self.killers[mutant.file, mutant.function][answer["by"]] = None
        return self._result(mutant, tests, answer, sum(each["seconds"] for each in answers))

    def _run_fresh(self, server, change, tests):
        """Answers from fresh processes, with some test files each, in sequence."""
        files, answers = list(dict.fromkeys(test.file for test in tests)), []
        for start in range(0, len(files), _CHUNK):
            some = files[start:start + _CHUNK]
            answers.append(self._confirmed(server, "fresh", change,
                                           [test for test in tests if test.file in some]))
            if _is_killed(answers[-1]):
                break
        return answers

    def _confirmed(self, server, way, change, tests):
        """Answer to a mutant, without tests that fail or hang without the mutant."""
        seconds = 0.0
        while True:
            answer   = _ask(server, tests, **change)
            seconds += answer["seconds"]
            answer   = {**answer, "seconds": seconds}
            if not _is_killed(answer) or self._is_sound(server, way, answer["by"], tests):
                return answer
            tests = [test for test in tests if test.name != answer["by"]]
            if not tests:
                raise InputError(f"{answer['by']} fails without a mutant: {answer.get('error')}")

    def _is_sound(self, server, way, name, tests):
        """Whether a test passes without a mutant, in the same kind of process."""
        chosen = [test for test in tests if test.name == name] or tests
        key    = way, *(test.name for test in chosen)
        if key not in self.sound:
            self.sound[key] = not _is_killed(_ask(server, chosen))
            if not self.sound[key] and chosen is tests:
                raise InputError(f"{', '.join(sorted({test.file for test in tests}))} cannot be "
                                 f"collected without a mutant")
        return self.sound[key]

    def _result(self, mutant, tests, answer, seconds):
        return Result(
            file=mutant.file, line=mutant.line, number=mutant.number, function=mutant.function,
            text=mutant.text, outcome=answer["outcome"], by=answer.get("by", ""),
            error=answer.get("error", ""), tests=len(tests.warm) + len(tests.fresh),
            left=tests.left, chosen=self.cover.select(mutant).digest,
            source=self.project.hash_of(mutant.file), seconds=round(seconds, 3))


def _ask(server, tests, **change):
    return server.ask(**change, tests=[(test.name, test.seconds) for test in tests],
                      files=list(dict.fromkeys(test.file for test in tests)))


def _is_killed(answer):
    return answer["outcome"] in ("killed", "timeout")
