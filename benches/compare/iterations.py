"""How many attempts a scripted agent needs until its change is accepted, with and without guard's help.

Each run implements one design of the fixtures. The agent misplaces files as often as the commits of a real project did,
guard judges each path, and the agent reacts by the rules below. The rates are counts from one public project whose
designs have a Files Changed table (104 commits, each compared with the design that it implements).
"""

import json
import random
import statistics
from pathlib import PurePosixPath

from tools import GUARD, SOURCE, Workspace, git, run

RUNS = 1000
SEED = 2

# How many commits had no file outside of their design, before and after the project put the paths into the prompt.
CLEAN, CLEAN_IN_PROMPT = 9 / 41, 17 / 44
# Of the other commits: 54 had 1 to 3 such files, 19 had 4 to 9.
SOME, MANY = 54, 19
# Of 205 such files, 11 had the name of a listed file, 68 stood beside one, and 126 were neither.
KINDS = {"directory": 11, "name": 68, "row": 126}
# Of 754 rows, 169 were never touched by the commit.
UNUSED = 169 / 754

MODEL = {"clean": CLEAN, "clean in prompt": CLEAN_IN_PROMPT, "kinds": KINDS, "follows": 1.0}
VARIANTS = {
    "the model": MODEL,
    "paths in the prompt change nothing": MODEL | {"clean in prompt": CLEAN},
    "half of the files beside a listed one need a row of their own": MODEL | {"kinds": {"directory": 11, "name": 34, "row": 160}},
    "the agent follows the closest path 7 times in 10": MODEL | {"follows": 0.7},
    "every misplaced file has a row": MODEL | {"kinds": {"directory": 11, "name": 68, "row": 0}},
}

# (name, paths in the prompt, who answers, does the answer name the closest path)
ARMS = [
    ("no guard: the best reviewer", False, "reviewer", True),
    ("no guard: a reviewer who names files only", False, "reviewer", False),
    ("guard refuses, without help", False, "guard", False),
    ("guard refuses and names the closest path", False, "guard", True),
    ("paths in the prompt, and guard names the closest", True, "guard", True),
]


class Design:
    """A design in a repository of its own."""

    def __init__(self, text, at):
        self.workspace = Workspace()
        root = self.workspace.path
        (root / at).parent.mkdir(parents=True, exist_ok=True)
        (root / at).write_text(text)
        (root / "guard.toml").write_text(f'[lld]\npath = "{at}"\n')
        git(root, "init", "--quiet", "--template=", "--initial-branch=main")
        git(root, "add", "--all")
        git(root, "commit", "--quiet", "-m", "Design")
        shown = run([GUARD, "scope", "show", "--lld", at, "--format", "json"], root)
        grants = json.loads(shown.stdout).get("grants", [])
        self.files = [
            grant["path"] for grant in grants
            if grant["kind"] == "file" and {"add", "modify"} & set(grant["actions"]) and "." in grant["path"]
        ]
        self.command = [GUARD, "check", "--lld", at, "--format", "json", "--"]
        self.answers = {}

    def ask(self, path):
        """guard's answer. The repository stays as it is, so guard is asked about each path once."""
        if path not in self.answers:
            checked = run([*self.command, path], self.workspace.path)
            self.answers[path] = json.loads(checked.stdout)["results"][0]
        return self.answers[path]

    def close(self):
        with self.workspace:
            pass


def designs():
    """The LLD of the demonstration and the plans of fixtures/plans that name at least three files."""
    found = [Design((SOURCE / "fixtures/demo/LLD-188.md").read_text(), "docs/lld/active/LLD-188.md")]
    for grants in sorted((SOURCE / "fixtures/plans").glob("*.grants")):
        at = grants.read_text().split("\n")[0].removeprefix("at ")
        found.append(Design(grants.with_suffix(".md").read_text(), at))
    for few in [design for design in found if len(design.files) < 3]:
        few.close()
    return [design for design in found if len(design.files) >= 3]


def wrong_directory(chance, path, design):
    others = {str(PurePosixPath(other).parent) for other in design.files} | {"core", "src", "lib", "utils"}
    return str(PurePosixPath(chance.choice(sorted(others))) / PurePosixPath(path).name)


def wrong_name(chance, path, _):
    path = PurePosixPath(path)
    stem, *rest = path.name.split(".", 1)
    joint = "-" if "-" in stem else "_"
    names = [f"{stem}{joint}impl", f"new{joint}{stem}", f"{stem}s", f"{stem}{joint}utils"]
    names += [joint.join(stem.split(joint)[1:])] if joint in stem else []
    return str(path.with_name(".".join([chance.choice(names), *rest])))


def needed(chance, _, design):
    """A file that the work needs and the design forgot: wiring, an entry point or a test."""
    top = PurePosixPath(chance.choice(design.files)).parts[0]
    suffix = PurePosixPath(design.files[0]).suffix
    names = [f"{top}/state{suffix}", f"{top}/graph{suffix}", f"tools/run_feature{suffix}", f"{top}/registry{suffix}", f"tests/test_wiring{suffix}"]
    names += [f"{top}/cli/commands{suffix}", f"tests/helpers{suffix}", f"scripts/entry{suffix}", f"config/defaults{suffix}"]
    return chance.choice(names)


MAKE = {"directory": wrong_directory, "name": wrong_name, "row": needed}


class File:
    """A file that the agent writes: where it is now, the row it belongs to (None: a row is missing), and the options left."""

    def __init__(self, kind, target, at):
        self.kind, self.target, self.at, self.tried = kind, target, at, set()


def begin(chance, design, model):
    """The misplaced files of the first attempt, the rows that nothing was written to, and the number of other files."""
    count = 0
    if chance.random() >= model["clean"]:
        count = chance.randint(1, 3) if chance.random() < SOME / (SOME + MANY) else chance.randint(4, 9)
    listed = [path for path in design.files if chance.random() >= UNUSED]
    free = [path for path in design.files if path not in listed]
    files = []
    for kind in chance.choices(list(model["kinds"]), model["kinds"].values(), k=count):
        if kind != "row" and not listed:
            kind = "row"
        target = None if kind == "row" else listed.pop(chance.randrange(len(listed)))
        # A place that the design grants, say by a directory, is not wrong; nor is one that another file has.
        for _ in range(20):
            at = MAKE[kind](chance, target, design)
            if not design.ask(at)["allowed"] and at not in [file.at for file in files]:
                files.append(File(kind, target, at))
                break
        if target:
            free.append(target)
    return files, free, len(listed)


def options(file, free):
    """What the agent can think of: rows that wait for a file, asking for a row, another place of its own."""
    return [option for option in [*free, "ask for a row", "another place"] if option not in file.tried]


def react(chance, file, free, closest):
    """The agent's next choice for a refused file. With a closest path it takes that; if none is free, it asks."""
    left = options(file, free)
    if closest is not None and not file.tried:
        choice = closest if closest in left else "ask for a row"
    else:
        choice = chance.choice(left)
    file.tried.add(choice)
    return choice


def one_run(chance, design, model, judge, helps):
    """(attempts, turns of a person, files written) of one run, and how good the closest paths were."""
    files, free, written = begin(chance, design, model)
    attempts, people = 1, int(judge == "reviewer")
    written += len(files)
    hints, told = [], set()
    while files:
        attempts += 1
        left = []
        asked = False
        for file in files:
            if judge == "reviewer" and helps or file in told:
                # A person who knows the design says where the file belongs, or adds its row.
                written += file.target is not None
                continue
            answer = design.ask(file.at)
            closest = (answer["closest_match"] or "") if helps else None
            if helps and not file.tried:
                hints.append((file.kind, bool(closest), closest == file.target))
            if closest and chance.random() >= model["follows"]:
                closest = None
            choice = react(chance, file, free, closest)
            if choice == "ask for a row":
                asked = True
                if file.target:
                    # The design names this file: the person says which row it is. It goes there next time.
                    told.add(file)
                    left.append(file)
                continue
            written += 1
            if choice != file.target:
                # Refused again, or accepted by guard at the wrong place, where the tests do not find it.
                left.append(file)
        people += int(asked or judge == "reviewer")
        for file in files:
            if file not in left and file.target in free:
                free.remove(file.target)
        files = left
    return attempts, people, written, hints


def simulate(every, model):
    """arm -> (attempts, people, written) of each run, and the hints of all."""
    found, hints = {}, []
    for name, prompted, judge, helps in ARMS:
        runs = []
        for number in range(RUNS):
            # The same seed gives each arm the same design and, without a prompt, the same misplaced files.
            chance = random.Random(SEED * 1_000_003 + number)
            arm = model | {"clean": model["clean in prompt" if prompted else "clean"]}
            attempts, people, written, given = one_run(chance, every[number % len(every)], arm, judge, helps)
            runs.append((attempts, people, written))
            if judge == "guard" and not prompted:
                hints += given
        found[name] = runs
    return found, hints


def table(found):
    lines = ["| | attempts: mean | 95 of 100 runs within | turns of a person |", "|---" + "|---:" * 3 + "|"]
    for name, runs in found.items():
        attempts, people, _ = (sorted(column) for column in zip(*runs))
        within = attempts[len(runs) * 95 // 100]
        lines.append(f"| {name} | {statistics.mean(attempts):.2f} | {within} | {statistics.mean(people):.2f} |")
    return "\n".join(lines)


def table_of_hints(hints):
    lines = ["| misplaced file | refused | guard names a path | it is the right one |", "|---|---:|---:|---:|"]
    for kind, about in [("directory", "right name, wrong directory"), ("name", "wrong name beside a listed file"), ("row", "no row: no path is right")]:
        own = [hint for hint in hints if hint[0] == kind]
        right = "" if kind == "row" else str(sum(hint[2] for hint in own))
        lines.append(f"| {about} | {len(own)} | {sum(hint[1] for hint in own)} | {right} |")
    return "\n".join(lines)


def table_of_variants(every):
    """The mean attempts if an assumption of the model is another."""
    lines = ["| | " + " | ".join(name for name, *_ in ARMS) + " |", "|---" + "|---:" * len(ARMS) + "|"]
    for name, model in VARIANTS.items():
        found, _ = simulate(every, model)
        means = [statistics.mean(attempts for attempts, *_ in runs) for runs in found.values()]
        lines.append(f"| {name} | " + " | ".join(f"{mean:.2f}" for mean in means) + " |")
    return "\n".join(lines)


def measure():
    """The results of the model, its hints, and its variants as a table."""
    every = designs()
    found, hints = simulate(every, MODEL)
    variants = table_of_variants(every)
    for design in every:
        design.close()
    return found, hints, variants


if __name__ == "__main__":
    found, hints, variants, count = measure()
    print(f"{RUNS} runs per arm, {count} designs", table(found), table_of_hints(hints), variants, sep="\n\n")
