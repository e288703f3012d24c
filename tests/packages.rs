//! The packages for pip and npm: built from local files, they install guard without cargo and without a C compiler.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::common::system;
use crate::common::{self, GUARD, Output, Repo, SOURCE, write_executable};
use serde_json::{Value, json};

/// What `tests/run` installs to build the packages and to install them.
pub fn tools() -> Option<PathBuf> {
    let tools = Path::new(SOURCE).join("target/packaging");
    if !tools.join("installed").is_file() {
        common::skip("maturin, uv, lefthook and husky are not installed; tests/run installs them");
        return None;
    }
    Some(tools)
}

/// `PATH` with these directories before the caller's.
pub fn path(before: &[PathBuf]) -> std::ffi::OsString {
    let rest = std::env::var_os("PATH").unwrap();
    let all = before.iter().cloned();
    std::env::join_paths(all.chain(std::env::split_paths(&rest))).unwrap()
}

/// This platform as node calls it.
pub fn platform() -> String {
    let cpu = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("linux-{cpu}")
}

/// The directory with the wheel and the npm packages of the tested binary, and the managers' own packages.
pub fn packages() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    BUILT
        .get_or_init(|| {
            let tools = tools()?;
            if let Some(built) = std::env::var_os("GUARD_PACKAGES") {
                return Some(built.into());
            }
            let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages");
            let _ = fs::remove_dir_all(&output);
            fs::create_dir_all(&output).unwrap();
            for file in fs::read_dir(&tools).unwrap() {
                let file = file.unwrap().path();
                if file.extension().is_some_and(|extension| extension == "tgz") {
                    fs::copy(&file, output.join(file.file_name().unwrap())).unwrap();
                }
            }
            wheel(&tools, &output);
            // Most of an unoptimized binary is for debuggers, and npm compresses slowly.
            let small = output.join("guard");
            let mut strip = Command::new("strip");
            common::run(strip.args(["-o".as_ref(), small.as_os_str(), GUARD.as_ref()])).exits(0);
            pack(&output, &small);
            Some(output)
        })
        .as_deref()
}

/// Builds the wheel as a release does, but of a copy of the tested binary: a program in the place of cargo names it
/// instead of building another, which would replace the binary below the other tests.
fn wheel(tools: &Path, output: &Path) {
    let real = env!("CARGO");
    let mut metadata = Command::new(real);
    metadata
        .args(["metadata", "--no-deps", "--format-version", "1", "--locked"])
        .current_dir(SOURCE);
    let metadata = common::run(&mut metadata).exits(0).stdout;
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    let mut packages = metadata["packages"].as_array().unwrap().iter();
    let package = packages
        .find(|package| package["name"] == "write-guard")
        .unwrap();
    let targets = package["targets"].as_array().unwrap();
    // maturin moves what cargo built out of the way for a moment, and other tests run the tested binary meanwhile.
    let copy = output.join("built/guard");
    fs::create_dir(output.join("built")).unwrap();
    fs::copy(GUARD, &copy).unwrap();
    let artifact = json!({
        "reason": "compiler-artifact",
        "package_id": package["id"],
        "manifest_path": package["manifest_path"],
        "target": targets.iter().find(|target| target["name"] == "guard").unwrap(),
        "profile": {
            "opt_level": "0", "debuginfo": 0, "debug_assertions": true, "overflow_checks": true, "test": false
        },
        "features": [],
        "filenames": [copy],
        "executable": copy,
        "fresh": true,
    });
    let cargo = output.join("bin/cargo");
    fs::create_dir(output.join("bin")).unwrap();
    fs::write(output.join("built.json"), format!("{artifact}\n")).unwrap();
    let script = format!(
        "#!/bin/sh\ncase $1 in\nrustc) exec cat '{}' ;;\n*) exec '{real}' \"$@\" ;;\nesac\n",
        output.join("built.json").display()
    );
    write_executable(&cargo, &script);
    let mut maturin = Command::new(tools.join("bin/maturin"));
    maturin
        .args(["build", "--profile", "dev", "--locked", "--out"])
        .arg(output)
        .current_dir(Path::new(SOURCE).join("packaging/pypi"))
        .env("CARGO", &cargo)
        .env("PATH", path(&[output.join("bin")]));
    common::run(&mut maturin).exits(0);
}

fn pack(output: &Path, binary: &Path) {
    let mut node = Command::new("node");
    node.arg(Path::new(SOURCE).join("packaging/npm/pack.mjs"))
        .arg(output)
        .arg(format!("{}={}", platform(), binary.display()));
    common::run(&mut node).exits(0);
}

/// Installs the packages under these managers and commits what the demonstration refuses.
fn install_and_commit(packages: &Path, managers: &[&str]) -> Output {
    let bin = ["target/packaging/bin", "target/venv/bin"].map(|bin| Path::new(SOURCE).join(bin));
    let mut demonstration = Command::new(Path::new(SOURCE).join("packaging/try"));
    demonstration
        .arg(packages)
        .args(managers)
        .env("PATH", path(&bin));
    common::run(&mut demonstration)
}

#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs the packages for Linux, which only Linux installs"
)]
fn packages_install_guard_without_a_compiler() {
    let Some(packages) = packages() else {
        return;
    };
    // tests/routes.rs installs them under all managers.
    install_and_commit(packages, &["uvx", "husky"]).exits(0);
}

/// Unpacks the only archive in `packages` whose name begins and ends like this.
fn unpacked(packages: &Path, begin: &str, end: &str) -> tempfile::TempDir {
    let files = fs::read_dir(packages).unwrap();
    let mut names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let name = names.find(|name| name.starts_with(begin) && name.ends_with(end));
    let folder = tempfile::tempdir().unwrap();
    let script = "import shutil, sys; shutil.unpack_archive(*sys.argv[1:])";
    let format = if end == ".whl" { "zip" } else { "gztar" };
    let mut python = Command::new("python3");
    python
        .args(["-c", script])
        .arg(packages.join(name.unwrap()));
    common::run(python.arg(folder.path()).arg(format)).exits(0);
    folder
}

/// Only Cargo.toml states the version.
#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs the packages for Linux, which only Linux installs"
)]
fn all_packages_have_the_version_of_cargo_toml() {
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    let Some(packages) = packages() else {
        return;
    };
    let wheel = unpacked(packages, "write_guard-", ".whl");
    let metadata = format!("write_guard-{VERSION}.dist-info/METADATA");
    let metadata = fs::read_to_string(wheel.path().join(metadata)).unwrap();
    for line in ["Name: write-guard", &format!("Version: {VERSION}")] {
        assert!(metadata.contains(&format!("\n{line}\n")), "{metadata}");
    }
    let data = wheel.path().join(format!("write_guard-{VERSION}.data"));
    assert!(fs::read(data.join("scripts/guard")).unwrap() == fs::read(GUARD).unwrap());

    let mut placeholder = Command::new("python3");
    placeholder
        .args(["-B", "-c", "import placeholder; print(placeholder.files())"])
        .current_dir(Path::new(SOURCE).join("packaging/pypi"));
    common::run(&mut placeholder)
        .exits(0)
        .says(&format!("Requires-Dist: write-guard=={VERSION}\\n"));

    let name = format!("write-guard-{}", platform());
    for (package, names_it) in [("write-guard", "optionalDependencies"), (&name, "os")] {
        let folder = unpacked(packages, &format!("{package}-{VERSION}"), ".tgz");
        let manifest = fs::read(folder.path().join("package/package.json")).unwrap();
        let manifest: Value = serde_json::from_slice(&manifest).unwrap();
        assert_eq!(manifest["name"], package);
        assert_eq!(manifest["version"], VERSION);
        assert!(manifest.get(names_it).is_some(), "{manifest}");
        if let Some(dependencies) = manifest["optionalDependencies"].as_object() {
            assert_eq!(dependencies.len(), 5);
            assert!(dependencies.values().all(|version| version == VERSION));
            assert!(dependencies.contains_key(&name));
        }
    }
}

/// A directory `node_modules` as npm leaves it, with a guard that prints its arguments and ends with 1.
fn installed(repo: &Repo) -> PathBuf {
    let modules = repo.path("node_modules");
    fs::create_dir_all(modules.join("write-guard")).unwrap();
    for launcher in ["guard", "guard.js"] {
        let text = fs::read_to_string(Path::new(SOURCE).join("packaging/npm").join(launcher));
        write_executable(&modules.join("write-guard").join(launcher), &text.unwrap());
    }
    let bin = modules.join(format!("write-guard-{}/bin", platform()));
    fs::create_dir_all(&bin).unwrap();
    let script = "#!/bin/sh\nprintf '<%s>' \"$@\"\ncat\nexit 1\n";
    write_executable(&bin.join("guard"), script);
    modules
}

#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs the packages for Linux, which only Linux installs"
)]
fn the_launchers_pass_arguments_input_and_exit_code() {
    let repo = Repo::new();
    let modules = installed(&repo);
    // Package managers other than npm link the package to its place.
    system::symlink("node_modules/write-guard", repo.path("linked")).unwrap();
    for launcher in [
        "write-guard/guard",
        "write-guard/guard.js",
        "../linked/guard",
    ] {
        let mut guard = repo.command(modules.join(launcher));
        guard.args(["hook", "a b", ""]);
        let output = common::run_with_input(&mut guard, b"refs").exits(1);
        assert_eq!(output.stdout, "<hook><a b><>refs", "{launcher}");
    }
    // Without a binary, they cannot judge.
    fs::remove_dir_all(modules.join(format!("write-guard-{}", platform()))).unwrap();
    for launcher in ["write-guard/guard", "write-guard/guard.js"] {
        let output = common::run(&mut repo.command(modules.join(launcher)));
        output
            .exits(2)
            .says("cannot judge")
            .says("with optional dependencies");
    }
}
