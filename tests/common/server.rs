//! A bare repository that a test pushes to.

use std::fs;

use super::{GUARD, Repo};

impl Repo {
    /// Adds an empty bare repository next to this one as `origin`.
    #[track_caller]
    pub fn add_server(&self) {
        let init = "init --quiet --bare --template= --initial-branch=main ../server";
        self.git(&init.split(' ').collect::<Vec<_>>());
        self.git(&["remote", "add", "origin", "../server"]);
    }

    /// As [`Repo::add_server`], and pushes `main` to it.
    #[track_caller]
    pub fn push_to_server(&self) {
        self.add_server();
        self.git(&["push", "--quiet", "origin", "main"]);
        self.git(&["remote", "set-head", "origin", "main"]);
    }

    /// Installs guard as a hook of the server.
    #[track_caller]
    pub fn install_server_hook(&self, name: &str) {
        let hook = self.path("../server/hooks").join(name);
        fs::create_dir_all(hook.parent().unwrap()).unwrap();
        let script = format!("#!/bin/sh\nexec '{GUARD}' hook {name} \"$@\"\n");
        super::write_executable(&hook, &script);
    }
}
