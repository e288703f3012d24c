"""Write files in a LangGraph workflow through guard.

The nodes call `guard mcp` and put its answers into the state. guard decides, backs up, writes and logs.
"""

from .gate import (
    SafeFileWriteError,
    SafeFileWriteGate,
    request_user_approval,
    route_after_gate,
    safe_file_write_gate,
)
from .state import FileWriteAnalysis, FileWriteRequest, WriteApprovalState

__all__ = [
    "FileWriteAnalysis",
    "FileWriteRequest",
    "SafeFileWriteError",
    "SafeFileWriteGate",
    "WriteApprovalState",
    "request_user_approval",
    "route_after_gate",
    "safe_file_write_gate",
]
