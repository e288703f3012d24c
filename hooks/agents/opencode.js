import { spawnSync } from "node:child_process";

export const Guard = async ({ client, directory }) => {
  const scopes = new Map(); // What the model of each session reads about the scope.
  const prompts = new Map(); // The agent and the model that the person chose last.
  const held = new Set(); // The sessions that go on only because of a report.
  const ask = (session, more) => {
    const payload = { cwd: directory, session, ...more };
    return spawnSync("guard", ["hook", "opencode"], {
      cwd: directory, input: JSON.stringify(payload), encoding: "utf8", timeout: 10000,
    });
  };
  const told = (answer) => {
    const { report, person } = answer.status === 0 && answer.stdout ? JSON.parse(answer.stdout) : {};
    const toast = { title: "guard", message: person, variant: "warning", duration: 30000 };
    if (person) client.tui.showToast({ body: toast }).catch(() => {});
    return report;
  };
  return {
    "chat.message": async ({ sessionID, agent, model }) => {
      prompts.set(sessionID, { agent, model });
    },
    "experimental.chat.system.transform": async ({ sessionID }, output) => {
      if (!sessionID) return;
      if (!scopes.has(sessionID)) {
        scopes.set(sessionID, told(ask(sessionID, { hook_event_name: "session.created" })));
      }
      if (scopes.get(sessionID)) output.system.push(scopes.get(sessionID));
    },
    "tool.execute.before": async (input, output) => {
      const answer = ask(input.sessionID, { tool: input.tool, call: input.callID, args: output.args });
      if (answer.status !== 0) throw new Error(answer.stderr || "guard gave no answer, so the call is denied");
    },
    "tool.execute.after": async (input, output) => {
      const call = { tool: input.tool, call: input.callID, args: input.args };
      const answer = ask(input.sessionID, { hook_event_name: "tool.execute.after", ...call });
      const report = told(answer);
      if (answer.status !== 0) output.output += "\nguard gave no answer after this tool; look yourself: git status";
      else if (report) output.output += `\n${report}`;
    },
    event: async ({ event: { type, properties } }) => {
      const session = properties?.sessionID ?? properties?.info?.id;
      if (type === "session.compacted") scopes.delete(session);
      if (type === "session.deleted") ask(session, { hook_event_name: type });
      if (type !== "session.idle") return;
      const report = told(ask(session, { hook_event_name: type, stop_hook_active: held.delete(session) }));
      if (!report) return;
      held.add(session);
      const parts = [{ type: "text", text: report }];
      await client.session.prompt({ path: { id: session }, body: { ...prompts.get(session), parts } });
    },
  };
};
