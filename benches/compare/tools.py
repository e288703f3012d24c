"""The tools of the comparison: where they are installed, what they are for, and how to ask each for a verdict."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
INSTALLED = SOURCE / "target/compare"
GUARD = INSTALLED / "guard"
PRE_COMMIT = INSTALLED / "venv/bin/pre-commit"
PREK = INSTALLED / "venv/bin/prek"
MCP_SERVER = INSTALLED / "node/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"
PYTHON_HOOK = SOURCE / "benches/compare/policy_hook.py"

# The checks of pre-commit-hooks that look at which files a commit has and of what kind; not those that read or mend
# the text. prek has all of them built in. The types are those of their own manifest.
HOOKS = {
    "check-added-large-files": "file",
    "check-case-conflict": "file",
    "check-executables-have-shebangs": "executable",
    "check-merge-conflict": "text",
    "check-symlinks": "symlink",
    "destroyed-symlinks": "file",
    "detect-private-key": "text",
    "forbid-new-submodules": "directory",
}

# What each tool is for, by the words of its own documentation. Any other concern is not its job.
POLICY = {
    "ordinary work", "out of scope", "outside the workspace", "git's directory", "link", "silent destruction", "submodule",
    "case collision", "hidden change", "rename", "mode", "merge",
}
FILE_HOOKS = {"ordinary work", "large file", "submodule", "case collision", "broken link", "content"}
JOBS = {
    "guard": POLICY,
    "MCP server": {"ordinary work", "outside the workspace", "link"},
    "pre-commit-hooks": FILE_HOOKS,
    "prek": FILE_HOOKS,
    "Python hook": POLICY,
}


def environment():
    """Nobody's configuration, and a fixed identity."""
    home = INSTALLED / "home"
    home.mkdir(parents=True, exist_ok=True)
    own = {
        "HOME": str(home), "LC_ALL": "C.UTF-8", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
        "PRE_COMMIT_HOME": str(home / "pre-commit"), "PREK_HOME": str(home / "prek"), "PYTHONDONTWRITEBYTECODE": "1",
    }
    for role in ("AUTHOR", "COMMITTER"):
        own |= {f"GIT_{role}_NAME": "A", f"GIT_{role}_EMAIL": "a@example.com", f"GIT_{role}_DATE": "2026-01-01T00:00:00Z"}
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "TMPDIR")}
    return kept | own


ENVIRONMENT = environment()


def run(command, cwd, text=None):
    return subprocess.run([str(part) for part in command], cwd=cwd, env=ENVIRONMENT, input=text, capture_output=True, check=False)


def git(repo, *arguments, text=None):
    done = run(["git", *arguments], repo, text)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


def config_files():
    """The configurations of pre-commit and of prek with the same hooks."""
    binaries = INSTALLED / "venv/bin"
    local = "".join(
        f"  - {{id: {name}, name: {name}, entry: {binaries / name}, language: unsupported, types: [{kind}]}}\n"
        for name, kind in HOOKS.items()
    )
    builtin = "".join(f"  - {{id: {name}}}\n" for name in HOOKS)
    one = "  - {id: check-added-large-files}\n"
    files = {"hooks.yaml": ("local", local), "builtin.yaml": ("builtin", builtin), "one.yaml": ("builtin", one)}
    for name, (repo, hooks) in files.items():
        (INSTALLED / name).write_text(f"repos:\n- repo: {repo}\n  hooks:\n{hooks}")


COMMANDS = {
    "guard": [GUARD, "lint"],
    "pre-commit-hooks": [PRE_COMMIT, "run", "--config", INSTALLED / "hooks.yaml"],
    "prek": [PREK, "run", "--config", INSTALLED / "builtin.yaml"],
    "Python hook": [sys.executable, PYTHON_HOOK],
}


# The exit codes by which the managers say that they could not run the hooks.
FAILED = {"pre-commit-hooks": 3, "prek": 2}


def judge_staged(tool, repo):
    """'refuses', 'warns', 'accepts' or 'fails', of what is staged."""
    done = run(COMMANDS[tool], repo)
    if done.returncode == FAILED.get(tool):
        return "fails"
    if tool == "guard" and done.returncode == 0 and b"warning[" in done.stderr + done.stdout:
        return "warns"
    return "refuses" if done.returncode else "accepts"


class McpServer:
    """A server of the Model Context Protocol on pipes."""

    def __init__(self, command, cwd):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [str(part) for part in command], cwd=cwd, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log
        )
        self.last = 0
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "compare", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, parameters):
        self.last += 1
        self.send({"jsonrpc": "2.0", "id": self.last, "method": method, "params": parameters})
        while line := self.process.stdout.readline():
            answer = json.loads(line)
            if answer.get("id") == self.last:
                return answer
        raise EOFError(method)

    def write(self, path, content):
        """Whether the server wrote the file."""
        answer = self.ask("tools/call", {"name": "write_file", "arguments": {"path": path, "content": content}})
        return "result" in answer and not answer["result"].get("isError", False)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.log.close()


def reference_server(workspace):
    return McpServer(["node", MCP_SERVER, workspace], workspace)


class Workspace:
    """An empty directory `ws` in a temporary one."""

    def __init__(self):
        self.temporary = tempfile.mkdtemp(prefix="compare-")
        self.path = Path(self.temporary).resolve() / "ws"
        self.path.mkdir()

    def copy(self):
        other = Workspace()
        other.path.rmdir()
        shutil.copytree(self.path, other.path, symlinks=True)
        return other

    def __enter__(self):
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.temporary)
