//! The real programs of agents, each with a scripted model on the loopback address. They come from npm into
//! `target/agents`, 100 to 300 MB each, and reach nothing but the model. `.ci/long` runs them.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::common::clients::program;
use crate::common::system;
use crate::common::{GUARD, Repo, SOURCE, run, skip};
use serde_json::{Value, json};

/// What the person types, and what the agent types for its subagent. The model tells them apart by it.
const PROMPT: &str = "Begin the work that the design names.";
const TASK: &str = "Help with the other half of it.";

/// One agent and the calls of its tools.
struct RealAgent {
    name: &'static str,
    package: &'static str,
    /// Its program below `node_modules`.
    program: &'static str,
    /// The file with its hooks, and what a person had in it before.
    settings: &'static str,
    before: &'static str,
    /// Writes a file.
    write: fn(path: &str, absolute: &str) -> Value,
    /// Runs a command.
    shell: fn(command: &str) -> Value,
    /// Runs it in the background.
    background: Option<fn(command: &str) -> Value>,
    /// Starts a subagent and waits for it.
    subagent: Option<fn(task: &str) -> Value>,
    /// Prepares the home directory, and the command line for a prompt.
    prepare: fn(repo: &Repo, agent: &mut Command, model: &str),
}

const CLAUDE: RealAgent = RealAgent {
    name: "claude",
    package: "@anthropic-ai/claude-code@2.1.330",
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
    prepare: |_, agent, model| {
        agent
            .args(["-p", PROMPT, "--model", "claude-sonnet-4-5"])
            .args(["--permission-mode", "acceptEdits"])
            .args(["--allowedTools", "Write Bash Agent"])
            .env("ANTHROPIC_BASE_URL", model)
            .env("ANTHROPIC_API_KEY", "none")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_AUTOUPDATER", "1");
    },
};

const CODEX: RealAgent = RealAgent {
    name: "codex",
    package: "@openai/codex@0.169.0",
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

const OPENCODE: RealAgent = RealAgent {
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

const GEMINI: RealAgent = RealAgent {
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

const COPILOT: RealAgent = RealAgent {
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

/// The model, which ends with the test.
struct Model {
    server: Child,
    address: String,
}

impl Model {
    fn start(repo: &Repo, scripts: &Value) -> Model {
        let mut server = program(repo, "node", "scripted_model.mjs")
            .arg(scripts.to_string())
            .arg(repo.path("../requests"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        let mut output = BufReader::new(server.stdout.take().unwrap());
        output.read_line(&mut port).unwrap();
        let address = format!("http://127.0.0.1:{}", port.trim());
        Model { server, address }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl RealAgent {
    /// The program, installed on its first use; `None` where it cannot be.
    fn installed(&self) -> Option<PathBuf> {
        let place = Path::new(SOURCE).join("target/agents").join(self.name);
        let program = place.join("node_modules").join(self.program);
        let note = place.join("installed");
        if fs::read_to_string(&note).unwrap_or_default() != self.package {
            fs::create_dir_all(&place).unwrap();
            let mut npm = Command::new("npm");
            npm.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]);
            let done = npm.arg(&place).arg(self.package).status();
            if !done.is_ok_and(|status| status.success()) || !program.exists() {
                skip(&format!("{} cannot be installed from npm", self.package));
                return None;
            }
            fs::write(&note, self.package).unwrap();
        }
        Some(program)
    }

    /// Runs the agent until the model is done; the result is all that the model was sent.
    fn drive(&self, repo: &Repo, agent: &Path, scripts: &Value) -> String {
        let model = Model::start(repo, scripts);
        let mut command = repo.with_guard_on_path("timeout");
        command.arg("120").arg(agent).stdin(Stdio::null());
        (self.prepare)(repo, &mut command, &model.address);
        let output = run(&mut command);
        let requests = repo.read("../requests");
        let requests = String::from_utf8_lossy(&requests).into_owned();
        assert_eq!(output.code, 0, "{}: {output:?}", self.name);
        requests
    }

    fn writes(&self, repo: &Repo, path: &str) -> Value {
        let root = system::real(&repo.root);
        (self.write)(path, root.join(path).to_str().unwrap())
    }

    fn is_refused_and_told(&self) {
        let Some(agent) = self.installed() else {
            return;
        };
        let repo = repo();
        if !self.before.is_empty() {
            repo.write(self.settings, self.before);
        }
        run(repo.with_guard_on_path(GUARD).args(["install", self.name])).exits(0);
        repo.git(&["add", "."]);
        repo.commit("Install the hooks");
        let shell = |path: &str| format!("echo 'x = 1' > {path}");
        let mut calls = vec![
            self.writes(&repo, "src/stray.py"),
            self.writes(&repo, "src/granted.py"),
            (self.shell)(&shell("src/shell.py")),
            // Codex runs a login shell, which may not have the test's PATH.
            (self.shell)(&format!("{GUARD} snapshot restore cp-CHANGE")),
            (self.shell)(&format!("{}; false", shell("src/failed.py"))),
        ];
        calls.extend(self.subagent.map(|start| start(TASK)));
        if let Some(start) = self.background {
            calls.push(start(&format!("sleep 0.5; {}", shell("src/background.py"))));
            calls.push((self.shell)("sleep 1.5"));
        }
        let help = [self.writes(&repo, "src/helper.py")];
        let requests = self.drive(&repo, &agent, &json!({PROMPT: calls, TASK: help}));

        let is = |is_met: bool, what: &str| assert!(is_met, "{}: {what}: {requests}", self.name);
        is(!repo.path("src/stray.py").exists(), "the write is refused");
        is(repo.path("src/granted.py").exists(), "the other is not");
        let refused = "src/stray.py is not in the design [out-of-scope]";
        is(requests.contains(refused), "the model reads why");
        is(!repo.path("src/shell.py").exists(), "it is taken back");
        let mut told = vec!["src/shell.py", "src/failed.py"];
        told.extend(self.background.map(|_| "src/background.py"));
        for path in told {
            is(is_reported(&requests, path), path);
        }
        if self.subagent.is_some() {
            is(!repo.path("src/helper.py").exists(), "the subagent");
            let refused = "src/helper.py is not in the design";
            is(requests.contains(refused), "is told");
        }
        let scope = requests.contains("You may change only these files");
        is(scope || self.name == "opencode", "the scope is told");
        let mut guard = repo.with_guard_on_path(GUARD);
        run(guard.args(["uninstall", self.name])).exits(0);
        match self.before {
            // What holds nothing else is removed.
            "" | "{}" | "{\"hooks\":{}}" => assert!(!repo.path(self.settings).exists()),
            before => {
                let after: Value = serde_json::from_slice(&repo.read(self.settings)).unwrap();
                assert_eq!(after, serde_json::from_str::<Value>(before).unwrap());
            }
        }

        // Nothing but guard's hook refuses the write above.
        let again = json!({PROMPT: [self.writes(&repo, "src/stray.py")]});
        let requests = self.drive(&repo, &agent, &again);
        let is_written = repo.path("src/stray.py").exists();
        assert!(is_written, "{}: {requests}", self.name);
    }
}

/// Whether guard told the model about the path, in a refusal or in a report.
fn is_reported(requests: &str, path: &str) -> bool {
    let mut texts = requests.split("guard ").skip(1);
    texts.any(|text| text.split('"').next().unwrap_or_default().contains(path))
}

fn repo() -> Repo {
    let repo = Repo::new();
    repo.stage("src/old.py", "x = 0\n");
    repo.govern(&[("src/granted.py", "Add", "the work")]);
    repo
}

#[test]
fn every_agent_is_refused_and_told() {
    for agent in [CLAUDE, CODEX, OPENCODE, GEMINI, COPILOT] {
        agent.is_refused_and_told();
    }
}
