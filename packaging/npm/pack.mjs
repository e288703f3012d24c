// Makes the npm packages from finished binaries: one per platform, and `write-guard`, which depends on the one that
// fits. Name, version and the rest come from Cargo.toml.
//
// Usage: node packaging/npm/pack.mjs OUTPUT PLATFORM=BINARY…      as linux-x64=target/release/guard
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

// As node names them: process.platform and process.arch.
const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64"];

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "../..");
const cargo = readFileSync(join(root, "Cargo.toml"), "utf8");
const field = (name) => cargo.match(new RegExp(`^${name} = "(.*)"$`, "m"))?.[1];
const [name, version] = [field("name"), field("version")];

function pack(output, manifest, files) {
  const folder = mkdtempSync(join(tmpdir(), "guard-npm-"));
  const all = { ...files };
  for (const text of ["README.md", "LICENSE-MIT", "LICENSE-APACHE"]) {
    all[text] = join(root, text);
  }
  for (const [to, from] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, to)), { recursive: true });
    copyFileSync(from, join(folder, to));
    chmodSync(join(folder, to), to in files ? 0o755 : 0o644);
  }
  const common = { version, description: field("description"), license: field("license") };
  // npm checks the provenance against it.
  if (field("repository")) {
    common.repository = { type: "git", url: `git+${field("repository")}.git` };
  }
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ ...manifest, ...common }, null, 2)}\n`);
  const pack = ["pack", "--silent", "--ignore-scripts", "--pack-destination", resolve(output), folder];
  // On Windows npm is a script of the shell.
  execFileSync("npm", pack, { stdio: "inherit", shell: process.platform === "win32" });
  rmSync(folder, { recursive: true });
}

const [output, ...binaries] = process.argv.slice(2);
if (!output || binaries.length === 0) {
  console.error("usage: node packaging/npm/pack.mjs OUTPUT PLATFORM=BINARY…");
  process.exit(2);
}
mkdirSync(output, { recursive: true });
for (const pair of binaries) {
  const [, platform, binary] = pair.match(/^([^=]*)=(.+)$/) ?? [];
  if (!PLATFORMS.includes(platform)) {
    console.error(`${pair}: expected PLATFORM=BINARY with one of the platforms ${PLATFORMS.join(", ")}`);
    process.exit(2);
  }
  const [os, cpu] = platform.split("-");
  const manifest = { name: `${name}-${platform}`, os: [os], cpu: [cpu], preferUnplugged: true };
  pack(output, manifest, { [os === "win32" ? "bin/guard.exe" : "bin/guard"]: binary });
}
const own = Object.fromEntries(PLATFORMS.map((platform) => [`${name}-${platform}`, version]));
const launcher = { name, bin: { guard: "guard.js" }, optionalDependencies: own, engines: { node: ">=18" } };
pack(output, launcher, { "guard.js": join(here, "guard.js"), guard: join(here, "guard") });
