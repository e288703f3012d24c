//! A registry of npm on the loopback address, with the packages of a directory.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use serde_json::{Value, json};

/// Serves the `.tgz` files of a directory until the process ends, and returns the address for `npm_config_registry`.
/// Packages of guard for other platforms are listed, too, because npm notes them in lock files.
pub fn serve(directory: &Path) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let mut answers = BTreeMap::new();
    for file in fs::read_dir(directory).unwrap() {
        let file = file.unwrap().path();
        if file.extension().is_none_or(|extension| extension != "tgz") {
            continue;
        }
        let name = file.file_name().unwrap().to_str().unwrap();
        let mut unpack = Command::new("tar");
        unpack.arg("-xzOf").arg(&file).arg("package/package.json");
        let manifest = super::run(&mut unpack).exits(0).stdout;
        let mut manifest: Value = serde_json::from_str(&manifest).unwrap();
        manifest["dist"] = json!({"tarball": format!("{address}/-/{name}")});
        answers.insert(format!("/-/{name}"), fs::read(&file).unwrap());
        let others = manifest["optionalDependencies"].as_object();
        for (other, _) in others.into_iter().flatten() {
            let package = json!({"name": other, "version": manifest["version"], "os": ["none"], "dist": manifest["dist"]});
            let answer = answers.entry(format!("/{other}"));
            answer.or_insert_with(|| about(&package));
        }
        let name = manifest["name"].as_str().unwrap();
        answers.insert(format!("/{name}"), about(&manifest));
    }
    let answers = Arc::new(answers);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answers = Arc::clone(&answers);
            std::thread::spawn(move || answer(stream, &answers));
        }
    });
    address
}

/// What the registry says about a package with one version.
fn about(manifest: &Value) -> Vec<u8> {
    let (name, version) = (&manifest["name"], manifest["version"].as_str().unwrap());
    let about =
        json!({"name": name, "dist-tags": {"latest": version}, "versions": {version: manifest}});
    about.to_string().into_bytes()
}

/// Answers one request, and closes the connection.
fn answer(mut stream: TcpStream, answers: &BTreeMap<String, Vec<u8>>) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let first = lines.next().and_then(Result::ok).unwrap_or_default();
    let _ = lines.map_while(Result::ok).find(String::is_empty);
    let found = first.split(' ').nth(1).and_then(|path| answers.get(path));
    let (status, body) = match found {
        Some(body) => ("200 OK", body.as_slice()),
        None => ("404 Not Found", &b"{}"[..]),
    };
    let length = body.len();
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    let _ = stream.write_all(body);
}
