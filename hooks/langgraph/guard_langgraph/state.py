"""The part of a graph's state that the nodes read and write (requirement 000, section 2.3)."""

from typing import Literal, Optional, TypedDict


class FileWriteRequest(TypedDict, total=False):
    """A file that the workflow wants to write."""

    target_path: str
    new_content: str
    merge_strategy: Optional[Literal["replace", "append", "insert", "extend"]]
    insert_location: Optional[int]


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


class WriteApprovalState(TypedDict, total=False):
    """Add these keys to the state of the workflow."""

    # What to write; the gate empties it.
    write_requests: list[FileWriteRequest]
    # Whether nobody can be asked: the gate then raises SafeFileWriteError instead of leaving a write pending.
    auto_mode: bool
    # Writes that guard holds until a person decides.
    pending_writes: list[FileWriteAnalysis]
    # Paths that were written.
    approved_writes: list[str]
    # Paths that were refused, or that a person rejected.
    rejected_writes: list[str]
    # The records that guard's log gained meanwhile, and guard's reason for each refusal.
    approval_log: list[dict]
