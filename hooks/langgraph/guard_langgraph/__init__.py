"""Write files in a LangGraph workflow through guard.

The nodes call `guard mcp` and put its answers into the state. guard decides, backs up, writes and logs.
"""

from .errors import HeldError, RefusedError, SafeFileWriteError, SecurityError
from .gate import (
    SafeFileWriteGate,
    arequest_user_approval,
    asafe_file_write_gate,
    request_user_approval,
    route_after_gate,
    safe_file_write_gate,
)
from .state import Decision, FileWriteAnalysis, FileWriteRequest, WriteApprovalState

__all__ = [
    "Decision",
    "FileWriteAnalysis",
    "FileWriteRequest",
    "HeldError",
    "RefusedError",
    "SafeFileWriteError",
    "SafeFileWriteGate",
    "SecurityError",
    "WriteApprovalState",
    "arequest_user_approval",
    "asafe_file_write_gate",
    "request_user_approval",
    "route_after_gate",
    "safe_file_write_gate",
]
