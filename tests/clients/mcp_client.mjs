// Drives `guard mcp` with the official TypeScript SDK. Usage: mcp_client.mjs MODULES GUARD ANSWER CALLS, where MODULES
// is the folder of the installed packages; the rest and the output are those of mcp_client.py.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, guard, answerText, callsText] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${modules}/index.js`));
const load = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${name}`)).href);
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");
const { ElicitRequestSchema } = await load("types.js");

const answer = JSON.parse(answerText);
const capabilities = answer ? { elicitation: {} } : {};
const client = new Client({ name: "test", version: "1" }, { capabilities });
const questions = [];
if (answer) {
  client.setRequestHandler(ElicitRequestSchema, async (request) => {
    questions.push(request.params);
    return answer;
  });
}
const transport = new StdioClientTransport({ command: guard, args: ["mcp"] });
await client.connect(transport);
const { tools } = await client.listTools();
const results = [];
for (const [name, args] of JSON.parse(callsText)) {
  results.push(await client.callTool({ name, arguments: args }));
}
await client.close();
console.log(JSON.stringify({
  // The SDK does not tell.
  version: null,
  tools: tools.map((tool) => tool.name),
  questions,
  results,
}));
