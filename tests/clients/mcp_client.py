"""Drives `guard mcp` with the official Python SDK. Usage: mcp_client.py GUARD ANSWER CALLS.

ANSWER is how each question to the person is answered: a JSON object as the client would send it, or `null` for a client
that cannot ask. CALLS is a JSON list of [tool, arguments]. Prints one JSON object: the protocol's version, the names of
the tools, the questions, and each result.
"""

import asyncio
import json
import sys
from contextlib import asynccontextmanager

from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client

try:
    # From version 2 on: it speaks the newest revision.
    from mcp import Client
except ImportError:
    Client = None


@asynccontextmanager
async def session_with(server, ask):
    """A session, and the version that it speaks."""
    if Client:
        async with Client(server, elicitation_callback=ask) as client:
            yield client, client.protocol_version
        return
    async with stdio_client(server) as (reader, writer):
        async with ClientSession(reader, writer, elicitation_callback=ask) as session:
            begun = await session.initialize()
            yield session, begun.protocolVersion


async def main(guard, answer, calls):
    questions = []

    async def ask(context, params):
        questions.append(params.model_dump(mode="json", by_alias=True))
        return types.ElicitResult(**answer)

    server = StdioServerParameters(command=guard, args=["mcp"])
    async with session_with(server, ask if answer else None) as (session, version):
        tools = (await session.list_tools()).tools
        results = []
        for name, arguments in calls:
            result = await session.call_tool(name, arguments)
            results.append(result.model_dump(mode="json", by_alias=True))
    said = {
        "version": version,
        "tools": [tool.name for tool in tools],
        "questions": questions,
        "results": results,
    }
    print(json.dumps(said))


asyncio.run(main(sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])))
