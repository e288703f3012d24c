//! Reading `.gitmodules`.

use write_guard_policy::rules::Submodules;

/// The values of a `.gitmodules`; `None` if it is not valid configuration.
pub fn submodules(content: &[u8]) -> Option<Submodules> {
    let source = gix::config::file::Metadata::default();
    let file = gix::config::File::from_bytes_no_includes(content, source, Default::default());
    let file = file.ok()?;
    let mut modules = Submodules::new();
    for section in file.sections_by_name("submodule").into_iter().flatten() {
        let Some(name) = section.header().subsection_name() else {
            continue;
        };
        for key in section.body().value_names() {
            if let Some(value) = section.body().value(&key) {
                let key = (name.to_owned(), key.to_lowercase());
                modules.insert(key, value.to_owned());
            }
        }
    }
    Some(modules)
}
