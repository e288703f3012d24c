"""A graph whose writes go through guard, or past it. Usage: langgraph_graph.py SCENARIO, a JSON object:

guard, package: the program, and the folder of the package guard_langgraph
requests:       what the scripted model wants to write
resume:         the answers of the person, one per interrupt
gate:           whether the node that writes is the gate; otherwise it writes the files itself
auto_mode:      whether nobody can be asked

Prints the final state, the interrupts and what the model read through guard's tools.
"""

import asyncio
import json
import os
import sys

from langchain_mcp_adapters.client import MultiServerMCPClient
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command

scenario = json.loads(sys.argv[1])
sys.path.insert(0, scenario["package"])
from guard_langgraph import SafeFileWriteError, SafeFileWriteGate, WriteApprovalState, route_after_gate

gate = SafeFileWriteGate(os.getcwd(), [scenario["guard"]])
seen = []


class State(WriteApprovalState, total=False):
    task: str


def model(state):
    """The model: reads through guard's tools, then wants to write what the script says."""
    seen.append(asyncio.run(scope()))
    return {"write_requests": scenario["requests"], "auto_mode": scenario.get("auto_mode", False)}


async def scope():
    server = {"transport": "stdio", "command": scenario["guard"], "args": ["mcp"]}
    tools = await MultiServerMCPClient({"guard": {**server, "env": dict(os.environ)}}).get_tools()
    show = next(tool for tool in tools if tool.name == "show_scope")
    answer = await show.ainvoke({})
    return answer if isinstance(answer, str) else json.dumps(answer)


def write_past_guard(state):
    for request in state["write_requests"]:
        with open(request["target_path"], "w") as file:
            file.write(request["new_content"])
    return {"write_requests": [], "approved_writes": [r["target_path"] for r in state["write_requests"]]}


builder = StateGraph(State)
builder.add_node("model", model)
builder.add_edge(START, "model")
if scenario["gate"]:
    builder.add_node("safe_file_write_gate", gate.safe_file_write_gate)
    builder.add_node("request_user_approval", gate.request_user_approval)
    builder.add_edge("model", "safe_file_write_gate")
    routes = {"approve": "request_user_approval", "rejected": END, "written": END}
    builder.add_conditional_edges("safe_file_write_gate", route_after_gate, routes)
    builder.add_conditional_edges("request_user_approval", route_after_gate, routes)
else:
    builder.add_node("write", write_past_guard)
    builder.add_edge("model", "write")
    builder.add_edge("write", END)
graph = builder.compile(checkpointer=InMemorySaver())

config = {"configurable": {"thread_id": "1"}}
interrupts, raised = [], None
try:
    state = graph.invoke({"task": "write"}, config)
    for answer in scenario.get("resume", []):
        interrupts.extend(one.value for one in state.get("__interrupt__", []))
        state = graph.invoke(Command(resume=answer), config)
    left = [one.value for one in state.get("__interrupt__", [])]
except SafeFileWriteError as error:
    raised, left = str(error), []
state = graph.get_state(config).values
print(json.dumps({"state": state, "interrupts": interrupts, "left": left, "raised": raised, "seen": seen}))
