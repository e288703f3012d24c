"""Graphs whose writes go through guard, or past it. Usage: langgraph_graph.py SCENARIOS, a JSON list of objects:

guard, package: the program, and the folder of the package guard_langgraph
workspace:      the repository
requests:       what the scripted model wants to write
resume:         the answers of the person, one per interrupt
gate:           whether the node that writes is the gate; otherwise it writes the files itself
auto_mode:      whether nobody can be asked

Prints for each the final state, the interrupts and what the model read through guard's tools.
"""

import asyncio
import json
import os
import sys

from langchain_mcp_adapters.client import MultiServerMCPClient
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command

scenarios = json.loads(sys.argv[1])
sys.path.insert(0, scenarios[0]["package"])
from guard_langgraph import SafeFileWriteError, SafeFileWriteGate, WriteApprovalState, route_after_gate


class State(WriteApprovalState, total=False):
    task: str


async def show_scope(guard):
    """What a model sees of guard's tools, through the adapters that agents use."""
    server = {"transport": "stdio", "command": guard, "args": ["mcp"], "env": dict(os.environ)}
    tools = await MultiServerMCPClient({"guard": server}).get_tools()
    show = next(tool for tool in tools if tool.name == "show_scope")
    return json.dumps(await show.ainvoke({}))


def build(scenario, seen):
    def model(state):
        seen.append(asyncio.run(show_scope(scenario["guard"])))
        return {"write_requests": scenario["requests"], "auto_mode": scenario.get("auto_mode", False)}

    def write_past_guard(state):
        for request in state["write_requests"]:
            with open(request["target_path"], "w") as file:
                file.write(request["new_content"])
        return {"write_requests": []}

    builder = StateGraph(State)
    builder.add_node("model", model)
    builder.add_edge(START, "model")
    if not scenario["gate"]:
        builder.add_node("write", write_past_guard)
        builder.add_edge("model", "write")
        builder.add_edge("write", END)
        return builder
    gate = SafeFileWriteGate(scenario["workspace"], [scenario["guard"]])
    builder.add_node("safe_file_write_gate", gate.safe_file_write_gate)
    builder.add_node("request_user_approval", gate.request_user_approval)
    builder.add_edge("model", "safe_file_write_gate")
    routes = {"approve": "request_user_approval", "rejected": END, "written": END}
    builder.add_conditional_edges("safe_file_write_gate", route_after_gate, routes)
    builder.add_conditional_edges("request_user_approval", route_after_gate, routes)
    return builder


def run(scenario):
    os.chdir(scenario["workspace"])
    seen, interrupts, left, raised = [], [], [], None
    graph = build(scenario, seen).compile(checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    try:
        state = graph.invoke({"task": "write"}, config)
        for answer in scenario["resume"]:
            interrupts.extend(one.value for one in state.get("__interrupt__", []))
            state = graph.invoke(Command(resume=answer), config)
        left = [one.value for one in state.get("__interrupt__", [])]
    except SafeFileWriteError as error:
        raised = str(error)
    state = graph.get_state(config).values
    return {"state": state, "interrupts": interrupts, "left": left, "raised": raised, "seen": seen}


print(json.dumps([run(scenario) for scenario in scenarios]))
