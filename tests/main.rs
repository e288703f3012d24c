//! The integration tests that `cargo test` runs: they need git, and no other program. They are one program, because
//! linking one per file took most of the time. Each file covers one capability that users see;
//! `cargo test --test main NAME::` runs one of them.

// Tests make the files that guard judges, print figures, and fail by a panic.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used
)]
// A test goes step by step, with a new `output` for each, and has its cases in a table.
#![allow(clippy::shadow_unrelated, clippy::too_many_lines)]

mod common;

mod agent_context;
mod agent_hooks;
mod agent_losses;
mod agent_observe;
mod agent_protocols;
mod agent_scratch;
mod agent_table;
mod agent_tools;
mod agent_unchanged;
mod amended_rows;
mod approvals;
mod approvals_signed;
mod approve_signs;
mod architecture;
mod assurance;
mod audit_attempts;
mod audit_log;
mod authority;
mod boundaries_004;
mod boundary;
mod cached_trees;
mod cannot_judge;
mod check_and_write;
mod ci_environments;
mod ci_kit;
mod clean_merges;
mod cli;
mod colored_preview;
mod commits;
mod concurrency;
mod contributing;
mod criss_cross;
mod criteria_001;
mod decisions;
mod denials;
mod dependencies;
mod design_faults;
mod design_forms;
mod design_judged;
mod design_requests;
mod digests;
mod doctor;
mod empty_ranges;
mod everyday;
mod exec;
mod exemptions;
mod exhaustion;
mod extend;
mod file_errors;
mod file_memory;
mod file_paths;
mod file_race;
mod file_refusals;
mod file_verbs;
mod format_short;
mod formats;
mod generate;
mod github_review;
mod hook_scripts;
mod hostile_paths;
mod init;
mod install_agents;
mod install_git;
mod install_snippets;
mod large_files;
mod leftovers;
mod log_growth;
mod loose_objects;
mod lost_in_steps;
mod managers;
mod mcp;
mod measure_vs_git;
mod merge_heads;
mod messages;
mod moved_lines;
mod nested_repositories;
mod one_answer;
mod patterns;
mod plan_selection;
mod plans_done;
mod prepare_commit_msg;
mod pretend;
mod program_reads;
mod properties;
mod public_api;
mod range_ends;
mod ranges;
mod read_around;
mod readme;
mod reads_only;
mod reformats;
mod removed_forms;
mod renames;
mod report_files;
mod request_levels;
mod requests_from_head;
mod restore_judged;
mod reverts;
mod review;
mod roots_003;
mod scenarios_000;
mod scenarios_002;
mod scope_add;
mod scope_check;
mod scope_import;
mod scope_new;
mod scope_overlap;
mod scope_prompt;
mod server_hooks;
mod settings;
mod snapshots;
mod staged_kinds;
mod status;
mod stored_contents;
mod systems;
mod trial;
mod typed_errors;
mod use_design;
mod work_trees;
mod worktree;
