#!/usr/bin/env python3
"""A commit hook with guard's policy in as few lines as it takes, written for the comparison.

It is what a careful person writes in an afternoon: it reads the design of the branch's issue from HEAD, takes the
staged changes from git, and refuses what the table does not name, lost lines, links that lead out and submodules.
Where it is unsure, it refuses.
"""

import difflib
import os
import re
import subprocess
import sys

ACTIONS = {"add": "AM", "modify": "M", "delete": "D", "rename": "AMD", "symlink": "AMT", "submodule": "AMT"}


def git(*arguments):
    return subprocess.run(["git", *arguments], check=True, stdout=subprocess.PIPE).stdout


def read_design():
    """The path of the design and its rows: path -> type."""
    issue = re.search(r"\d+", git("branch", "--show-current").decode())
    path = f"docs/lld/active/LLD-{issue[0]}.md"
    text = git("show", f"HEAD:{path}").decode()
    section = re.search(r"^#+[^\n]*Files Changed\s*$(.*?)(?=^#|\Z)", text, re.MULTILINE | re.DOTALL)[1]
    rows = {}
    for cell, kind in re.findall(r"^\|(.*?)\|\s*(\w+)", section, re.MULTILINE):
        rows |= {span: kind.lower() for span in re.findall(r"`([^`]+)`", cell)}
    return path, rows


def row_for(path, rows):
    for row, kind in rows.items():
        pattern = re.escape(row).replace(r"\*\*/", "(.*/)?").replace(r"\*", "[^/]*")
        if row.endswith("/") and path.startswith(row) or re.fullmatch(pattern, path):
            return kind
    return None


def staged():
    """(old mode, new mode, new blob, status, path) and the lines that git counts: path -> (added, deleted)."""
    options = ["-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none", "--no-abbrev"]
    fields = git("diff", "--cached", "--raw", "--numstat", "-w", *options).decode("utf-8", "surrogateescape").split("\0")
    changes, counts = [], {}
    while fields[0]:
        if fields[0].startswith(":"):
            old, new, _, blob, status = fields.pop(0)[1:].split()
            changes.append((old, new, blob, status, fields.pop(0)))
        else:
            added, deleted, path = fields.pop(0).split("\t", 2)
            counts[path] = (added, deleted)
    if os.path.exists(git("rev-parse", "--git-path", "MERGE_HEAD").decode().strip()):
        theirs = git("diff", "--cached", "--name-only", "-z", "--no-renames", "MERGE_HEAD").decode("utf-8", "surrogateescape")
        changes = [change for change in changes if change[4] in theirs.split("\0")]
    return changes, counts


def loses_much(path, status, deleted):
    if status == "A":
        return False
    if deleted == "-":
        return int(git("cat-file", "-s", f"HEAD:{path}")) > 8192
    if int(deleted) <= 50:
        return False
    lines = git("cat-file", "blob", f"HEAD:{path}").count(b"\n")
    return lines > 100 and int(deleted) * 2 >= lines


def faults(design, rows):
    changes, counts = staged()
    paths = [change[4] for change in changes]
    for old, new, blob, status, path in changes:
        parts = path.lower().split("/")
        if ".." in parts or ".git" in parts or path.startswith("/"):
            yield f"{path} leaves the workspace"
        if path in (design, "guard.toml"):
            if len(paths) > 1:
                yield f"{path} changes together with other files"
            continue
        if path == ".gitmodules" and "submodule" in rows.values():
            continue
        kind = row_for(path, rows)
        if kind is None:
            closest = difflib.get_close_matches(path, rows, 1)
            yield f"{path} is not in {design}" + (f"; did you mean {closest[0]}?" if closest else "")
        elif status not in ACTIONS.get(kind, ""):
            yield f"{path} has a row of type {kind}, which does not allow {status}"
        if new == "120000":
            target = os.fsdecode(git("cat-file", "blob", blob))
            resolved = os.path.normpath(os.path.join(os.path.dirname(path), target))
            if target.startswith("/") or resolved.startswith("..") or ".git" in resolved.lower().split("/"):
                yield f"{path} links to {target}"
        elif "160000" in (old, new):
            if kind != "submodule":
                yield f"{path} is a submodule without a row of that type"
        elif kind != "delete" and (kind, status) != ("rename", "D") and loses_much(path, status, counts[path][1]):
            yield f"{path} loses half of its lines"


def main():
    try:
        found = list(faults(*read_design()))
    except (subprocess.CalledProcessError, TypeError, ValueError, KeyError, UnicodeError) as error:
        found = [f"cannot judge: {error!r}"]
    for fault in found:
        print(ascii(fault), file=sys.stderr)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
