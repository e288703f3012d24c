#!/usr/bin/env node
// Starts the guard of this platform, which npm installs as an optional dependency. Starting node takes longer than
// judging a commit, so hooks call the script `guard` next to this file, which needs no node.
"use strict";

const { spawnSync } = require("node:child_process");

const name = `write-guard-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/guard${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(
    `guard: the package ${name} is not installed, so guard cannot judge.\n` +
      "Install write-guard again, with optional dependencies. If npm has no such package, guard has no binary for " +
      "this platform: install it with cargo install write-guard.",
  );
  process.exit(2);
}
const { error, signal, status } = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (error) {
  console.error(`guard: cannot start ${program}: ${error.message}`);
}
if (signal) {
  process.kill(process.pid, signal);
}
process.exit(status ?? 2);
