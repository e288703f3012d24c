import { spawnSync } from "node:child_process";

export const Guard = async ({ directory }) => {
  const ask = (input, more) => {
    const payload = { tool: input.tool, cwd: directory, session: input.sessionID, call: input.callID, ...more };
    return spawnSync("guard", ["hook", "opencode"], {
      cwd: directory, input: JSON.stringify(payload), encoding: "utf8", timeout: 10000,
    });
  };
  return {
    "tool.execute.before": async (input, output) => {
      const answer = ask(input, { args: output.args });
      if (answer.status !== 0) throw new Error(answer.stderr || "guard gave no answer, so the call is denied");
    },
    "tool.execute.after": async (input, output) => {
      const answer = ask(input, { hook_event_name: "tool.execute.after", args: input.args });
      if (answer.status !== 0) output.output += "\nguard gave no answer after this tool; look yourself: git status";
      else if (answer.stdout) output.output += `\n${JSON.parse(answer.stdout).report}`;
    },
  };
};
