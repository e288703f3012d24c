"""Verdicts: on the forty cases of cases.toml, and on the hostile and harmless paths of fixtures/paths."""

import json
import os
import re
import shutil
import struct
import tomllib
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha1

from tools import COMMANDS, GUARD, JOBS, SOURCE, Workspace, git, judge_staged, reference_server, run

PRELUDE = SOURCE / "fixtures/repos/prelude.sh"


def shell(repo, script):
    done = run(["sh", "-euc", f". {PRELUDE}\n{script}"], repo)
    assert done.returncode == 0, f"{script}\n{done.stderr.decode()}"


def mark(case, tool, verdict):
    """What the table says about a verdict."""
    is_job = case["concern"] in JOBS[tool]
    if case["wants"] == "refuse":
        if verdict == "refuses" or is_job and verdict == "fails":
            return "refused"
        if not is_job:
            return "not its job"
        return "only warned" if verdict == "warns" else "**missed**"
    if verdict != "accepts":
        return "refused by design" if tool in case.get("by_design", []) else "**false alarm**"
    return "accepted"


def judge_case(case):
    """The name of a case and its marks, one per tool."""
    marks = {}
    before = Workspace()
    with before as repo:
        shell(repo, case["set_up"])
        with before.copy() as workspace:
            if request := case.get("request"):
                server = reference_server(workspace)
                verdict = "accepts" if server.write(request["path"], request["content"]) else "refuses"
                server.close()
                marks["MCP server"] = mark(case, "MCP server", verdict)
            else:
                marks["MCP server"] = "no write"
        shell(repo, case["change"])
        for tool in COMMANDS:
            with before.copy() as copy:
                marks[tool] = mark(case, tool, judge_staged(tool, copy))
    return case, marks


def judge_cases():
    cases = tomllib.loads((SOURCE / "benches/compare/cases.toml").read_text())["case"]
    assert len(cases) == 40, len(cases)
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return list(threads.map(judge_case, cases))


def by_concern(results):
    return sorted(results, key=lambda result: result[0]["concern"])


def table_of_cases(results):
    lines = ["| concern | case | " + " | ".join(JOBS) + " |", "|---" * (2 + len(JOBS)) + "|"]
    for case, marks in by_concern(results):
        lines.append(f"| {case['concern']} | {case['name']} | " + " | ".join(marks[tool] for tool in JOBS) + " |")
    return "\n".join(lines)


WRONG = {"only warned": "only warns about", "**missed**": "misses", "**false alarm**": "refuses wrongly"}


def list_of_wrong(results):
    """The cases that a tool judges wrongly."""
    lines = []
    for tool in JOBS:
        for mark, verb in WRONG.items():
            if names := [case["name"] for case, marks in by_concern(results) if marks[tool] == mark]:
                lines.append(f"- {tool} {verb}: {'; '.join(names)}")
    return "\n".join(lines)


GOOD = {"refused", "accepted", "refused by design"}


def count_cases(results):
    """Per tool: right answers, wrong answers, and cases that are not its job."""
    counts = {}
    for tool in JOBS:
        marks = [marks[tool] for _, marks in results]
        right = sum(one in GOOD for one in marks)
        missed = sum(one in ("**missed**", "only warned") for one in marks)
        alarms = sum(one == "**false alarm**" for one in marks)
        counts[tool] = (right, missed, alarms, len(marks) - right - missed - alarms)
    return counts


def table_of_counts(results):
    lines = ["| tool | right | missed | false alarms | not its job |", "|---|---|---|---|---|"]
    lines += [f"| {tool} | " + " | ".join(map(str, numbers)) + " |" for tool, numbers in count_cases(results).items()]
    return "\n".join(lines)


# Paths

def entries(*contexts):
    every = json.loads((SOURCE / "fixtures/paths/hostile.json").read_text())
    return [entry for entry in every if entry["context"] in contexts]


def bytes_of(entry):
    given = entry["input"]
    return bytes.fromhex(given["bytes_hex"]) if isinstance(given, dict) else given.encode()


def is_hostile(entry):
    return entry["expected"] != "accept"


def moved(text, root):
    """The corpus assumes a workspace at /ws."""
    root = os.fsencode(root)
    text = text.replace(b"/proc/self/root/ws", b"/proc/self/root" + root)
    if text == b"/ws" or text.startswith(b"/ws/") or text.startswith(b"/ws-") or text.startswith(b"/ws_"):
        text = root + text[3:]
    text = text.replace(b"/alias", root + b"-alias")
    if len(text) > 4096 - 256 and b"/" in text:
        text = text[: len(text) - (len(root) - 3)]
        text = text[:-1] + b"a" if text.endswith(b"/") else text
    return text


def build(root, line):
    """One line of a layout on disk; False if it cannot be built here."""
    if " => " in line:
        at, target = (moved(part.encode(), root) for part in line.split(" => "))
        at = os.path.join(os.fsencode(root), at)
        os.makedirs(os.path.dirname(at), exist_ok=True)
        os.symlink(target, at)
    elif " (hard link" in line:
        (root.parent / "outside").write_text("x\n")
        os.link(root.parent / "outside", root / line.split(" (")[0])
    elif "(" in line or " is a symlink to " in line:
        return False
    elif line.endswith("/"):
        (root / line).mkdir(parents=True, exist_ok=True)
    else:
        (root / line).parent.mkdir(parents=True, exist_ok=True)
        (root / line).write_text("x\n")
    return True


OPEN = '[lld]\nmissing = "skip"\n[workspace]\nsecrets = []\n'


def open_repository(root):
    """A repository in which only the boundary and the names decide."""
    (root / "guard.toml").write_text(OPEN)
    git(root, "init", "--quiet", "--template=", "--initial-branch=main")
    git(root, "add", "guard.toml")
    git(root, "commit", "--quiet", "-m", "Begin")


def guard_allows(root, paths):
    if len(paths) > 1:
        # One beyond the limit of a line ends the conversation with exit code 2.
        short = [path for path in paths if len(path) < 10_000]
        answers = iter(guard_answers(root, short))
        return [next(answers) if len(path) < 10_000 else guard_allows(root, [path])[0] for path in paths]
    return guard_answers(root, paths)


def guard_answers(root, paths):
    """No program can be given a path with a NUL. The others are given in groups that fit into a command line."""
    given = [path for path in paths if b"\0" not in path]
    answers = {}
    for start in range(0, len(given), 100):
        group = given[start : start + 100]
        done = run([GUARD, "check", "--format", "json", "--", *map(os.fsdecode, group)], root)
        # A call that fails answers with an error instead of results.
        results = [result["allowed"] is True for result in json.loads(done.stdout).get("results", [])]
        answers.update(zip(group, results))
    return [answers.get(path, False) for path in paths]


def clear(root):
    for entry in list(root.iterdir()):
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def ask_server(server, root, path):
    """Whether the server writes the file; None if its protocol cannot say the path."""
    # It creates no directories, so those inside the workspace are there.
    parent = os.path.dirname(os.path.normpath(os.path.join(os.fsencode(root), path)))
    if parent.startswith(os.fsencode(root) + b"/"):
        try:
            os.makedirs(parent, exist_ok=True)
        except (OSError, ValueError, RecursionError):
            pass
    try:
        is_written = server.write(path.decode(), "x\n")
    except UnicodeDecodeError:
        return None
    if is_written:
        landed = run(["realpath", "-m", "--", os.fsdecode(path)], root).stdout
        assert landed.startswith(os.fsencode(root)), f"{path!r} was written to {landed!r}"
    return is_written


def judge_requests(requests):
    """(entry, guard's answer, the server's answer) of those whose layout can be built here."""
    plain = [entry for entry in requests if "given" not in entry]
    found = []
    with Workspace() as root, Workspace() as other:
        open_repository(root)
        by_guard = guard_allows(root, [moved(bytes_of(entry), root) for entry in plain])
        assert len(by_guard) == len(plain), (len(by_guard), len(plain))
        server = reference_server(other)
        for entry, answer in zip(plain, by_guard):
            clear(other)
            found.append((entry, answer, ask_server(server, other, moved(bytes_of(entry), other))))
        server.close()
    for entry in requests:
        with Workspace() as root:
            if "given" in entry and all(build(root, line) for line in entry["given"]):
                open_repository(root)
                path = moved(bytes_of(entry), root)
                [answer] = guard_allows(root, [path])
                server = reference_server(root)
                found.append((entry, answer, ask_server(server, root, path)))
                server.close()
    return found


def write_index(root, added):
    """An index with entries that git itself refuses to add: (mode, blob, path)."""
    staged = {}
    for line in git(root, "ls-files", "--stage", "-z").split(b"\0")[:-1]:
        about, path = line.split(b"\t", 1)
        mode, blob, _ = about.split()
        staged[path] = (int(mode, 8), bytes.fromhex(blob.decode()))
    for mode, blob, path in added:
        staged[path] = (mode, bytes.fromhex(blob))
    body = b"DIRC" + struct.pack(">II", 2, len(staged))
    for path, (mode, blob) in sorted(staged.items()):
        entry = bytes(24) + struct.pack(">IIII", mode, 0, 0, 0) + blob + struct.pack(">H", min(len(path), 0xFFF)) + path
        body += entry + bytes(8 - len(entry) % 8)
    (root / ".git/index").write_bytes(body + sha1(body).digest())


def blob(root, content):
    return git(root, "hash-object", "-w", "--stdin", text=content).decode().strip()


def git_takes(root, mode, content, path):
    text = b"%o %s 0\t%s\0" % (mode, blob(root, content).encode(), path)
    done = run(["git", "update-index", "-z", "--index-info"], root, text)
    return done.returncode == 0 and path in git(root, "ls-files", "-z").split(b"\0")


def judge_entry(entry):
    """(entry, guard's answer, git's answer) of a staged path or of a staged link."""
    found = [entry]
    for tool in ("guard", "git"):
        with Workspace() as root:
            open_repository(root)
            if entry["context"] == "symlink-target":
                path, mode, content = b"src/link", 0o120000, moved(bytes_of(entry), root)
            else:
                path, mode, content = bytes_of(entry), int(entry["mode"], 8), b"[core]"
            others = []
            for line in entry.get("given", []):
                if match := re.fullmatch(r"(tracked|staged): (\S+)(?: \(120000 -> (\S+)\))?", line):
                    when, at, target = match.groups()
                    others.append((0o120000 if target else 0o100644, blob(root, (target or "x").encode()), at.encode()))
                    if when == "tracked":
                        write_index(root, others)
                        git(root, "commit", "--quiet", "-m", "As found")
            if tool == "git":
                found.append(git_takes(root, mode, content, path))
            else:
                write_index(root, [*others, (mode, blob(root, content), path)])
                found.append(judge_staged(tool, root) in ("accepts", "warns"))
    return found


# The requests that the reference server promises to refuse, by the reason in the corpus.
LEADS_OUT = {"reject:outside-workspace", "reject:symlink-escape", "reject:tilde", "reject:nul", "reject:symlink-loop"}


def rate(answers, at, wanted):
    """'120 of 126': the right answers of a tool to the entries that `wanted` takes and that it could be asked about."""
    asked = [(answer[0], answer[at]) for answer in answers if wanted(answer[0]) and answer[at] is not None]
    return f"{sum(allowed != is_hostile(entry) for entry, allowed in asked)} of {len(asked)}"


def judge_paths():
    """(what was asked, the tool beside guard, the answers of both)."""
    # h324 is a link to guard's own settings, a question for guard alone; h085 is too long here to lead out.
    requests = [entry for entry in entries("relative", "absolute") if entry["id"] not in ("h324", "h085")]
    rows = [("write request", "MCP server", judge_requests(requests))]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        for name, context in [("staged path", "git-index-entry"), ("link target", "symlink-target")]:
            # Submodules and names that differ in case are cases of their own: there, rows and settings decide.
            staged = [entry for entry in entries(context) if entry["id"] not in ("h494", "h495", "h514")]
            rows.append((name, "git", list(threads.map(judge_entry, staged))))
    return rows


def leads_out(entry):
    return entry["expected"] in LEADS_OUT


def table_of_paths(rows):
    lines = ["| question | guard | beside it |", "|---|---|---|"]
    for name, other, answers in rows:
        groups = [("bad", is_hostile), ("harmless", lambda entry: not is_hostile(entry))]
        if other == "MCP server":
            groups[:1] = [("outward", leads_out), ("deceptive", lambda entry: is_hostile(entry) and not leads_out(entry))]
        for kind, wanted in groups:
            is_job = kind != "deceptive" and (name, kind) != ("link target", "bad")
            beside = rate(answers, 2, wanted) if is_job else "not its job"
            lines.append(f"| {kind} {name} | {rate(answers, 1, wanted)} | {other}: {beside} |")
    return "\n".join(lines)


def wrong_answers(rows):
    """Each wrong answer, for a reader who wants to look."""
    for name, other, answers in rows:
        for at, tool in [(1, "guard"), (2, other)]:
            for answer in answers:
                if answer[at] is not None and answer[at] == is_hostile(answer[0]):
                    yield f"{name}: {tool}: {answer[0]['id']} {answer[0]['input']!r:.80}: {answer[0]['expected']}"
