//! What `guard explain` says of each rule.

use super::Rule;

/// The long text of a rule; plain sentences, lines of at most 80 columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Explain {
    /// When it fires.
    pub what: &'static str,
    /// Why it exists.
    pub why: &'static str,
    /// A case.
    pub example: &'static str,
    /// What to do.
    pub fix: &'static str,
}

impl Rule {
    /// Whether a person's approval of the change clears a finding of this rule.
    /// It does not where a document or a request is at fault, or where the
    /// rule holds always.
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
The change touches a path that no row of the design's table covers: not as a
file, not below a granted directory, not by a glob.",
                why: "\
The design is what was agreed on. A file beside it is either a slip (a wrong
folder, a misspelt name) or work that nobody has looked at yet.",
                example: "\
The table says `src/utils/lld.rs`, the commit adds src/core/lld.rs. The finding
names src/utils/lld.rs as the closest path and prints the missing row.",
                fix: "\
Write to the path that is in the design, or paste the printed row into its
table and commit the design first:
    git commit docs/lld/LLD-188.md
`guard scope show` lists what is granted, `guard check PATH` asks beforehand.",
            },
            Rule::ActionNotGranted => Explain {
                what: "\
The design names the path, but not for what the change does to it: a Modify row
does not permit deleting, an Add row does not permit changing what was there
before the work began, and links and submodules want rows of their own. A Rename
row permits deleting the old file only if the same commit puts enough of its
content into the new one.",
                why: "\
Adding, changing and deleting a file are different promises. Who reads `Modify`
does not expect the file to be gone.",
                example: "\
The row says `src/a.py` | Modify, the commit deletes src/a.py.",
                fix: "\
Change the row's type (Add, Modify, Add/Modify, Delete, Rename, Symlink,
Submodule) and commit the design first, or undo the action:
    git restore --staged --worktree src/a.py",
            },
            Rule::DestructiveChange => Explain {
                what: "\
Most of a large file would be lost: it has more than 100 lines and at least half
of them are in no place of the new version (`[destructive] lines` and `share` in
guard.toml). Where lines average more than 400 bytes, or the content is no text,
more than 8 KiB is large. Also: a large file is deleted without a row about it or
is emptied; text turns into what git shows as binary; binary data turns into
text; either turns into a link or a Git LFS pointer. A design in force may not be
deleted or gutted at any size.",
                why: "\
Rewriting a file from memory looks like an edit and drops what nobody meant to
drop. Added lines do not make up for lost ones, so they are not counted.",
                example: "\
A file of 270 lines is replaced by one of 56, of which 40 are old: 85 % lost.",
                fix: "\
Take the file back and make the edit you meant:
    git restore --staged --worktree PATH
If the loss is meant, a person looks at it and says so:
    guard approve --staged
A range, a push and CI count that with an SSH signature only (--sign KEY). They
measure the loss anew from each approved step, so later edits need no new consent
unless they lose much themselves.",
            },
            Rule::ProtectedPath => Explain {
                what: "\
The path matches `[scope] protect` in guard.toml. With `protect-tests` on, this
holds also for a listed test file that was there before the work began and whose
row is not of type Modify. Requests (of an agent, or by `guard write` and its like)
also leave secrets alone (`[workspace] secrets`), and do not write the files that
configure guard: guard.toml, .guard/ and the list of signers.",
                why: "\
Some files decide over others: release scripts, generated schemas, the tests that
the work has to satisfy. A design does not grant them in passing.",
                example: "\
protect = [\"migrations/**\"], and the commit changes migrations/0001.sql.",
                fix: "\
Leave the file as it is. For a protected test that has to change, say so with a
Modify row and commit the design first. Otherwise a person approves the change:
    guard approve --staged
If a name only looks like a secret, a person sets `[workspace] secrets`, which
replaces the built-in names.",
            },
            Rule::OutsideWorkspace => Explain {
                what: "\
The path leaves the repository: by `..`, by being absolute, by a symbolic link on
its way, or because the link that is added points outside. For a request it also
leaves where another repository begins: a submodule, a directory that holds .git, or
a bare repository. `details.reason` in the JSON tells which: path-escapes,
path-outside or symlink-escapes.",
                why: "\
A write through such a path lands in a place that no review sees and no commit
holds: a home directory, another project, the system. A nested repository has its
own designs and settings, which a design out here cannot widen.",
                example: "\
`logs` is added as a link to /var/log, or a request asks for ../../etc/hosts.",
                fix: "\
Use a path inside the repository; make links relative and let them point inside.
Deleting the link, or putting a file in its place, is always accepted. For a nested
repository run guard inside it: guard -C DIR check FILE",
            },
            Rule::OutsideRoots => Explain {
                what: "\
A request (of an agent, or by `guard write` and its like) wants to read outside of
`[workspace] read` or to write outside of `[workspace] write` in guard.toml.",
                why: "\
The roots say how much of the repository a piece of work needs. Within one
repository they separate what is not for this work, such as another package.",
                example: "\
write = [\"packages/api\"], and the request writes packages/web/index.ts.",
                fix: "\
Use a path below the roots; `guard settings` prints them. If the roots are too
narrow, a person widens them in guard.toml and commits that by itself.",
            },
            Rule::UnsafePath => Explain {
                what: "\
The name itself is dangerous somewhere: it means .git on some file system
(`.GIT`, `git~1`, `.git` with invisible characters), holds control, bidirectional
or invisible characters, look-alikes of the slash, or bytes that are not UTF-8,
begins with `~/` or a URL's scheme, or meets a link when case is ignored.",
                why: "\
Such a name is shown as one thing and opened as another. It can plant a hook on
another person's machine or hide from the reader of a diff.",
                example: "\
A commit adds `.Git/hooks/post-checkout`, which is a live hook on Windows and macOS.",
                fix: "\
Rename the file; the message names the character by its code point. Deleting a
badly named file is always accepted:
    git rm -- PATH",
            },
            Rule::ScopeAmended => Explain {
                what: "\
Code is committed together with a design that grants more than the one in HEAD.
In a range, every row that the range added is listed; that is a warning, unless
`[lld] authority = \"base\"`, where such rows grant nothing.",
                why: "\
A change does not grant itself anything in silence: a scope that is widened by
the change it judges is no scope. Alone, the design may be changed freely.",
                example: "\
One commit adds the row `src/b.rs` | Add and adds src/b.rs.",
                fix: "\
Commit the design first and the code after it:
    git commit docs/lld/LLD-188.md
    git commit
In a range: look at the listed rows as a reviewer, they are the change of scope.",
            },
            Rule::PolicyChanged => Explain {
                what: "\
guard.toml, a file below .guard/, or a line of a hook or of the CI that names
guard changes together with code.",
                why: "\
Who can switch the gate off in the same commit does not need to pass it. Apart,
the change of the rules is plain to see.",
                example: "\
One commit sets `share = 0.99` in guard.toml and cuts a file of 500 lines to 20.",
                fix: "\
Commit the rules by themselves:
    git commit guard.toml
    git commit",
            },
            Rule::SubmoduleChanged => Explain {
                what: "\
A submodule is added, moved to another commit or removed, or a URL in .gitmodules
changes, and no row of type Submodule names it.",
                why: "\
One line exchanges a whole tree of foreign code, and `ignore = all` in .gitmodules
hides it from `git diff`.",
                example: "\
vendor/zlib moves to another commit because of a `git add -A`.",
                fix: "\
If it slipped in, take it back:
    git restore --staged vendor/zlib
If it is meant, add a row `vendor/zlib` | Submodule and commit the design first.",
            },
            Rule::HiddenChange => Explain {
                what: "\
A .gitattributes line added here keeps content out of the review: -diff, binary,
linguist-generated, or a filter.",
                why: "\
Reviewers see \"binary files differ\" or a folded file where a whole change may be.
guard judges the bytes and is not misled, but people are.",
                example: "\
The commit adds `*.py -diff` and rewrites ten Python files.",
                fix: "\
Drop the line, or commit it by itself, for files that nobody reads line by line.",
            },
            Rule::PortableName => Explain {
                what: "\
The name makes trouble on another system: it differs from another only in case,
or it is reserved on Windows (CON, NUL, a trailing dot or blank, a colon).",
                why: "\
A checkout on such a system fails, or one file silently overwrites the other.",
                example: "\
docs/Readme.md is added beside docs/README.md.",
                fix: "\
Rename the file:
    git mv docs/Readme.md docs/overview.md
A project that never leaves Linux sets `portable-name = \"off\"` under [rules].",
            },
            Rule::RowUntouched => Explain {
                what: "\
At the end of a range, a granted row is left that no commit touched.",
                why: "\
Either the work is not finished or the design promises too much; reviewers want to
know which. It never changes the verdict.",
                example: "\
The table says `tests/test_a.py` | Add, and the branch has no such file.",
                fix: "\
Do the work, or remove the row. `row-untouched = \"off\"` under [rules] silences it.",
            },
            Rule::DesignNoTable => Explain {
                what: "\
The document has no section with a heading such as \"Files Changed\" that holds a
table of files, or the table is empty.",
                why: "\
An empty scope must not mean that everything is permitted. So it means that the
design cannot be used.",
                example: "\
The table stands inside a code fence, or below the heading \"Files NOT changed\".",
                fix: "\
Write the section:
    ### Files Changed
    | File | Change Type | Description |
    |------|-------------|-------------|
    | `src/a.rs` | Modify | … |
`guard scope check` lints a design; other headings go into `[lld] headings`.",
            },
            Rule::DesignUnread => Explain {
                what: "\
The document contains a table or list that looks like a declaration of files,
and guard does not read it: it is inside a raw HTML element such as <details>,
below a heading that says that it is left out, or indented so that it is code.",
                why: "\
A grant counts only where a reader of the rendered document sees it as a part
of this work. Without the warning, its author would believe that it counts.",
                example: "\
A second table stands between <details> and </details>, or below the heading
\"Out of scope\".",
                fix: "\
Move the rows to the table that counts, or delete them. If guard takes a heading
for a negation that it is not, rename the heading.",
            },
            Rule::DesignAmbiguous => Explain {
                what: "\
Two tables of the document claim to be the scope.",
                why: "\
Which one was agreed on is not guard's to guess, and their sum may be more than
either of them.",
                example: "\
\"2.1 Files Changed\" and, from an earlier draft, \"5 Files Changed\".",
                fix: "\
Keep one table. \"Files to Create\" and \"Files to Modify\" may stand side by side:
they are read as one.",
            },
            Rule::DesignPlaceholder => Explain {
                what: "\
Where paths should be, the table holds what a template left there: path/to/file,
XXXX, {name}, TBD, TODO, N/A, `...`, or struck-out text.",
                why: "\
The design is not filled in. Such a cell grants nothing, and a table of nothing
else is not a scope.",
                example: "\
| `path/to/file.py` | Add | Description |",
                fix: "\
Write the real paths, or remove the row; then `guard scope check`.",
            },
            Rule::DesignBadRow => Explain {
                what: "\
A row cannot be read: its type is unknown, cells are missing, the path has blanks
outside of backticks, backslashes, HTML or is a URL, or a link's text and target
name different files.",
                why: "\
A misread row would grant something that nobody wrote. So it grants nothing, and
the line is named.",
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
A reader cannot tell which of them holds. Often one is a slip for another file.",
                example: "\
`src/a.rs` | Add and, ten rows below, `src/a.rs` | Delete.",
                fix: "\
Join the rows, or correct the path of one. `guard scope show` lists the lines.",
            },
            Rule::DesignModifyMissing => Explain {
                what: "\
A Modify or Delete row names a file that does not exist.",
                why: "\
The plan was written against another state, or the path is misspelt. The work
would go to a wrong place from its first step.",
                example: "\
`src/workflow/run.py` | Modify, where the folder is called workflows.",
                fix: "\
Correct the path, or change the type to Add if the file is to be created.",
            },
            Rule::DesignAddExists => Explain {
                what: "\
An Add row names a file that was there before the work began.",
                why: "\
Who \"adds\" a file that exists overwrites it. The plan did not know of it.",
                example: "\
`src/config.py` | Add, while src/config.py has 300 lines on the main branch.",
                fix: "\
Change the type to Modify if the file is meant, or choose another name.",
            },
            Rule::DesignOutside => Explain {
                what: "\
A row names a path outside of the workspace: absolute, with a drive letter, with
`~`, or leaving by `..`.",
                why: "\
No design can grant what is not in the repository. The row grants nothing.",
                example: "\
| `../other/src/a.py` | Modify | … |",
                fix: "\
Write the path from the repository's root, such as `src/a.py`.",
            },
            Rule::DesignTooWide => Explain {
                what: "\
A row grants everything: `*`, `**`, `**/*`, `.` or `./`.",
                why: "\
A scope without a limit is none.",
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
                    assert!(line.chars().count() <= 84, "{}: {line}", rule.id());
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
    fn the_two_always_rules_and_faults_of_documents_cannot_be_approved() {
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
