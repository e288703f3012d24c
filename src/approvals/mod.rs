//! A person's consent to a change that guard would refuse: a change is held, a person is asked, the approval is signed,
//! verified where it counts, and used up. Its text is in `write_guard_policy::approve`.

mod commits;
mod decision;
mod dialogue;
mod in_range;
mod person;
mod signer;
mod ssh_keygen;
mod store;

pub(crate) use commits::{CommitApprovals, is_given};
pub use decision::{
    Answer, Ask, Question, consume, held_change, keep, new_approval, new_id, pending, reject,
};
pub(crate) use dialogue::{answer, ask_for_word};
#[cfg(feature = "mcp")]
pub(crate) use person::refusal_of_client;
pub(crate) use person::{Person, refuse_agents, refuse_agents_and_ci};
pub use signer::{ELICITATION, Signer, TERMINAL};
pub(crate) use signer::{of_git, unsigned_notes};
pub(crate) use ssh_keygen::SigningKey;
pub use store::{HeldChange, Store, decision, unexpired, with_unexpired};
