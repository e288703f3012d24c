//! Designs that were parsed before, for a process that judges by the same ones again and again.

use std::cell::RefCell;
use std::collections::VecDeque;

use gix::bstr::{BStr, BString};

use super::options::DesignOptions;
use super::parsed::Design;

/// How many designs to keep.
const KEPT: usize = 32;

/// Parsed designs. Nothing but path, content and options decides what parsing results in, so a known design is right
/// for as long as these are the same.
#[derive(Debug, Default)]
pub struct KnownDesigns(RefCell<VecDeque<KnownDesign>>);

#[derive(Debug)]
struct KnownDesign {
    path: BString,
    content: Vec<u8>,
    options: DesignOptions,
    design: Design,
}

impl KnownDesigns {
    /// The design with this content. `parse` makes it if it is not known.
    pub fn get_or_parse(
        &self,
        path: &BStr,
        content: &[u8],
        options: &DesignOptions,
        parse: impl FnOnce() -> Design,
    ) -> Design {
        let is_same = |known: &&KnownDesign| {
            known.path == path && known.content == content && known.options == *options
        };
        if let Some(known) = self.0.borrow().iter().find(is_same) {
            return known.design.clone();
        }
        let design = parse();
        let mut known = self.0.borrow_mut();
        known.truncate(KEPT - 1);
        known.push_front(KnownDesign {
            path: path.to_owned(),
            content: content.to_owned(),
            options: options.clone(),
            design: design.clone(),
        });
        design
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_design_is_parsed_once_per_path_content_and_options() {
        let known = KnownDesigns::default();
        let options = DesignOptions::default();
        let others = DesignOptions {
            headings: vec!["scope".to_owned()],
            ..options.clone()
        };
        let mut parsed = 0;
        for _ in 0..2 {
            for (path, content, options) in [
                ("a", "1", &options),
                ("b", "1", &options),
                ("a", "2", &options),
                ("a", "1", &others),
            ] {
                let text = format!("{path}{content}{}", options.headings.len());
                let design = known.get_or_parse(path.into(), content.as_bytes(), options, || {
                    parsed += 1;
                    Design {
                        text: text.clone(),
                        ..Design::default()
                    }
                });
                assert_eq!(design.text, text);
            }
        }
        assert_eq!(parsed, 4);
        for number in 0..100 {
            known.get_or_parse(BStr::new("a"), &[number], &options, Design::default);
        }
        assert_eq!(known.0.borrow().len(), KEPT);
    }
}
