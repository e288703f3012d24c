"""The part of a graph's state that the nodes read and write (requirement 000, section 2.3)."""

import operator
from typing import Annotated, Literal, Optional, TypedDict


class FileWriteRequest(TypedDict, total=False):
    """A file that the workflow wants to write."""

    target_path: str
    new_content: str
    merge_strategy: Optional[Literal["replace", "append", "insert", "extend"]]
    insert_location: Optional[int]
    # Count only if they are stricter than guard's settings.
    line_threshold: Optional[int]
    change_threshold: Optional[float]


class FileWriteAnalysis(TypedDict, total=False):
    """What a write would do, as guard analyzed it, and under which ID guard holds it."""

    target_path: str
    exists: bool
    original_lines: int
    new_lines: int
    change_classification: str
    change_percentage: float
    deleted_content: Optional[str]
    diff_preview: str
    requires_approval: bool
    auto_mode_blocked: bool
    held_id: str
    # The form to show the person: `message` and `requestedSchema`.
    question: Optional[dict]


class Decision(TypedDict):
    """A record of `approval_log`: what became of one write."""

    path: str
    # `written`, `held`, `approved`, `rejected`, or guard's word for a failure, such as `refused` or `security`.
    decision: str
    # UTC, as in RFC 3339.
    timestamp: str
    strategy: Optional[str]
    held_id: Optional[str]
    # guard's sentence.
    reason: str


def newest(old: list, new: list) -> list:
    """Parallel branches may all empty a list."""
    return new


def still_pending(old: list[FileWriteAnalysis], new: list[FileWriteAnalysis]) -> list[FileWriteAnalysis]:
    """Adds pending writes; one with `decided` takes away the write with its ID."""
    known = {one["held_id"]: one for one in old or []}
    for one in new or []:
        if one.get("decided"):
            known.pop(one["held_id"], None)
        else:
            known[one["held_id"]] = one
    return list(known.values())


class WriteApprovalState(TypedDict, total=False):
    """Add these keys to the state of the workflow. Parallel branches add to the lists."""

    # What to write; the gate empties it.
    write_requests: Annotated[list[FileWriteRequest], newest]
    # Whether nobody can be asked: the gate then raises an error instead of leaving a write pending.
    auto_mode: bool
    # Writes that guard holds until a person decides.
    pending_writes: Annotated[list[FileWriteAnalysis], still_pending]
    # Paths that were written.
    approved_writes: Annotated[list[str], operator.add]
    # Paths that were refused, or that a person rejected.
    rejected_writes: Annotated[list[str], operator.add]
    # What became of each write.
    approval_log: Annotated[list[Decision], operator.add]
