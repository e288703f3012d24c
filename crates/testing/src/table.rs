//! Cases in a table of text.

/// The rows of a table: a line each, whose cells stand between ` | `.
pub fn table<const N: usize>(text: &str) -> impl Iterator<Item = [&str; N]> {
    let rows = text.lines().filter(|line| !line.trim().is_empty());
    rows.map(|row| {
        let cells: Vec<&str> = row.trim().split(" | ").collect();
        cells.try_into().expect("a row has the cells of the others")
    })
}
