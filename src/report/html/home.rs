//! Where the repository is at home, and the addresses there of what the page names.

use gix::bstr::{BStr, ByteSlice};

use super::markup::{code, html, name, short};
use crate::report::texts::uri;
use crate::verdict::Verdict;

/// How hosts whose addresses are known begin, and what comes before a kind of page there.
const HOSTS: [(&str, &str); 2] = [("github.", ""), ("gitlab.", "/-")];

/// A repository by its remote.
#[derive(Default)]
pub(super) struct Home {
    /// Its name, such as `owner/repo`, or that of its directory.
    pub(super) name: String,
    /// What the addresses of its pages begin with; empty if nothing is linked.
    address: String,
    base: String,
    head: String,
}

impl Home {
    pub(super) fn of(verdict: &Verdict) -> Home {
        let source = &verdict.source;
        let url = source.repository.as_ref();
        let Some(url) = url.and_then(|url| gix::url::parse(url).ok()) else {
            return Home::default();
        };
        let path = url.path.trim_with(|c| c == '/').as_bstr();
        let Some(host) = url.host() else {
            let directory = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            return Home {
                name: name(directory),
                ..Home::default()
            };
        };
        let path = path.strip_suffix(b".git").unwrap_or(path);
        let known = HOSTS.iter().find(|(begin, _)| host.starts_with(begin));
        // The port of a page is not that of another protocol.
        let is_default = url.port.is_none() || !url.scheme.as_str().starts_with("http");
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
        let is_linked = is_default && source.head.is_some() && host.bytes().all(is_plain);
        Home {
            name: name(path),
            address: known
                .filter(|_| is_linked)
                .map_or_else(String::new, |(_, kind)| {
                    format!("https://{host}/{}{kind}", uri(path.as_bstr()))
                }),
            base: source.base.clone().unwrap_or_default(),
            head: source.head.clone().unwrap_or_default(),
        }
    }

    /// The comparison of both ends.
    pub(super) fn comparison(&self, shown: &str) -> String {
        self.link(&format!("compare/{}...{}", self.base, self.head), shown)
    }

    pub(super) fn commit(&self, id: &str) -> String {
        self.link(&format!("commit/{id}"), &code(short(id).as_bytes()))
    }

    /// The file as it is in the last commit, or where it is gone, in the first; empty without a link.
    pub(super) fn file(&self, path: &BStr, is_gone: bool) -> String {
        let id = if is_gone { &self.base } else { &self.head };
        let link = self.link(&format!("blob/{id}/{}", uri(path)), "View the whole file");
        match self.address.is_empty() {
            true => String::new(),
            false => format!("<p class=\"where\">{link}</p>"),
        }
    }

    /// What is shown, as a link where the host is known.
    fn link(&self, to: &str, shown: &str) -> String {
        match self.address.is_empty() {
            true => shown.to_owned(),
            false => format!(
                "<a href=\"{}/{}\">{shown}</a>",
                html(&self.address),
                html(to)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Source;

    #[test]
    fn addresses_of_known_hosts_are_linked_without_credentials() {
        for (url, name, address) in [
            (
                "https://github.com/o/r.git",
                "o/r",
                "https://github.com/o/r",
            ),
            (
                "https://u:secret@github.com/o/r",
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
            ("https://github.com:8443/o/r.git", "o/r", ""),
            (
                "git@github.com:o/r<b>",
                "o/r&lt;b&gt;",
                "https://github.com/o/r%3Cb%3E",
            ),
            ("/home/me/work", "work", ""),
        ] {
            let source = Source {
                repository: Some(url.into()),
                head: Some("1234".to_owned()),
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
