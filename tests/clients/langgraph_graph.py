"""Graphs whose writes go through guard, or past it. Usage: langgraph_graph.py SCENARIOS, a JSON list of objects:

guard, package: the program, and the folder of the package guard_langgraph
workspace:      the repository
requests:       what the scripted model wants to write
resume:         the answers of the person, one per interrupt
gate:           whether the node that writes is the gate; otherwise it writes the files itself
auto_mode:      whether nobody can be asked
branches:       instead of requests, lists of them for parallel gates
mode:           `invoke`, `ainvoke` with asynchronous nodes, or `in_loop`: invoke where an event loop runs
in_terminal:    questions and answers, by turns, of a person who runs `guard approve ID` before the graph resumes

Prints for each the final state, the interrupts and what the model read through guard's tools.
"""

import asyncio
import json
import os
import subprocess
import sys

from langchain_mcp_adapters.client import MultiServerMCPClient
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send

scenarios = json.loads(sys.argv[1])
sys.path.insert(0, scenarios[0]["package"])
from guard_langgraph import SafeFileWriteError, SafeFileWriteGate, WriteApprovalState, route_after_gate

TERMINAL = os.path.join(os.path.dirname(__file__), "../common/terminal.py")


class State(WriteApprovalState, total=False):
    task: str


async def show_scope(guard):
    """What a model sees of guard's tools, through the adapters that agents use."""
    server = {"transport": "stdio", "command": guard, "args": ["mcp"], "env": dict(os.environ)}
    tools = await MultiServerMCPClient({"guard": server}).get_tools()
    show = next(tool for tool in tools if tool.name == "show_scope")
    return json.dumps(await show.ainvoke({}))


def build(scenario, seen):
    is_async = scenario.get("mode") == "ainvoke"

    def model(state):
        if "mode" not in scenario:
            seen.append(asyncio.run(show_scope(scenario["guard"])))
        return {"write_requests": scenario["requests"], "auto_mode": scenario.get("auto_mode", False)}

    def branch(state):
        return [Send("safe_file_write_gate", {"write_requests": one}) for one in scenario["branches"]]

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
    if is_async:
        builder.add_node("safe_file_write_gate", gate.asafe_file_write_gate)
        builder.add_node("request_user_approval", gate.arequest_user_approval)
    else:
        builder.add_node("safe_file_write_gate", gate.safe_file_write_gate)
        builder.add_node("request_user_approval", gate.request_user_approval)
    if "branches" in scenario:
        builder.add_conditional_edges("model", branch, ["safe_file_write_gate"])
    else:
        builder.add_edge("model", "safe_file_write_gate")
    routes = {"approve": "request_user_approval", "rejected": END, "written": END}
    builder.add_conditional_edges("safe_file_write_gate", route_after_gate, routes)
    builder.add_conditional_edges("request_user_approval", route_after_gate, routes)
    return builder


def runner(graph, mode):
    async def in_loop(*arguments):
        return graph.invoke(*arguments)

    if mode == "ainvoke":
        return lambda *arguments: asyncio.run(graph.ainvoke(*arguments))
    if mode == "in_loop":
        return lambda *arguments: asyncio.run(in_loop(*arguments))
    return graph.invoke


def run(scenario):
    os.chdir(scenario["workspace"])
    seen, interrupts, left, raised = [], [], [], None
    graph = build(scenario, seen).compile(checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    invoke = runner(graph, scenario.get("mode"))
    try:
        state = invoke({"task": "write"}, config)
        for answer in scenario["resume"]:
            asked = [one.value for one in state.get("__interrupt__", [])]
            interrupts.extend(asked)
            if scenario.get("in_terminal"):
                command = [scenario["guard"], "approve", asked[0]["held_id"]]
                terminal = [sys.executable, TERMINAL, "wait", *scenario["in_terminal"], "--", *command]
                subprocess.run(terminal, check=True, stdout=subprocess.DEVNULL)
            state = invoke(Command(resume=answer), config)
        left = [one.value for one in state.get("__interrupt__", [])]
    except SafeFileWriteError as error:
        raised = {"type": type(error).__name__, "message": str(error), "kind": error.kind, "update": error.update}
    state = graph.get_state(config).values
    return {"state": state, "interrupts": interrupts, "left": left, "raised": raised, "seen": seen}


print(json.dumps([run(scenario) for scenario in scenarios]))
