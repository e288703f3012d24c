//! Where the repository is at home, and the addresses there of what the page names.

use gix::bstr::{BStr, ByteSlice};

use super::markup::{code, html, name};
use crate::report::texts::uri;
use crate::verdict::{Source, Verdict};

/// The hosts whose addresses are known; their own installations usually begin with the name.
const HOSTS: [(&str, &str); 2] = [("github.", ""), ("gitlab.", "/-")];

/// A repository by its remote.
#[derive(Default)]
pub(super) struct Home {
    /// Its name, such as `owner/repo`, or that of its directory.
    pub(super) name: String,
    /// Its address and what stands there before a kind of page; empty on an unknown host.
    address: String,
    base: String,
    head: String,
}

impl Home {
    pub(super) fn of(verdict: &Verdict) -> Home {
        let Source {
            repository,
            base,
            head,
            ..
        } = &verdict.source;
        let url = repository
            .as_ref()
            .map_or(BStr::new(""), |url| url.as_bstr());
        let (base, head) = (
            base.clone().unwrap_or_default(),
            head.clone().unwrap_or_default(),
        );
        let Some((host, path)) = url.to_str().ok().and_then(parts) else {
            let name = url.rsplit(|byte| matches!(byte, b'/' | b'\\')).next();
            return Home {
                name: self::name(name.unwrap_or_default()),
                ..Home::default()
            };
        };
        let is_plain = |part: &str| {
            let is_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~');
            !matches!(part, "" | "." | "..") && part.chars().all(is_char)
        };
        let is_repository = path.contains('/') && path.split('/').chain([host]).all(is_plain);
        let known = HOSTS
            .iter()
            .find(|(begin, _)| is_repository && host.starts_with(begin));
        Home {
            name: html(path),
            address: known.map_or_else(String::new, |(_, kind)| {
                format!("https://{host}/{path}{kind}")
            }),
            base,
            head,
        }
    }

    /// Whether there is an address of the last commit.
    fn has(&self, id: &str) -> bool {
        !self.address.is_empty() && !id.is_empty()
    }

    /// The comparison of both ends, as a link where the host is known.
    pub(super) fn comparison(&self, shown: &str) -> String {
        match self.has(&self.head) && self.has(&self.base) {
            true => self.link(&format!("compare/{}...{}", self.base, self.head), shown),
            false => shown.to_owned(),
        }
    }

    /// A commit, as a link where the host is known.
    pub(super) fn commit(&self, id: &str) -> String {
        let shown = code(super::markup::short(id).as_bytes());
        match self.has(id) && self.has(&self.head) {
            true => self.link(&format!("commit/{id}"), &shown),
            false => shown,
        }
    }

    /// A link to the file as it is in the last commit, or where it is gone, in the first; empty if the host is unknown.
    pub(super) fn file(&self, path: &BStr, is_gone: bool) -> String {
        let id = if is_gone { &self.base } else { &self.head };
        match self.has(id) && self.has(&self.head) {
            true => {
                let link = self.link(&format!("blob/{id}/{}", uri(path)), "the whole file");
                format!("<p class=\"where\">{link}</p>")
            }
            false => String::new(),
        }
    }

    fn link(&self, to: &str, shown: &str) -> String {
        format!(
            "<a href=\"{}/{}\">{shown}</a>",
            html(&self.address),
            html(to)
        )
    }
}

/// The host and the path of an address, without user, password, port and `.git`.
fn parts(url: &str) -> Option<(&str, &str)> {
    let (host, path) = match url.split_once("://") {
        Some((scheme, rest)) => {
            let (authority, path) = rest.split_once('/')?;
            let (host, port) = authority
                .rsplit_once('@')
                .map_or(authority, |(_, host)| host)
                .split_once(':')
                .unzip();
            // The port of another protocol says nothing about pages.
            let is_page = scheme.starts_with("http") && port.is_some();
            (
                host.unwrap_or(authority.rsplit('@').next()?),
                (!is_page).then_some(path)?,
            )
        }
        // As in `git@host:owner/repo`; a single letter is a drive.
        None => {
            let (host, path) = url.split_once(':')?;
            let host = host.rsplit('@').next()?;
            (
                host,
                (host.len() > 1 && !host.contains(['/', '\\'])).then_some(path)?,
            )
        }
    };
    let path = path.trim_matches('/');
    Some((host, path.strip_suffix(".git").unwrap_or(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_known_hosts_are_linked_without_credentials() {
        for (url, name, address) in [
            (
                "https://github.com/o/r.git",
                "o/r",
                "https://github.com/o/r",
            ),
            (
                "https://user:secret@github.com/o/r",
                "o/r",
                "https://github.com/o/r",
            ),
            ("git@github.com:o/r.git", "o/r", "https://github.com/o/r"),
            (
                "ssh://git@gitlab.example.org:2222/g/s/r.git",
                "g/s/r",
                "https://gitlab.example.org/g/s/r/-",
            ),
            ("https://example.org/o/r.git", "o/r", ""),
            ("https://github.com:8443/o/r.git", "r.git", ""),
            ("https://github.com/o/r\"><b>", "o/r&quot;&gt;&lt;b&gt;", ""),
            ("https://github.com/../r", "../r", ""),
            ("/home/me/work", "work", ""),
            ("C:\\work\\r", "r", ""),
        ] {
            let source = Source {
                repository: Some(url.into()),
                ..Source::default()
            };
            let home = Home::of(&Verdict {
                source,
                ..Verdict::default()
            });
            assert_eq!((&*home.name, &*home.address), (name, address), "{url}");
        }
    }
}
