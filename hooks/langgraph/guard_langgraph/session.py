"""One call of a tool of `guard mcp`."""

import asyncio
import json
import os
import subprocess
from dataclasses import dataclass
from typing import Any, Optional

from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client


@dataclass
class Outcome:
    """What a tool answered."""

    is_error: bool
    text: str
    content: dict[str, Any]
    # The question to the person, if guard asked.
    question: Optional[dict[str, Any]]

    @property
    def error(self) -> dict[str, Any]:
        return self.content.get("error") or {}


def call(
    command: list[str],
    workspace: str,
    tool: str,
    arguments: dict[str, Any],
    decision: Optional[dict[str, Any]] = None,
) -> Outcome:
    """Calls a tool. If guard asks the person, `decision` is the answer; without one, the question stays open."""
    return asyncio.run(_call(command, workspace, tool, arguments, decision))


async def _call(command, workspace, tool, arguments, decision) -> Outcome:
    questions = []

    async def ask(context, params):
        questions.append(params.model_dump(mode="json", by_alias=True))
        if decision is None:
            return types.ElicitResult(action="cancel")
        return types.ElicitResult(action="accept", content=decision)

    server = StdioServerParameters(
        command=command[0], args=[*command[1:], "mcp"], cwd=workspace, env=dict(os.environ)
    )
    async with stdio_client(server) as (reader, writer):
        async with ClientSession(reader, writer, elicitation_callback=ask) as session:
            await session.initialize()
            result = (await session.call_tool(tool, arguments)).model_dump(mode="json", by_alias=True)
    texts = [block["text"] for block in result["content"] if block["type"] == "text"]
    return Outcome(
        is_error=bool(result["isError"]),
        text="\n".join(texts),
        content=result.get("structuredContent") or {},
        question=questions[0] if questions else None,
    )


def records(command: list[str], workspace: str) -> list[dict[str, Any]]:
    """The records of guard's log."""
    shown = subprocess.run(
        [*command, "audit", "show", "--format", "json"],
        cwd=workspace,
        capture_output=True,
        check=True,
        text=True,
    )
    return json.loads(shown.stdout)["records"]
