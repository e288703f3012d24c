//! The names of the rules, their levels and their texts.

use super::level::Level;

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
        }
    };
}

rules! {
    OutOfScope "out-of-scope" Error "No grant of the design covers the path.",
    ActionNotGranted "action-not-granted" Error "The design names the path, but not for this action.",
    DestructiveChange "destructive-change" Error "The change loses most of a large file, or of a design in force.",
    ProtectedPath "protected-path" Error "The settings protect the path.",
    OutsideWorkspace "outside-workspace" Error "The path, a link on its way or a link's target leaves the repository.",
    OutsideRoots "outside-roots" Error "A request leaves the read or write roots.",
    UnsafePath "unsafe-path" Error "The path is dangerous on some operating system or file system.",
    ScopeAmended "scope-amended" Error "The change widens the design that judges it.",
    PolicyChanged "policy-changed" Error "guard's settings, or lines that call guard, change together with code.",
    SubmoduleChanged "submodule-changed" Error "A submodule or its URL changes without a Submodule row.",
    HiddenChange "hidden-change" Warning "Attributes or the index hide content from review.",
    PortableName "portable-name" Warning "The name collides or is reserved on another operating system.",
    RowUntouched "row-untouched" Note "A range leaves granted rows untouched.",
    DesignNoTable "design-no-table" Error "The document has no table of files.",
    DesignUnread "design-unread" Warning "guard does not read a passage that looks like a list of files.",
    DesignAmbiguous "design-ambiguous" Error "Two tables claim to be the scope.",
    DesignPlaceholder "design-placeholder" Error "The table contains placeholders instead of paths.",
    DesignBadRow "design-bad-row" Error "guard cannot read a row.",
    DesignDuplicate "design-duplicate" Warning "Two rows name the same path.",
    DesignModifyMissing "design-modify-missing" Error "A row modifies or deletes a file that does not exist.",
    DesignAddExists "design-add-exists" Error "A row adds a file that already exists.",
    DesignOutside "design-outside" Error "A row names a path outside the workspace.",
    DesignTooWide "design-too-wide" Error "A row grants everything.",
}

impl Rule {
    /// The rule with this name.
    pub fn from_id(id: &str) -> Option<Rule> {
        Rule::ALL.iter().copied().find(|rule| rule.id() == id)
    }

    /// Whether neither settings nor approvals can change the rule.
    pub fn is_always(self) -> bool {
        matches!(self, Rule::OutsideWorkspace | Rule::UnsafePath)
    }

    /// Whether the settings cannot change its level: those that are always errors, and those about documents.
    pub fn has_fixed_level(self) -> bool {
        self.is_always() || self.id().starts_with("design-")
    }
}
