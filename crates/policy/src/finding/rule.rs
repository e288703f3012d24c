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

macro_rules! rules {
    ($($variant:ident $id:literal $level:ident $summary:literal,)*) => {
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

            /// One sentence: when the rule fires.
            pub fn summary(self) -> &'static str {
                match self { $(Rule::$variant => $summary,)* }
            }

            /// The page of the rule, in Markdown.
            pub fn page(self) -> &'static str {
                match self { $(Rule::$variant => include_str!(concat!("../../../../docs/rules/", $id, ".md")),)* }
            }
        }
    };
}

rules! {
    OutOfScope "out-of-scope" Error "No row of the design covers the path.",
    ActionNotGranted "action-not-granted" Error "The design names the path, but not for this action.",
    DestructiveChange "destructive-change" Error "The change loses most of a large file, or of a design in force.",
    ProtectedPath "protected-path" Error "The settings protect the path.",
    OutsideWorkspace "outside-workspace" Error "The path, a link on its way or a link's target leaves the repository.",
    OutsideRoots "outside-roots" Error "A read or write through guard leaves the configured directories.",
    UnsafePath "unsafe-path" Error "The path is dangerous on some operating system or file system.",
    ScopeAmended "scope-amended" Error "The change widens the design that it is checked against.",
    PolicyChanged "policy-changed" Error "guard's settings, or lines that call guard, change together with code.",
    SubmoduleChanged "submodule-changed" Error "A submodule or its URL changes without a Submodule row.",
    HiddenChange "hidden-change" Warning "Attributes or the index hide content from review.",
    PortableName "portable-name" Warning "The name collides or is reserved on another operating system.",
    RowUntouched "row-untouched" Note "A branch leaves rows of its design untouched.",
    DesignNoTable "design-no-table" Error "The document has no table of files.",
    DesignAmbiguous "design-ambiguous" Error "Two tables claim to be the scope.",
    DesignPlaceholder "design-placeholder" Error "The table contains placeholders instead of paths.",
    DesignBadRow "design-bad-row" Error "guard cannot read a row.",
    DesignDuplicate "design-duplicate" Warning "Two rows name the same path.",
    DesignModifyMissing "design-modify-missing" Error "A row modifies or deletes a file that does not exist.",
    DesignAddExists "design-add-exists" Error "A row adds a file that already exists.",
    DesignOutside "design-outside" Error "A row names a path outside the workspace.",
    DesignTooWide "design-too-wide" Error "A row allows everything.",
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

    /// Whether a person's approval of the change clears a finding of this rule. It does not clear faults of a document
    /// or a request, nor the rules that always hold.
    pub fn can_be_approved(self) -> bool {
        !self.is_always()
            && !self.is_about_design()
            && !matches!(self, Rule::OutsideRoots | Rule::RowUntouched)
    }

    /// Whether the rule is about a design document rather than about a change.
    pub fn is_about_design(self) -> bool {
        self.id().starts_with("design-")
    }

    /// Whether neither settings nor approvals can change the rule.
    pub fn is_always(self) -> bool {
        matches!(self, Rule::OutsideWorkspace | Rule::UnsafePath)
    }

    /// Whether the settings cannot change its level: those that are always errors, and those about documents.
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
