"""A session of `guard mcp`."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Coroutine, Optional

from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client


@dataclass
class Outcome:
    """What a tool answered."""

    is_error: bool
    text: str
    error: dict[str, Any]
    # What a held write would do.
    analysis: dict[str, Any]
    # The question to the person, if guard asked.
    question: Optional[dict[str, Any]]

    @property
    def kind(self) -> str:
        return self.error.get("kind") or "cannot-judge"

    @property
    def details(self) -> dict[str, Any]:
        return self.error.get("details") or {}


@dataclass
class Session:
    """Calls tools, and answers the questions that guard asks meanwhile."""

    client: Any = None
    # The person's answer; without one, a question stays open.
    decision: Optional[dict[str, Any]] = None
    questions: list[dict[str, Any]] = field(default_factory=list)

    async def call(self, tool: str, arguments: dict[str, Any]) -> Outcome:
        self.questions.clear()
        answer = await self.client.call_tool(tool, arguments, meta={"guard/analysis": True})
        result = answer.model_dump(mode="json", by_alias=True)
        return Outcome(
            is_error=bool(result.get("isError")),
            text="\n".join(block["text"] for block in result["content"] if block["type"] == "text"),
            error=(result.get("structuredContent") or {}).get("error") or {},
            analysis=((result.get("_meta") or {}).get("guard") or {}).get("analysis") or {},
            question=self.questions[0] if self.questions else None,
        )

    async def ask(self, context: Any, params: Any) -> types.ElicitResult:
        self.questions.append(params.model_dump(mode="json", by_alias=True))
        if self.decision is None:
            return types.ElicitResult(action="cancel")
        return types.ElicitResult(action="accept", content=self.decision)


@asynccontextmanager
async def open_session(command: list[str], workspace: str, decision: Optional[dict[str, Any]] = None):
    """Starts `guard mcp` in the workspace."""
    server = StdioServerParameters(
        command=command[0], args=[*command[1:], "mcp"], cwd=workspace, env=dict(os.environ)
    )
    session = Session(decision=decision)
    async with stdio_client(server) as (reader, writer):
        async with ClientSession(reader, writer, elicitation_callback=session.ask) as client:
            await client.initialize()
            session.client = client
            yield session


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine, also where an event loop already runs in this thread."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(asyncio.run, work).result()
