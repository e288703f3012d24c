//! What `guard explain` says about each rule.

use super::Rule;

/// The long text of a rule; plain sentences, lines of at most 80 columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Explain {
    /// When it fires.
    pub what: &'static str,
    /// Why it exists.
    pub why: &'static str,
    /// An example.
    pub example: &'static str,
    /// What to do.
    pub fix: &'static str,
}

impl Rule {
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

    /// The rule's long text.
    pub fn explain(self) -> Explain {
        match self {
            Rule::OutOfScope => Explain {
                what: "\
The change touches a path that no row of the design grants, neither as a file
nor through a directory or glob.",
                why: "\
The design is what the team agreed on. A file outside it is either a mistake (a
wrong folder, a misspelt name) or work that has not been reviewed yet.",
                example: "\
The table names `src/utils/lld.rs`, but the commit adds src/core/lld.rs. The
finding names src/utils/lld.rs as the closest path and prints the row to add.",
                fix: "\
Write to the path that the design names. Or paste the printed row into its table
and commit the design first:
    git commit docs/lld/LLD-188.md
`guard scope show` lists what is granted. `guard check PATH` answers in advance.",
            },
            Rule::ActionNotGranted => Explain {
                what: "\
The design names the path, but does not permit this action. A Modify row does
not permit deletion. An Add row does not permit changing a file that existed
before the work began. Links and submodules need rows of their own. A Rename row
permits deleting the old file only if the same commit puts enough of its content
into the new one.",
                why: "\
Adding, changing and deleting a file are different promises. A reader of
`Modify` does not expect the file to be gone.",
                example: "\
The row says `src/a.py` | Modify, but the commit deletes src/a.py.",
                fix: "\
Change the type of the row (Add, Modify, Add/Modify, Delete, Rename, Symlink,
Submodule) and commit the design first. Or undo the action:
    git restore --staged --worktree src/a.py",
            },
            Rule::DestructiveChange => Explain {
                what: "\
The change loses most of a large file: the file has more than 100 lines, and the
new version lacks at least half of them (`[destructive] lines` and `share` in
guard.toml). If lines average more than 400 bytes, or the content is not text, a
file of more than 8 KiB is large. The rule also fires if a large file is
emptied, or deleted without a row about it; if text becomes what git shows as
binary, or binary data becomes text; and if either becomes a link or a Git LFS
pointer. A design in force may not be deleted or lose most of its content at any
size.

A reformat, which keeps the words, is no replacement. Lines that move to another
granted file of the same change are not lost, and an exact revert of a recent
commit passes. docs/everyday.md has the conditions.",
                why: "\
Rewriting a file from memory looks like an edit, but drops content that should
have stayed. Added lines do not make up for lost ones, so guard does not count
them.",
                example: "\
A file of 270 lines is replaced by one of 56 lines, of which 40 are old: 85 %
lost.",
                fix: "\
Restore the file and make the edit that you meant:
    git restore --staged --worktree PATH
If you mean the loss, review it and approve it at a terminal:
    guard approve --staged
Ranges, pushes and CI count the approval only with an SSH signature (--sign
KEY). They measure loss from each approved step onwards, so later edits need a
new approval only if they lose much themselves.",
            },
            Rule::ProtectedPath => Explain {
                what: "\
The path matches `[scope] protect` in guard.toml. The rule also protects listed
tests that exist, unless their row says Modify: from requests if they are
committed, and from commits with `protect-tests = \"always\"`. Requests (from an
agent, or by `guard write` and similar commands) may not touch secrets either
(`[workspace] secrets`), nor write the files that configure guard: guard.toml,
.guard/ and the list of signers.",
                why: "\
Some files control others: release scripts, generated schemas, the tests that
the work must pass. A design should not grant them in passing.",
                example: "\
protect = [\"migrations/**\"], and the commit changes migrations/0001.sql.",
                fix: "\
Leave the file as it is. If a protected test must change, say so in a Modify row
and commit the design first. Otherwise a person can approve the change:
    guard approve --staged
If a name only looks like a secret, a row of the design that names the file
opens it, as does `[workspace] secrets`, which replaces the built-in names.",
            },
            Rule::OutsideWorkspace => Explain {
                what: "\
The path leaves the repository: through `..`, as an absolute path, through a
symbolic link on its way, or because an added link points outside. A request
also leaves it where another repository begins: a submodule, a directory that
contains .git, or a bare repository. In JSON, `details.reason` is path-escapes,
path-outside or symlink-escapes.",
                why: "\
A write through such a path lands where no review sees it and no commit holds
it: in a home directory, another project or the system. A nested repository has
its own designs and settings, which a design of this repository cannot widen.",
                example: "\
The commit adds `logs` as a link to /var/log, or a request asks for
../../etc/hosts.",
                fix: "\
Use a path inside the repository. Make links relative and let them point inside.
guard always accepts deleting the link or replacing it with a file. For a nested
repository, run guard inside it: guard -C DIR check FILE",
            },
            Rule::OutsideRoots => Explain {
                what: "\
A request (from an agent, or by `guard write` and similar commands) reads
outside `[workspace] read`, or writes outside `[workspace] write` in guard.toml.",
                why: "\
The roots say which part of the repository the work needs. They keep out what
belongs to other work, such as another package.",
                example: "\
write = [\"packages/api\"], and the request writes packages/web/index.ts.",
                fix: "\
Use a path below the roots; `guard settings` lists them. If they are too narrow,
ask a person to widen them in guard.toml and to commit that on its own.",
            },
            Rule::UnsafePath => Explain {
                what: "\
The name is dangerous on some system. It means .git on some file system (`.GIT`,
`git~1`, `.git` with invisible characters). Or it contains control,
bidirectional or invisible characters, look-alikes of the slash, or bytes that
are not UTF-8. Or it begins with `~/` or a URL scheme, or collides with a link
if case is ignored.",
                why: "\
Such a name is displayed as one thing and opened as another. It can plant a hook
on another person's machine, or hide from the reader of a diff.",
                example: "\
A commit adds `.Git/hooks/post-checkout`, which is a live hook on Windows and
macOS.",
                fix: "\
Rename the file; the message names the character by its code point. guard always
accepts deleting a badly named file:
    git rm -- PATH",
            },
            Rule::ScopeAmended => Explain {
                what: "\
The commit contains code, and a design that grants more than the one in HEAD. In
a range, guard lists every row that the range added, as a warning. With `[lld]
authority = \"base\"` such rows grant nothing.",
                why: "\
A change must not grant itself anything silently: a scope that the change widens
is no limit. In a commit of its own, a design may change freely.",
                example: "\
One commit adds the row `src/b.rs` | Add and the file src/b.rs.",
                fix: "\
Commit the design first, then the code:
    git commit docs/lld/LLD-188.md
    git commit
In a range, review the listed rows: they are the change of scope.",
            },
            Rule::PolicyChanged => Explain {
                what: "\
guard.toml, a file below .guard/, or a line of a hook or CI file that names
guard changes together with code.",
                why: "\
A commit that can switch off the check does not have to pass it. In a commit of
its own, the change of the rules is plain to see.",
                example: "\
One commit sets `share = 0.99` in guard.toml and cuts a file of 500 lines to 20.",
                fix: "\
Commit the rules on their own:
    git commit guard.toml
    git commit",
            },
            Rule::SubmoduleChanged => Explain {
                what: "\
The change adds, moves or removes a submodule, or changes a URL in .gitmodules,
and no row of type Submodule names it.",
                why: "\
One line replaces a whole tree of third-party code, and `ignore = all` in
.gitmodules hides it from `git diff`.",
                example: "\
`git add -A` stages vendor/zlib at another commit by accident.",
                fix: "\
If this was an accident, undo it:
    git restore --staged vendor/zlib
If you mean it, add a row `vendor/zlib` | Submodule and commit the design first.",
            },
            Rule::HiddenChange => Explain {
                what: "\
The change adds a .gitattributes line that hides content from review: -diff,
binary, linguist-generated, or a filter. Or the index contradicts itself: it
keeps the tree of a directory beside its entries, and git commits that tree but
shows the entries.",
                why: "\
Reviewers see \"binary files differ\", a folded file or another version instead of
the change. guard judges what git commits and is not misled, but people are.",
                example: "\
The commit adds `*.py -diff` and rewrites ten Python files.",
                fix: "\
Remove the line. Or commit it on its own, for files that need no review line by
line. If the index contradicts itself, git did not write it: run
`git read-tree HEAD`, which unstages everything, and stage again.",
            },
            Rule::PortableName => Explain {
                what: "\
The name causes trouble on another system: it differs from another name only in
case, or Windows reserves it (CON, NUL, a trailing dot or space, a colon).",
                why: "\
On such a system a checkout fails, or one file silently overwrites the other.",
                example: "\
The commit adds docs/Readme.md next to docs/README.md.",
                fix: "\
Rename the file:
    git mv docs/Readme.md docs/overview.md
A project that is only for Linux can set `portable-name = \"off\"` under [rules].",
            },
            Rule::RowUntouched => Explain {
                what: "\
No commit of a range touches a path that the design grants by name.",
                why: "\
Either the work is not finished or the design promises too much, and reviewers
want to know which. The finding never changes the verdict.",
                example: "\
The table says `tests/test_a.py` | Add, but the branch has no such file.",
                fix: "\
Do the work, or remove the row. The rule is off by default; to turn it on, set
`row-untouched = \"note\"` under [rules].",
            },
            Rule::DesignNoTable => Explain {
                what: "\
The document has no section such as \"Files Changed\" that contains a table of
files, or the table is empty.",
                why: "\
An empty scope must not permit everything. So guard cannot use the design.",
                example: "\
The table is inside a code fence, or below the heading \"Files NOT changed\".",
                fix: "\
Write the section:
    ### Files Changed
    | File | Change Type | Description |
    |------|-------------|-------------|
    | `src/a.rs` | Modify | … |
`guard scope check` lints a design. `[lld] headings` adds other headings.",
            },
            Rule::DesignUnread => Explain {
                what: "\
The document contains a table, list or line that looks like a declaration of
files, but guard does not read it: it is inside a raw HTML element such as
<details>, below a heading that excludes it, undecided (\"if needed\"), in a form
that guard does not know, or beyond the table that is the whole scope.",
                why: "\
A grant counts only if readers of the rendered document see it as part of this
work. Without the warning, its author would believe that it counts.",
                example: "\
A second table is between <details> and </details>, or the list of files below
**Files:** has the item \"`src/a.rs` or equivalent\".",
                fix: "\
Move the rows to the table that counts, or delete them. In a list, write one
item per file: - Modify: `src/a.rs`. If guard misreads a heading as an
exclusion, rename the heading.",
            },
            Rule::DesignAmbiguous => Explain {
                what: "\
Two tables of the document claim to be the scope.",
                why: "\
guard does not guess which one the team agreed on, and both together may grant
more than either of them.",
                example: "\
\"2.1 Files Changed\" and, from an earlier draft, \"5 Files Changed\".",
                fix: "\
Keep one table. \"Files to Create\" and \"Files to Modify\" may stand side by side:
guard reads them as one.",
            },
            Rule::DesignPlaceholder => Explain {
                what: "\
The table contains the placeholders of a template instead of paths:
path/to/file, XXXX, {name}, TBD, TODO, N/A, `...`, or struck-out text.",
                why: "\
The design is not filled in. Such a cell grants nothing, and a table of nothing
else is not a scope.",
                example: "\
| `path/to/file.py` | Add | Description |",
                fix: "\
Write the real paths, or remove the row. Then run `guard scope check`.",
            },
            Rule::DesignBadRow => Explain {
                what: "\
guard cannot read a row: its type is unknown, cells are missing, the path has
spaces outside backticks, contains backslashes or HTML, or is a URL, or the text
and the target of a link name different files.",
                why: "\
A misread row would grant something that its author did not write. So it grants
nothing, and guard names the line.",
                example: "\
| src\\core\\a.py | Tweak | … |",
                fix: "\
Put the path between backticks, with forward slashes, and use one of the types
Add, Modify, Delete, Rename, Add/Modify, Symlink, Submodule:
    | `src/core/a.py` | Modify | … |",
            },
            Rule::DesignDuplicate => Explain {
                what: "\
Two rows name the same path.",
                why: "\
A reader cannot tell which of them counts. Often one is meant for another file.",
                example: "\
`src/a.rs` | Add and, ten rows below, `src/a.rs` | Delete.",
                fix: "\
Merge the rows, or correct the path of one. `guard scope show` lists the lines.",
            },
            Rule::DesignModifyMissing => Explain {
                what: "\
A Modify or Delete row names a file that does not exist.",
                why: "\
The design describes another state of the repository, or the path is misspelt.
The work would go to the wrong place from the start.",
                example: "\
`src/workflow/run.py` | Modify, but the folder is called workflows.",
                fix: "\
Correct the path, or change the type to Add if the work creates the file.",
            },
            Rule::DesignAddExists => Explain {
                what: "\
An Add row names a file that existed before the work began.",
                why: "\
The author of the design did not know of the file. An agent that \"adds\" it
overwrites what is there.",
                example: "\
`src/config.py` | Add, but src/config.py has 300 lines on the main branch.",
                fix: "\
Change the type to Modify if you mean this file, or choose another name.",
            },
            Rule::DesignOutside => Explain {
                what: "\
A row names a path outside the workspace: an absolute path, one with a drive
letter or `~`, or one that leaves through `..`.",
                why: "\
No design can grant what is not in the repository. The row grants nothing.",
                example: "\
| `../other/src/a.py` | Modify | … |",
                fix: "\
Write the path from the root of the repository, such as `src/a.py`.",
            },
            Rule::DesignTooWide => Explain {
                what: "\
A row grants everything: `*`, `**`, `**/*`, `.` or `./`.",
                why: "\
A scope without limits is not a scope.",
                example: "\
| `**/*` | Modify | refactoring |",
                fix: "\
Name files, directories (`src/core/`) or narrower globs (`src/**/*.rs`).",
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_filled_in_and_fits_a_terminal() {
        for rule in Rule::ALL {
            let Explain {
                what,
                why,
                example,
                fix,
            } = rule.explain();
            for text in [what, why, example, fix] {
                assert!(text.len() > 10, "{} says too little", rule.id());
                assert_eq!(text, text.trim(), "{}", rule.id());
                for line in text.lines() {
                    assert!(line.chars().count() <= 80, "{}: {line}", rule.id());
                }
            }
        }
    }

    #[test]
    fn no_two_rules_share_a_text() {
        let mut texts: Vec<_> = Rule::ALL.iter().map(|rule| rule.explain().what).collect();
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), Rule::ALL.len());
    }

    #[test]
    fn unconditional_rules_and_document_faults_cannot_be_approved() {
        let refused: Vec<_> = Rule::ALL
            .iter()
            .filter(|rule| !rule.can_be_approved())
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
        assert!(Rule::DestructiveChange.can_be_approved());
    }
}
