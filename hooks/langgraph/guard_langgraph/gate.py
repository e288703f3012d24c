"""The nodes and the function that routes between them."""

from datetime import datetime, timezone
from typing import Any, Literal, Optional

from langgraph.types import interrupt

from .errors import HeldError, RefusedError, SafeFileWriteError, SecurityError
from .session import Outcome, Session, open_session, run
from .state import FileWriteRequest, WriteApprovalState

# The kinds of errors after which guard still holds the write.
HELD = ("held", "not-approved")
# What may have become of a held write without the graph, such as in a terminal.
DECIDED = ("approved", "rejected")
# The kinds that say that guard itself failed, not the request.
FAILED = ("backup", "record", "io", "not-signed")
# The tool's arguments by the keys of a request.
ARGUMENTS = {
    "merge_strategy": "strategy",
    "insert_location": "line",
    "line_threshold": "lineThreshold",
    "change_threshold": "changeThreshold",
}


class SafeFileWriteGate:
    """The nodes for one workspace, each as a function and, with the prefix `a`, as a coroutine. `command` runs guard."""

    def __init__(self, workspace: str = ".", command: Optional[list[str]] = None):
        self.workspace = workspace
        self.command = command or ["guard"]

    def safe_file_write_gate(self, state: WriteApprovalState) -> dict[str, Any]:
        """Writes each requested file through guard. What guard holds becomes pending."""
        return run(self.asafe_file_write_gate(state))

    async def asafe_file_write_gate(self, state: WriteApprovalState) -> dict[str, Any]:
        """The same for `ainvoke`."""
        update = _Update()
        requests = list(state.get("write_requests") or [])
        auto_mode = bool(state.get("auto_mode"))
        # The group of tasks of a session would wrap the error, so it is raised outside.
        error = None
        try:
            if requests:
                async with open_session(self.command, self.workspace) as session:
                    while requests and not error:
                        error = await _write(session, requests[0], update, auto_mode)
                        del requests[0]
        except Exception as broken:
            error = _ended(requests[0]["target_path"] if requests else "", update, broken)
        update["write_requests"] = requests
        if error:
            raise error
        return update

    def request_user_approval(self, state: WriteApprovalState) -> dict[str, Any]:
        """Interrupts the graph with guard's question about the first pending write, and does what is answered.

        Resume with the members of the question's form, such as
        `{"decision": "append", "word": "…", "reason": "…"}`. The decision `reject` discards the write. After any other
        answer the write stays pending, unless a person has decided in a terminal meanwhile.
        """
        pending = state.get("pending_writes") or []
        return run(self._decide(pending[0], _asked(pending[0]))) if pending else {}

    async def arequest_user_approval(self, state: WriteApprovalState) -> dict[str, Any]:
        """The same for `ainvoke`."""
        pending = state.get("pending_writes") or []
        return await self._decide(pending[0], _asked(pending[0])) if pending else {}

    async def _decide(self, pending: dict[str, Any], answer: Any) -> dict[str, Any]:
        decision = answer if isinstance(answer, dict) else {}
        path, held_id = pending["target_path"], pending["held_id"]
        update = _Update()
        try:
            async with open_session(self.command, self.workspace, decision) as session:
                outcome = await session.call("request_approval", {"id": held_id})
        except Exception as broken:
            raise _ended(path, update, broken) from broken
        word = outcome.kind if outcome.is_error else "approved"
        strategy, reason = decision.get("decision"), decision.get("reason")
        details = outcome.details
        if details.get("status") in DECIDED:
            word, strategy, reason = details["status"], details.get("strategy"), details.get("reason")
            outcome.text = f"{word} in a terminal"
        if word not in HELD and reason:
            outcome.text = reason
        update.log(path, word, outcome, strategy, held_id)
        if word not in HELD:
            update["pending_writes"].append({"held_id": held_id, "decided": True})
            update["approved_writes" if word == "approved" else "rejected_writes"].append(path)
        return update


class _Update(dict):
    """An update of the state."""

    def __init__(self) -> None:
        names = ("pending_writes", "approved_writes", "rejected_writes", "approval_log")
        super().__init__((name, []) for name in names)

    def log(
        self,
        path: str,
        decision: str,
        outcome: Outcome,
        strategy: Optional[str] = None,
        held_id: Optional[str] = None,
    ) -> None:
        self["approval_log"].append(
            {
                "path": path,
                "decision": decision,
                "timestamp": datetime.now(timezone.utc).isoformat(),
                "strategy": strategy,
                "held_id": held_id,
                "reason": outcome.text if outcome.is_error else outcome.text.split("\n")[0],
            }
        )


def _asked(pending: dict[str, Any]) -> Any:
    """The person's answer to a question, for which the graph stops."""
    try:
        return interrupt(pending)
    except RuntimeError as error:
        message = "request_user_approval asks by an interrupt, so it must run as a node of a LangGraph graph"
        raise SafeFileWriteError(message, pending["target_path"], "cannot-judge", {}) from error


def _ended(path: str, update: _Update, broken: Exception) -> SafeFileWriteError:
    # A group of exceptions, which Python 3.10 has no name for.
    while getattr(broken, "exceptions", None):
        broken = broken.exceptions[0]
    message = f"guard mcp could not be started, or ended: {broken}; standard error says why"
    return SafeFileWriteError(message, path, "cannot-judge", update)


async def _write(
    session: Session, request: FileWriteRequest, update: _Update, auto_mode: bool
) -> Optional[SafeFileWriteError]:
    path, strategy = request["target_path"], request.get("merge_strategy")
    arguments = {"path": path, "content": request["new_content"]}
    for key, name in ARGUMENTS.items():
        if request.get(key) is not None:
            arguments[name] = request[key]
    outcome = await session.call("write_file", arguments)
    if not outcome.is_error:
        update["approved_writes"].append(path)
        update.log(path, "written", outcome, strategy)
        return None
    kind, held_id = outcome.kind, outcome.details.get("id")
    if kind in HELD and held_id:
        kind, error = "held", HeldError if auto_mode else None
        if outcome.question:
            # Nobody was asked yet. The question begins with the reason.
            why = outcome.question["message"].split("\n\n")[0]
            outcome.text = f"{why}; a person decides: guard approve {held_id}"
        analysis = dict(outcome.analysis, target_path=path, held_id=held_id, question=outcome.question)
        update["pending_writes"].append(analysis)
    else:
        held_id, error = None, RefusedError if auto_mode else None
        if kind == "security":
            error = SecurityError
        elif kind in FAILED:
            error = SafeFileWriteError
        update["rejected_writes"].append(path)
    update.log(path, kind, outcome, strategy, held_id)
    return error and error(outcome.text, path, kind, update)


def route_after_gate(state: WriteApprovalState) -> Literal["approve", "rejected", "written"]:
    """Where to go after either node: a pending write needs a person; a refused one is for the workflow to handle."""
    if state.get("pending_writes"):
        return "approve"
    return "rejected" if state.get("rejected_writes") else "written"


_here = SafeFileWriteGate()
safe_file_write_gate = _here.safe_file_write_gate
asafe_file_write_gate = _here.asafe_file_write_gate
request_user_approval = _here.request_user_approval
arequest_user_approval = _here.arequest_user_approval
