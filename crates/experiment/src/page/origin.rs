//! The origin of the results: commands, recipe, rows that were left out, signatures.

use maud::{Markup, html};

use crate::results::{OmittedRow, Results};

/// Renders the section with everything needed to reproduce the results.
pub fn origin(results: &Results) -> Markup {
    html! {
        @if !results.left_out.is_empty() {
            h3 { "Left out" }
            ul.left-out {
                @for OmittedRow { name, why } in &results.left_out {
                    li { strong { (name) } ": " (why) }
                }
            }
        }
        @if results.rows.iter().any(|row| !row.commands.is_empty()) {
            h3 { "Commands" }
            @for row in results.rows.iter().filter(|row| !row.commands.is_empty()) {
                details.commands {
                    summary { (row.name) }
                    (code(&row.commands.join("\n")))
                }
            }
        }
        h3 { "Recipe" }
        details {
            summary { "The recipe as it is in its file" }
            (code(results.recipe.trim_end()))
        }
        @if !results.tests.is_empty() {
            h3 { "Signatures" }
            dl.signatures {
                @for test in &results.tests {
                    dt { (test.name) }
                    dd { code { (test.signature) } }
                }
            }
        }
    }
}

/// Renders a block of code; the script adds a button that copies it.
fn code(text: &str) -> Markup {
    html! { div.code { pre tabindex="0" { code { (text) } } } }
}
