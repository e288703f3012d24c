//! How refusals and what followed them read: for people, for programs, and for the next session.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::followed::{Followed, Work};
use super::refusal::RefusedRequest;
use crate::report::plural;
use write_guard_policy::path::escaped;

impl Followed {
    /// The words behind a path.
    fn in_words(self, closest: &str) -> String {
        match self {
            Followed::Approved => "a person approved it".to_owned(),
            Followed::SamePath => "tried again".to_owned(),
            Followed::RowAdded => "a row was added".to_owned(),
            Followed::AsSuggested => format!("went on at {closest}, as suggested"),
            Followed::AnotherPath => "went on at another path".to_owned(),
            Followed::GivenUp => "given up".to_owned(),
        }
    }
}

impl Work {
    fn count(&self, wanted: impl Fn(&RefusedRequest, Followed) -> bool) -> usize {
        let found = self
            .refusals
            .iter()
            .filter(|(one, after)| wanted(one, *after));
        found.count()
    }

    /// The work and its refusals for people.
    pub(crate) fn text(&self) -> String {
        let agent = match self.agent.as_str() {
            "" => "the command line",
            agent => agent,
        };
        let attempts = match self.attempts {
            Some(attempts) => format!(
                "{} until the first accepted commit",
                plural(attempts, "attempt")
            ),
            None => "no accepted commit since".to_owned(),
        };
        let held = self.count(|one, _| one.is_held);
        let design = escaped(&self.design);
        let branch = escaped(&self.branch);
        let mut text = format!(
            "{design} on {branch}, {}: {} refused, {held} held, {} approved; {attempts}\n",
            escaped(agent),
            self.refusals.len() - held,
            self.count(|_, after| after == Followed::Approved),
        );
        for (refusal, after) in &self.refusals {
            text += &format!(
                "  {}  {} [{}]  {}\n",
                escaped(&refusal.time),
                escaped(&refusal.path),
                escaped(&refusal.rule),
                after.in_words(&escaped(&refusal.closest).to_string())
            );
        }
        text
    }

    /// The same for programs.
    pub(crate) fn json(&self) -> Value {
        let refusal = |(refusal, after): &(RefusedRequest, Followed)| {
            json!({
                "time": refusal.time,
                "path": refusal.path,
                "rule": refusal.rule,
                "closest": Some(&refusal.closest).filter(|closest| !closest.is_empty()),
                "held": refusal.is_held,
                "followed": after,
            })
        };
        let mut followed: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, after) in &self.refusals {
            *followed.entry(after.name()).or_default() += 1;
        }
        json!({
            "branch": self.branch,
            "design": self.design,
            "agent": self.agent,
            "refused": self.count(|one, _| !one.is_held),
            "held": self.count(|one, _| one.is_held),
            "approved": self.count(|_, after| after == Followed::Approved),
            "attempts": self.attempts,
            "followed": followed,
            "refusals": self.refusals.iter().map(refusal).collect::<Vec<_>>(),
        })
    }
}
