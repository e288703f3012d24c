"""What the nodes raise. Each exception carries the state of the run, which LangGraph does not keep after an exception."""

from typing import Any


class SafeFileWriteError(Exception):
    """A write failed, and guard could not check it."""

    def __init__(self, message: str, path: str, kind: str, update: dict[str, Any]):
        super().__init__(message)
        self.path = path
        # guard's word for it, such as `held`.
        self.kind = kind
        # What the node did before, as an update of the state: `graph.update_state(config, error.update)` keeps it.
        self.update = update


class SecurityError(SafeFileWriteError):
    """The path leaves the workspace or is dangerous."""


class HeldError(SafeFileWriteError):
    """The write needs a person, and the workflow runs without one."""


class RefusedError(SafeFileWriteError):
    """The design or another rule refuses the write, and the workflow runs without a person."""
