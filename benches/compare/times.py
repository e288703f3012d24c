"""Times on equal work: medians of whole processes that take turns in the same repository."""

import os
import statistics
import sys
import time

from tools import COMMANDS, GUARD, INSTALLED, PREK, McpServer, Workspace, git, reference_server, run

FLOOR = "git diff --cached --numstat"
ONE_HOOK = "prek, check-added-large-files alone"
STAGED = {FLOOR: ["git", "diff", "--cached", "--numstat", "--no-renames"]} | COMMANDS
STAGED |= {ONE_HOOK: [PREK, "run", "--config", INSTALLED / "one.yaml"]}
FILES = 20_000


def body(number, changed):
    return "".join(f"line {line} of {number}{' changed' if line < changed else ''}\n" for line in range(20))


def prepare(root):
    """20,000 files in 200 directories, under a design that grants them, and a branch of its issue."""
    (root / "guard.toml").write_text('[lld]\npath = "docs/lld/active/LLD-{issue}.md"\n')
    design = root / "docs/lld/active/LLD-188.md"
    design.parent.mkdir(parents=True)
    design.write_text("# A feature\n\n## Files Changed\n\n| File | Change Type |\n|---|---|\n| `src/**/*.txt` | Modify |\n| `new/` | Add |\n")
    for number in range(FILES):
        at = path_of(root, number)
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_text(body(number, 0))
    git(root, "init", "--quiet", "--template=", "--initial-branch=main")
    for key in ("gc.auto", "maintenance.auto"):
        git(root, "config", key, "0")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "Begin")
    git(root, "gc", "--quiet")
    git(root, "switch", "--quiet", "--create", "188-work")


def path_of(root, number):
    return root / f"src/{number % 200:03}/{number:05}.txt"


def timed(command, root):
    start = time.perf_counter()
    done = run(command, root)
    taken = time.perf_counter() - start
    assert done.returncode == 0, (command, done.stdout[-500:], done.stderr[-500:])
    return taken * 1000


def staged(root, sizes):
    """Milliseconds: size -> tool -> median."""
    found = {}
    for size, rounds in sizes.items():
        for number in range(size):
            path_of(root, number).write_text(body(number, 2))
        git(root, "add", "--all")
        times = {tool: [] for tool in STAGED}
        for turn in range(rounds + 1):
            for tool, command in STAGED.items():
                taken = timed(command, root)
                # The first round only fills the caches.
                if turn:
                    times[tool].append(taken)
        found[size] = {tool: statistics.median(all_of) for tool, all_of in times.items()}
    return found


def table_of_staged(found):
    lines = ["| | " + " | ".join(f"{size:,} files" for size in found) + " |", "|---" + "|---:" * len(found) + "|"]
    for tool in STAGED:
        lines.append(f"| {tool} | " + " | ".join(f"{found[size][tool]:,.0f} ms" for size in found) + " |")
    return "\n".join(lines)


WRITES = 100


def requests(root):
    """Milliseconds for 100 new files of 1 KB, or for 100 questions, by one process."""
    content = "x" * 63 + "\n"
    found = {}
    for name, start in [
        ("MCP server: write_file", reference_server),
        ("guard mcp: write_file, with snapshot and log", lambda root: McpServer([GUARD, "mcp"], root)),
    ]:
        (root / "new").mkdir(exist_ok=True)
        server = start(root)
        began = time.perf_counter()
        for number in range(WRITES):
            assert server.write(f"new/{name[:3]}{number}.txt", content * 16), (name, number)
        found[name] = (time.perf_counter() - began) * 1000
        server.close()
    paths = [f"new/{number}.txt" for number in range(WRITES)]
    began = time.perf_counter()
    done = run([GUARD, "check", "--format", "json", *paths], root)
    found["guard check"] = (time.perf_counter() - began) * 1000
    assert done.returncode == 0, done.stdout[-500:]
    return found


def table_of_requests(found):
    lines = ["| | 100 requests |", "|---|---:|"]
    lines += [f"| {name} | {taken:,.0f} ms |" for name, taken in found.items()]
    return "\n".join(lines)


def measure():
    quick = "GUARD_BENCH_QUICK" in os.environ
    with Workspace() as root:
        prepare(root)
        sizes = {10: 1, 100: 1} if quick else {10: 7, 1_000: 3, FILES: 1}
        by_size = staged(root, sizes)
        git(root, "reset", "--quiet", "--hard")
        return by_size, requests(root)


if __name__ == "__main__":
    sys.exit("use benches/compare/run")
