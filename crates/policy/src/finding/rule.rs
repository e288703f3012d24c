//! The rules: their names, levels and pages.

use serde::Serialize;

named! {
    /// The level of a finding. The order is `Note < Warning < Error`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Level {
        /// Information; does not change the exit code.
        Note = "note",
        /// Worth a look; does not change the exit code.
        Warning = "warning",
        /// Refuses the change: exit code 1.
        Error = "error",
    }
}

/// What a rule is about. That decides whether an approval clears a finding of it, and whether the settings may change its
/// level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    /// A change: whoever approves it takes the consequence.
    Change,
    /// A change that is dangerous whatever a project decides: neither settings nor approvals help.
    Safety,
    /// A read or write through guard, which nobody can approve beforehand.
    Request,
    /// A branch, of which no single change could be approved.
    Branch,
    /// A design document, whose faults are mended in the document.
    Design,
}

/// Declares the rules: below the sentence that says when it fires, each has its name, its level unless the settings say
/// otherwise, and what it is about. Its page is `docs/rules/NAME.md`, its check a file of `rules/`.
macro_rules! rules {
    ($(#[doc = $summary:literal] $variant:ident: $id:literal, $level:ident, $subject:ident;)*) => {
        /// A rule by name; the names are stable and appear in every format.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            $(#[doc = $summary] $variant,)*
        }

        impl Rule {
            /// Every rule, in the order of the documentation.
            pub const ALL: &'static [Rule] = &[$(Rule::$variant,)*];

            /// The kebab-case name, as in `error[out-of-scope]`.
            pub fn id(self) -> &'static str {
                match self { $(Rule::$variant => $id,)* }
            }

            /// The level unless the settings say otherwise.
            pub fn default_level(self) -> Level {
                match self { $(Rule::$variant => Level::$level,)* }
            }

            fn subject(self) -> Subject {
                match self { $(Rule::$variant => Subject::$subject,)* }
            }

            /// One sentence: when the rule fires.
            pub fn summary(self) -> &'static str {
                // A doc comment begins with a blank.
                match self { $(Rule::$variant => $summary.trim_ascii_start(),)* }
            }

            /// The page of the rule, in Markdown.
            pub fn page(self) -> &'static str {
                match self {
                    $(Rule::$variant => {
                        include_str!(concat!("../../../../docs/rules/", $id, ".md"))
                    })*
                }
            }
        }
    };
}

rules! {
    /// No row of the design covers the path.
    OutOfScope: "out-of-scope", Error, Change;
    /// The design names the path, but not for this action.
    ActionNotGranted: "action-not-granted", Error, Change;
    /// The change loses most of a large file, or of a design in force.
    DestructiveChange: "destructive-change", Error, Change;
    /// The settings protect the path.
    ProtectedPath: "protected-path", Error, Change;
    /// The path, a link on its way or a link's target leaves the repository.
    OutsideWorkspace: "outside-workspace", Error, Safety;
    /// A read or write through guard leaves the configured directories.
    OutsideRoots: "outside-roots", Error, Request;
    /// The path is dangerous on some operating system or file system.
    UnsafePath: "unsafe-path", Error, Safety;
    /// The change widens the design that it is checked against.
    ScopeAmended: "scope-amended", Error, Change;
    /// guard's settings, or lines that call guard, change together with code.
    PolicyChanged: "policy-changed", Error, Change;
    /// A submodule or its URL changes without a Submodule row.
    SubmoduleChanged: "submodule-changed", Error, Change;
    /// Attributes or the index hide content from review.
    HiddenChange: "hidden-change", Warning, Change;
    /// The name collides or is reserved on another operating system.
    PortableName: "portable-name", Warning, Change;
    /// A branch leaves rows of its design untouched.
    RowUntouched: "row-untouched", Note, Branch;
    /// The document has no table of files.
    DesignNoTable: "design-no-table", Error, Design;
    /// Two tables claim to be the scope.
    DesignAmbiguous: "design-ambiguous", Error, Design;
    /// The table contains placeholders instead of paths.
    DesignPlaceholder: "design-placeholder", Error, Design;
    /// guard cannot read a row.
    DesignBadRow: "design-bad-row", Error, Design;
    /// Two rows name the same path.
    DesignDuplicate: "design-duplicate", Warning, Design;
    /// A row modifies or deletes a file that does not exist.
    DesignModifyMissing: "design-modify-missing", Error, Design;
    /// A row adds a file that already exists.
    DesignAddExists: "design-add-exists", Error, Design;
    /// A row names a path outside the workspace.
    DesignOutside: "design-outside", Error, Design;
    /// A row allows everything.
    DesignTooWide: "design-too-wide", Error, Design;
}

impl Rule {
    /// The rule with this name.
    pub fn from_id(id: &str) -> Option<Rule> {
        Rule::ALL.iter().copied().find(|rule| rule.id() == id)
    }

    /// The text of the page below a heading; without one, what is above the first: when the rule fires.
    pub fn section(self, heading: &str) -> &'static str {
        let mut parts = self.page().split("\n## ");
        let mut bodies = parts.by_ref().filter_map(|part| part.split_once('\n'));
        let found = match heading {
            "" => bodies.next(),
            heading => bodies.find(|(title, _)| title.trim_end() == heading),
        };
        found.map_or("", |(_, body)| body.trim())
    }

    /// Whether a person's approval of the change clears a finding of this rule.
    pub fn can_be_approved(self) -> bool {
        self.subject() == Subject::Change
    }

    /// Whether a row of the design would allow what the rule refuses.
    pub fn wants_row(self) -> bool {
        matches!(self, Rule::OutOfScope | Rule::ActionNotGranted)
    }

    /// Whether the rule is about a design document rather than about a change.
    pub fn is_about_design(self) -> bool {
        self.subject() == Subject::Design
    }

    /// Whether neither settings nor approvals can change the rule.
    pub fn is_always(self) -> bool {
        self.subject() == Subject::Safety
    }

    /// Whether the settings cannot change its level.
    pub fn has_fixed_level(self) -> bool {
        self.is_always() || self.is_about_design()
    }
}

impl Serialize for Rule {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn each_rule_has_a_page_with_every_section_and_no_page_is_without_a_rule() {
        for rule in Rule::ALL {
            let title = format!("# {} ({})\n", rule.id(), rule.default_level().name());
            let page = rule.page().replace("\r\n", "\n");
            assert!(page.starts_with(&title), "{}", rule.id());
            for heading in ["", "Why", "Example", "Fix", "Allow it"] {
                assert!(
                    !rule.section(heading).is_empty(),
                    "{}: {heading}",
                    rule.id()
                );
            }
            let words = page.split_whitespace().count();
            assert!((60..=230).contains(&words), "{}: {words} words", rule.id());
            let is_text = |line: &&str| !line.starts_with("    ");
            let longest = page
                .lines()
                .filter(is_text)
                .map(|line| line.chars().count());
            assert!(longest.max() <= Some(80), "{}", rule.id());
        }
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/rules");
        let pages = std::fs::read_dir(folder)
            .unwrap()
            .map(|page| page.unwrap().path());
        for page in pages {
            let name = page.file_stem().unwrap().to_str().unwrap();
            assert!(Rule::from_id(name).is_some(), "{}", page.display());
        }
    }

    #[test]
    fn unconditional_rules_and_document_faults_cannot_be_approved() {
        let refused = Rule::ALL.iter().filter(|rule| !rule.can_be_approved());
        let refused: Vec<_> = refused
            .map(|rule| rule.id())
            .filter(|id| !id.starts_with("design-"))
            .collect();
        assert_eq!(
            refused,
            [
                "outside-workspace",
                "outside-roots",
                "unsafe-path",
                "row-untouched"
            ]
        );
        assert!(!Rule::DesignNoTable.can_be_approved());
    }
}
