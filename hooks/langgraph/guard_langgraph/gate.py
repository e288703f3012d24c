"""The nodes and the functions that route between them."""

from typing import Any, Literal, Optional

from langgraph.types import interrupt

from . import session
from .state import WriteApprovalState


# The kinds of errors after which guard still holds the write.
HELD = ("held", "not-approved")


class SafeFileWriteError(Exception):
    """A write needs a person, and the workflow runs without one."""


class SafeFileWriteGate:
    """The nodes for one workspace. `command` runs guard."""

    def __init__(self, workspace: str = ".", command: Optional[list[str]] = None):
        self.workspace = workspace
        self.command = command or ["guard"]

    def safe_file_write_gate(self, state: WriteApprovalState) -> dict[str, Any]:
        """Writes each requested file through guard. What guard holds becomes pending."""
        update = _Update(state)
        update.values["write_requests"] = []
        for request in state.get("write_requests") or []:
            path = request["target_path"]
            arguments = {"path": path, "content": request["new_content"]}
            if request.get("merge_strategy"):
                arguments["strategy"] = request["merge_strategy"]
            if request.get("insert_location"):
                arguments["line"] = request["insert_location"]
            outcome = self._logged(update, path, "write_file", arguments)
            held_id = (outcome.error.get("details") or {}).get("id")
            if not outcome.is_error:
                update.add("approved_writes", path)
            elif outcome.error.get("kind") in HELD and held_id:
                if state.get("auto_mode"):
                    raise SafeFileWriteError(outcome.text)
                analysis = dict(outcome.error.get("analysis") or {})
                analysis.update(target_path=path, held_id=held_id, question=outcome.question)
                update.add("pending_writes", analysis)
            else:
                update.add("rejected_writes", path)
        return update.values

    def request_user_approval(self, state: WriteApprovalState) -> dict[str, Any]:
        """Interrupts the graph with guard's question about the first pending write, and does what is answered.

        Resume with the members of the question's form, such as
        `{"decision": "append", "word": "…", "reason": "…"}`. The decision `reject` discards the write. After any other
        answer the write stays pending.
        """
        pending = list(state.get("pending_writes") or [])
        if not pending:
            return {}
        decision = interrupt(pending[0])
        update = _Update(state)
        path, held_id = pending[0]["target_path"], pending[0]["held_id"]
        outcome = self._logged(update, path, "request_approval", {"id": held_id}, decision)
        if outcome.error.get("kind") in HELD:
            # A missing word or an impossible strategy. The person is asked again.
            return update.values
        update.values["pending_writes"] = pending[1:]
        update.add("rejected_writes" if outcome.is_error else "approved_writes", path)
        return update.values

    def _logged(self, update, path, tool, arguments, decision=None):
        before = len(session.records(self.command, self.workspace))
        outcome = session.call(self.command, self.workspace, tool, arguments, decision)
        for record in session.records(self.command, self.workspace)[before:]:
            update.add("approval_log", record)
        if outcome.is_error:
            error = outcome.error
            entry = {"path": path, "decision": error.get("kind"), "reason": outcome.text}
            update.add("approval_log", entry)
        return outcome


class _Update:
    """New values of the state's lists."""

    def __init__(self, state: WriteApprovalState):
        names = ("pending_writes", "approved_writes", "rejected_writes", "approval_log")
        self.values: dict[str, Any] = {name: list(state.get(name) or []) for name in names}

    def add(self, name: str, value: Any) -> None:
        self.values[name].append(value)


def route_after_gate(state: WriteApprovalState) -> Literal["approve", "rejected", "written"]:
    """Where to go after either node: a pending write needs a person; a refused one is for the workflow to handle."""
    if state.get("pending_writes"):
        return "approve"
    return "rejected" if state.get("rejected_writes") else "written"


_here = SafeFileWriteGate()
safe_file_write_gate = _here.safe_file_write_gate
request_user_approval = _here.request_user_approval
