"""Runs the comparison, prints all of it, and writes the tables of docs/dev/comparison.md.

Arguments: any of cases, paths, times, iterations (without one, all); --check writes nothing, and fails if a verdict or
an iteration differs from the page. Times always differ, so --check only prints them.
"""

import datetime
import os
import platform
import sys
import time

import iterations
import times
import verdicts
from tools import GUARD, SOURCE, config_files, run

PAGE = SOURCE / "docs/dev/comparison.md"
PARTS = ["cases", "paths", "times", "iterations"]


def cases():
    found = verdicts.judge_cases()
    print(verdicts.table_of_cases(found))
    right, missed, alarms, _ = verdicts.count_cases(found)["guard"]
    assert alarms == 0 and right + missed > 30, (right, missed, alarms)
    return {"counts": verdicts.table_of_counts(found), "wrong": verdicts.list_of_wrong(found)}


def paths():
    found = verdicts.judge_paths()
    for line in verdicts.wrong_answers(found):
        print(line)
    return {"paths": verdicts.table_of_paths(found)}


def measure_times():
    by_size, by_request = times.measure()
    date = datetime.date.today().isoformat()
    version = run(["git", "--version"], SOURCE).stdout.decode().split()[2]
    load = f"{os.getloadavg()[0]:.1f}"
    machine = f"{platform.system()} on {os.cpu_count()} processors, load {load}, git {version}, Python {platform.python_version()}, {date}."
    return {"times": times.table_of_staged(by_size), "requests": times.table_of_requests(by_request), "machine": machine}


def measure_iterations():
    found, hints, variants = iterations.measure()
    print(f"{iterations.table_of_hints(hints)}\n\n{variants}")
    return {"iterations": iterations.table(found)}


def between(page, name, content):
    """The page with other content between the marks of a name."""
    begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
    before, rest = page.split(begin)
    _, after = rest.split(end)
    return f"{before}{begin}\n{content}\n\n{end}{after}"


def main(arguments):
    is_check = "--check" in arguments
    wanted = [argument for argument in arguments if argument != "--check"] or PARTS
    if unknown := set(wanted) - set(PARTS):
        sys.exit(f"unknown part: {', '.join(unknown)}; there are {', '.join(PARTS)}")
    config_files()
    print(run([GUARD, "--version"], SOURCE).stdout.decode().strip(), flush=True)
    page, differing = PAGE.read_text(), []
    for part, measure in zip(PARTS, [cases, paths, measure_times, measure_iterations]):
        if part not in wanted:
            continue
        start = time.monotonic()
        for name, content in measure().items():
            print(f"\n{name}\n\n{content}", flush=True)
            changed = between(page, name, content)
            if is_check and part != "times" and changed != page:
                differing.append(name)
            elif not is_check:
                page = changed
        print(f"\n{part}: {time.monotonic() - start:.0f} s", flush=True)
    if not is_check:
        PAGE.write_text(page)
    elif differing:
        sys.exit(f"docs/dev/comparison.md differs: {', '.join(differing)}; run benches/compare/run and review the change")


if __name__ == "__main__":
    main(sys.argv[1:])
