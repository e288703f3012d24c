//! The programs of agents as npm has them, each with a scripted model on the loopback address.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::clients::program;
use super::{Repo, SOURCE, run, skip, system};

/// What the person types, and what the agent types for its subagent. The model tells them apart by it.
pub const PROMPT: &str = "Begin the work that the design names.";
pub const TASK: &str = "Help with the other half of it.";

/// One agent and the calls of its tools.
pub struct RealAgent {
    pub name: &'static str,
    pub package: &'static str,
    /// Its program below `node_modules`.
    pub program: &'static str,
    /// The file with its hooks, and what a person had in it before.
    pub settings: &'static str,
    pub before: &'static str,
    /// Writes a file.
    pub write: fn(path: &str, absolute: &str) -> Value,
    /// Runs a command.
    pub shell: fn(command: &str) -> Value,
    /// Runs it in the background.
    pub background: Option<fn(command: &str) -> Value>,
    /// Starts a subagent and waits for it.
    pub subagent: Option<fn(task: &str) -> Value>,
    /// Whether it runs the hooks of the project where it is started below its root.
    pub runs_hooks_below: bool,
    /// Whether it refuses a write while guard hangs.
    pub denies_without_answer: bool,
    /// Whether what it prints has what guard tells a person.
    pub shows_losses: bool,
    /// Prepares the home directory, and the command line for a prompt.
    pub prepare: fn(repo: &Repo, agent: &mut Command, model: &str),
}

pub const CLAUDE: RealAgent = RealAgent {
    name: "claude",
    package: "@anthropic-ai/claude-code@2.1.332",
    program: ".bin/claude",
    settings: ".claude/settings.json",
    before: "{}",
    write: |_, absolute| json!(["Write", {"file_path": absolute, "content": "x = 1\n"}]),
    shell: |command| json!(["Bash", {"command": command}]),
    background: Some(|command| json!(["Bash", {"command": command, "run_in_background": true}])),
    subagent: Some(|task| {
        json!(["Agent", {
            "description": "Help", "prompt": task, "subagent_type": "general-purpose", "run_in_background": false,
        }])
    }),
    runs_hooks_below: false,
    denies_without_answer: false,
    shows_losses: true,
    prepare: |_, agent, model| {
        agent
            .args(["-p", PROMPT, "--model", "claude-sonnet-4-5"])
            .args(["--permission-mode", "acceptEdits"])
            .args(["--allowedTools", "Write Bash Agent mcp__guard__write_file"])
            // Prints what a person reads in the terminal, too.
            .args(["--output-format", "stream-json", "--verbose"])
            // The tools of servers are offered at once.
            .env("ENABLE_TOOL_SEARCH", "false")
            .env("ANTHROPIC_BASE_URL", model)
            .env("ANTHROPIC_API_KEY", "none")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_AUTOUPDATER", "1");
    },
};

pub const CODEX: RealAgent = RealAgent {
    name: "codex",
    package: "@openai/codex@0.171.0",
    program: ".bin/codex",
    settings: ".codex/hooks.json",
    before: "{\"hooks\":{}}",
    write: |path, _| {
        let patch = format!("*** Begin Patch\n*** Add File: {path}\n+x = 1\n*** End Patch\n");
        json!(["apply_patch", patch])
    },
    shell: |command| json!(["exec_command", {"cmd": command}]),
    // The shell goes on running, and the agent types into it; Codex calls no hook for that.
    background: Some(|command| {
        let command = format!("{command} & sleep 1");
        json!(["exec_command", {"cmd": command, "yield_time_ms": 250}])
    }),
    subagent: None,
    runs_hooks_below: true,
    denies_without_answer: false,
    shows_losses: false,
    prepare: |repo, agent, model| {
        let settings = format!(
            "model = \"gpt-5.5\"\nmodel_provider = \"local\"\napproval_policy = \"never\"\n\
             sandbox_mode = \"danger-full-access\"\ncheck_for_update_on_startup = false\n\
             [analytics]\nenabled = false\n[otel]\nexporter = \"none\"\n\
             [model_providers.local]\nname = \"local\"\nbase_url = \"{model}/v1\"\nwire_api = \"responses\"\n\
             requires_openai_auth = false\n[projects.\"{}\"]\ntrust_level = \"trusted\"\n",
            system::real(&repo.root).display(),
        );
        home_file(repo, ".codex/config.toml", &settings);
        agent.args(["exec", "--dangerously-bypass-hook-trust", PROMPT]);
    },
};

pub const OPENCODE: RealAgent = RealAgent {
    name: "opencode",
    package: "opencode-ai@1.18.33",
    program: ".bin/opencode",
    settings: ".opencode/plugins/guard.js",
    before: "",
    write: |_, absolute| json!(["write", {"filePath": absolute, "content": "x = 1\n"}]),
    shell: |command| json!(["bash", {"command": command, "description": "Do it"}]),
    background: Some(
        |command| json!(["bash", {"command": format!("({command}) >/dev/null 2>&1 &"), "description": "Do it"}]),
    ),
    subagent: Some(
        |task| json!(["task", {"description": "Help", "prompt": task, "subagent_type": "general"}]),
    ),
    runs_hooks_below: true,
    denies_without_answer: true,
    shows_losses: true,
    prepare: |repo, agent, model| {
        let settings = json!({
            "autoupdate": false, "share": "disabled", "model": "local/scripted", "small_model": "local/scripted",
            "enabled_providers": ["local"],
            "provider": {"local": {
                "npm": "@ai-sdk/openai-compatible", "name": "local",
                "options": {"baseURL": format!("{model}/v1"), "apiKey": "none"},
                "models": {"scripted": {
                    "name": "scripted", "tool_call": true, "limit": {"context": 100_000, "output": 10_000},
                }},
            }},
        });
        let settings = settings.to_string();
        home_file(repo, ".config/opencode/opencode.json", &settings);
        agent
            .args(["run", PROMPT])
            .env("OPENCODE_DISABLE_AUTOUPDATE", "1")
            .env("OPENCODE_DISABLE_MODELS_FETCH", "1")
            .env("OPENCODE_DISABLE_LSP_DOWNLOAD", "1")
            .env("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1");
    },
};

pub const GEMINI: RealAgent = RealAgent {
    name: "gemini",
    package: "@google/gemini-cli@0.61.0",
    program: ".bin/gemini",
    settings: ".gemini/settings.json",
    before: "{ \"ui\": {\"hideTips\": true} }\n",
    write: |_, absolute| json!(["write_file", {"file_path": absolute, "content": "x = 1\n"}]),
    shell: |command| json!(["run_shell_command", {"command": command, "description": "Do it"}]),
    background: Some(
        |command| json!(["run_shell_command", {"command": format!("({command}) >/dev/null 2>&1 &"), "description": "Do it"}]),
    ),
    subagent: None,
    runs_hooks_below: false,
    denies_without_answer: false,
    shows_losses: true,
    prepare: |repo, agent, model| {
        let trusted = json!({system::real(&repo.root).to_str().unwrap(): "TRUST_FOLDER"});
        home_file(repo, ".gemini/trustedFolders.json", &trusted.to_string());
        let settings = json!({
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": false},
            "general": {"enableAutoUpdate": false},
        });
        home_file(repo, ".gemini/settings.json", &settings.to_string());
        agent
            .args(["--yolo", "--model", "gemini-2.5-flash", "--prompt", PROMPT])
            .env("GEMINI_API_KEY", "none")
            .env("GOOGLE_GEMINI_BASE_URL", model);
    },
};

pub const COPILOT: RealAgent = RealAgent {
    name: "copilot",
    package: "@github/copilot@1.0.102",
    program: ".bin/copilot",
    settings: ".github/hooks/guard.json",
    before: "",
    write: |_, absolute| json!(["create", {"path": absolute, "file_text": "x = 1\n"}]),
    shell: |command| json!(["bash", {"command": command, "description": "Do it"}]),
    background: Some(
        |command| json!(["bash", {"command": command, "description": "Do it", "mode": "async"}]),
    ),
    subagent: Some(|task| {
        json!(["task", {
            "name": "helper", "description": "Help", "prompt": task, "agent_type": "general-purpose", "mode": "sync",
        }])
    }),
    runs_hooks_below: true,
    denies_without_answer: false,
    shows_losses: false,
    prepare: |_, agent, model| {
        agent
            .args(["-p", PROMPT, "--model", "gpt-4.1"])
            .args(["--allow-all-tools", "--allow-all-paths"])
            .env("COPILOT_OFFLINE", "true")
            .env("COPILOT_AUTO_UPDATE", "false")
            .env("COPILOT_ALLOW_ALL", "true")
            .env("COPILOT_PROVIDER_BASE_URL", format!("{model}/v1"))
            .env("COPILOT_PROVIDER_API_KEY", "none");
    },
};

fn home_file(repo: &Repo, name: &str, text: &str) {
    repo.write(repo.home().join(name), text);
}

/// A program that ends with the test, and the line with the address where it listens.
pub struct Background {
    child: Child,
    line: String,
}

impl Background {
    pub fn start(command: &mut Command) -> Background {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        // A server may begin with a warning.
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut lines = output.lines().map_while(Result::ok);
        let is_address = |line: &String| line.ends_with(|end: char| end.is_ascii_digit());
        let line = lines.find(is_address).unwrap();
        Background { child, line }
    }

    /// The address on this machine that the line ends with.
    pub fn address(&self) -> String {
        let (_, port) = self.line.rsplit_once(':').unwrap_or(("", &self.line));
        format!("http://127.0.0.1:{}", port.trim())
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts the model, which logs what it is sent.
pub fn model(repo: &Repo, scripts: &Value) -> Background {
    let mut model = program(repo, "node", "scripted_model.mjs");
    Background::start(model.arg(scripts.to_string()).arg(repo.path("../requests")))
}

/// What a run of an agent left.
pub struct Driven {
    /// All that the model was sent.
    pub requests: String,
    /// All that the agent printed.
    pub shown: String,
}

/// A program of a package, installed below `target/agents` on its first use; `None` where it cannot be.
pub fn from_npm(name: &str, package: &str, program: &str) -> Option<PathBuf> {
    let place = Path::new(SOURCE).join("target/agents").join(name);
    let program = place.join("node_modules").join(program);
    let note = place.join("installed");
    if fs::read_to_string(&note).unwrap_or_default() != package {
        fs::create_dir_all(&place).unwrap();
        let mut npm = Command::new("npm");
        npm.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]);
        let done = npm.arg(&place).arg(package).status();
        if !done.is_ok_and(|status| status.success()) || !program.exists() {
            skip(&format!("{package} cannot be installed from npm"));
            return None;
        }
        fs::write(&note, package).unwrap();
    }
    Some(program)
}

impl RealAgent {
    /// The program, installed on its first use; `None` where it cannot be.
    pub fn installed(&self) -> Option<PathBuf> {
        from_npm(self.name, self.package, self.program)
    }

    /// Runs the agent until the model is done.
    pub fn drive(&self, repo: &Repo, agent: &Path, calls: &Value) -> Driven {
        self.drive_with(repo, agent, calls, |_| {})
    }

    /// The same after a change of the command.
    pub fn drive_with(
        &self,
        repo: &Repo,
        agent: &Path,
        calls: &Value,
        change: impl Fn(&mut Command),
    ) -> Driven {
        let scripts = if calls.is_array() {
            json!({PROMPT: calls})
        } else {
            calls.clone()
        };
        let model = model(repo, &scripts);
        let mut command = repo.with_guard_on_path("timeout");
        // OpenCode installs the library of its plugins first.
        command.arg("600").arg(agent).stdin(Stdio::null());
        (self.prepare)(repo, &mut command, &model.address());
        change(&mut command);
        let output = run(&mut command);
        let requests = String::from_utf8_lossy(&repo.read("../requests")).into_owned();
        assert_eq!(output.code, 0, "{}: {output:?}", self.name);
        let shown = output.stdout + &output.stderr;
        Driven { requests, shown }
    }

    pub fn writes(&self, repo: &Repo, path: &str) -> Value {
        let root = system::real(&repo.root);
        (self.write)(path, root.join(path).to_str().unwrap())
    }
}
