import { spawnSync } from "node:child_process";

export const Guard = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const payload = { tool: input.tool, args: output.args, cwd: directory, session: input.sessionID, call: input.callID };
    const answer = spawnSync("guard", ["hook", "opencode"], {
      cwd: directory, input: JSON.stringify(payload), encoding: "utf8", timeout: 10000,
    });
    if (answer.status !== 0) throw new Error(answer.stderr || "guard gave no answer, so the call is denied");
  },
});
