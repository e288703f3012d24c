// A model that makes the same tool calls whatever it is asked. It speaks four protocols: Anthropic's messages, OpenAI's
// responses and chat completions, and Gemini's. Usage: scripted_model.mjs CALLS LOG, where CALLS is a JSON list of
// [name, arguments]; null in it ends a turn, as does the end of the list. Or it is an object of such lists: the first
// key that a request contains chooses the list, so that a subagent, which is asked another thing, has its own. For
// ["wait", SECONDS] it waits before it goes on. It prints its port, and appends each request to LOG.

import { createServer } from "node:http";
import { appendFileSync } from "node:fs";

const [scripts, log] = [JSON.parse(process.argv[2]), process.argv[3]];
const events = (list) => list.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`).join("");
let made = 0;

/// The names of the tools that a request offers; agents also ask without any, such as for a title.
function offered(body) {
  const tools = (body.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? tool.tools ?? [tool]);
  return tools.map((tool) => tool.function?.name ?? tool.name ?? tool.type);
}

function next(body) {
  const text = JSON.stringify(body);
  const key = Object.keys(scripts).find((key) => text.includes(key));
  const calls = Array.isArray(scripts) ? scripts : (scripts[key] ?? []);
  const names = offered(body);
  if (names.length > 0 && calls[0]?.[0] === "wait") {
    // Nothing else happens here meanwhile.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, calls.shift()[1] * 1000);
  }
  if (names.length === 0 || (calls[0] && !names.includes(calls[0][0]))) return undefined;
  const call = calls.shift();
  // Codex numbers the shells that go on running.
  const shell = text.match(/^.*session ID (\d+)/s);
  if (call?.[1].session_id && shell) call[1].session_id = Number(shell[1]);
  // What guard names last is what the model takes back.
  const change = text.match(/^.*(cp-[0-9a-f]{8})/s);
  return call && change ? JSON.parse(JSON.stringify(call).replaceAll("cp-CHANGE", change[1])) : (call ?? undefined);
}

function anthropic(body) {
  const call = next(body);
  const id = `toolu_${++made}`;
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: `msg_${made}`, type: "message", role: "assistant", model: body.model, usage };
  const block = call ? { type: "tool_use", id, name: call[0], input: call[1] } : { type: "text", text: "done" };
  const stop = { stop_reason: call ? "tool_use" : "end_turn", stop_sequence: null };
  if (!body.stream) return JSON.stringify({ ...message, content: [block], ...stop });
  const delta = call
    ? { type: "input_json_delta", partial_json: JSON.stringify(call[1]) }
    : { type: "text_delta", text: "done" };
  return events([
    ["message_start", { message: { ...message, content: [], stop_reason: null, stop_sequence: null } }],
    ["content_block_start", { index: 0, content_block: call ? { ...block, input: {} } : { type: "text", text: "" } }],
    ["content_block_delta", { index: 0, delta }],
    ["content_block_stop", { index: 0 }],
    ["message_delta", { delta: stop, usage }],
    ["message_stop", {}],
  ]);
}

function responses(body) {
  const call = next(body);
  const id = `call_${++made}`;
  const message = { type: "message", id: `msg_${made}`, role: "assistant", content: [{ type: "output_text", text: "done", annotations: [] }] };
  // A tool without a schema takes its text as it is.
  const item = !call ? message
    : typeof call[1] === "string" ? { type: "custom_tool_call", id: `ctc_${made}`, call_id: id, name: call[0], input: call[1] }
    : { type: "function_call", id: `fc_${made}`, call_id: id, name: call[0], arguments: JSON.stringify(call[1]) };
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2, input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } };
  return events([
    ["response.created", { response: { id: `resp_${made}` } }],
    ["response.output_item.done", { output_index: 0, item: { status: "completed", ...item } }],
    ["response.completed", { response: { id: `resp_${made}`, usage } }],
  ]);
}

function completions(body) {
  const call = next(body);
  const id = `call_${++made}`;
  const message = call
    ? { role: "assistant", tool_calls: [{ index: 0, id, type: "function", function: { name: call[0], arguments: JSON.stringify(call[1]) } }] }
    : { role: "assistant", content: "done" };
  const finish = call ? "tool_calls" : "stop";
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const chunk = (delta, reason) => ({ id, object: "chat.completion.chunk", created: 1, model: body.model, choices: [{ index: 0, delta, finish_reason: reason }], usage });
  if (!body.stream) return JSON.stringify({ ...chunk(), object: "chat.completion", choices: [{ index: 0, message, finish_reason: finish }] });
  return [chunk(message, null), chunk({}, finish)].map((part) => `data: ${JSON.stringify(part)}\n\n`).join("") + "data: [DONE]\n\n";
}

function gemini(body, streams) {
  const call = next(body);
  const part = call ? { functionCall: { name: call[0], args: call[1] } } : { text: "done" };
  const answer = JSON.stringify({
    candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    totalTokens: 1,
  });
  return streams ? `data: ${answer}\n\n` : answer;
}

const server = createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const text = Buffer.concat(parts).toString();
  appendFileSync(log, `${text}\n`);
  const body = JSON.parse(text || "{}");
  const url = request.url;
  if (process.env.SCRIPTED_MODEL_VERBOSE) console.error(request.method, url, offered(body).join(" "));
  const streams = body.stream || url.includes("stream");
  response.setHeader("content-type", streams ? "text/event-stream" : "application/json");
  if (url.includes("/count_tokens")) response.end('{"input_tokens":1}');
  else if (url.includes("/messages")) response.end(anthropic(body));
  else if (url.includes("/responses")) response.end(responses(body));
  else if (url.includes("/chat/completions")) response.end(completions(body));
  else if (url.includes("enerateContent") || url.includes("countTokens")) response.end(gemini(body, streams));
  else response.end('{"object":"list","data":[],"models":[]}');
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
