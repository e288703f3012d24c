//! The real Gemini CLI, with a scripted model on the loopback address: `guard install gemini` makes it refuse a write.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use crate::common::clients::{node_packages, program};
use crate::common::{GUARD, Output, Repo, run};
use serde_json::json;

/// The model, which ends with the test.
struct Model {
    server: Child,
    port: String,
}

impl Model {
    fn start(repo: &Repo) -> Model {
        let calls = ["src/stray.py", "src/granted.py"].map(
            |path| json!(["write_file", {"file_path": repo.path(path), "content": "x = 1\n"}]),
        );
        let mut server = program(repo, "node", "scripted_model.mjs")
            .arg(json!(calls).to_string())
            .arg(repo.path("../requests"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        let mut output = BufReader::new(server.stdout.take().unwrap());
        output.read_line(&mut port).unwrap();
        Model {
            server,
            port: port.trim().to_owned(),
        }
    }

    /// Runs the agent until the model is done.
    fn drive(&self, repo: &Repo, packages: &std::path::Path) -> Output {
        let mut agent = repo.with_guard_on_path(packages.join("node_modules/.bin/gemini"));
        agent
            .args([
                "--yolo",
                "--model",
                "gemini-2.5-flash",
                "--prompt",
                "Begin.",
            ])
            .env("GEMINI_API_KEY", "none")
            .env(
                "GOOGLE_GEMINI_BASE_URL",
                format!("http://127.0.0.1:{}", self.port),
            )
            .stdin(Stdio::null());
        run(&mut agent)
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// A governed repository that the agent trusts.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.govern(&[("src/granted.py", "Add", "the work")]);
    let settings = repo.home().join(".gemini");
    fs::create_dir_all(&settings).unwrap();
    let trusted = json!({repo.root.to_str().unwrap(): "TRUST_FOLDER"});
    fs::write(settings.join("trustedFolders.json"), trusted.to_string()).unwrap();
    let user = json!({
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": false},
        "general": {"enableAutoUpdate": false},
    });
    fs::write(settings.join("settings.json"), user.to_string()).unwrap();
    repo
}

#[test]
fn a_write_outside_the_design_is_refused_and_the_model_reads_why() {
    let Some(packages) = node_packages() else {
        return;
    };
    let repo = repo();
    run(repo.with_guard_on_path(GUARD).args(["install", "gemini"])).exits(0);
    Model::start(&repo).drive(&repo, &packages).exits(0);
    assert!(!repo.path("src/stray.py").exists());
    assert_eq!(repo.read("src/granted.py"), b"x = 1\n");
    let requests = String::from_utf8(repo.read("../requests")).unwrap();
    assert!(requests.contains("guard refused write_file: src/stray.py is not in the design"));
    let refused = repo.records().pop().unwrap();
    assert_eq!(
        (&refused["event"], &refused["rule"]),
        (&json!("refused"), &json!("out-of-scope"))
    );
}

/// Nothing but guard's hook refuses the write above.
#[test]
fn without_the_hook_the_agent_writes_both_files() {
    let Some(packages) = node_packages() else {
        return;
    };
    let repo = repo();
    Model::start(&repo).drive(&repo, &packages).exits(0);
    assert!(repo.path("src/stray.py").exists());
    assert!(repo.path("src/granted.py").exists());
}
