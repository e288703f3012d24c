// A model of the Gemini API that makes the same tool calls whatever it is asked, and then says "done". Usage:
// scripted_model.mjs CALLS LOG, where CALLS is a JSON list of [name, arguments]. It prints its port, and appends each
// request to LOG.

import { createServer } from "node:http";
import { appendFileSync } from "node:fs";

const [calls, log] = [JSON.parse(process.argv[2]), process.argv[3]];
const server = createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts).toString();
  appendFileSync(log, `${body}\n`);
  // The agent also asks which model to take, without tools.
  const call = body.includes("functionDeclarations") ? calls.shift() : undefined;
  const part = call ? { functionCall: { name: call[0], args: call[1] } } : { text: "done" };
  const answer = JSON.stringify({
    candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    totalTokens: 1,
  });
  const streams = request.url.includes("stream");
  response.setHeader("content-type", streams ? "text/event-stream" : "application/json");
  response.end(streams ? `data: ${answer}\n\n` : answer);
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
