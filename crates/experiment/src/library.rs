//! The recipes built into the program: one for each table or figure of a
//! paper, and a small one to start with.

/// The names and texts of the built-in recipes.
pub const RECIPES: &[(&str, &str)] = &[
    ("small", include_str!("recipes/small.toml")),
    ("batista-2007-table-4", include_str!("recipes/batista-2007-table-4.toml")),
    ("batista-2007-table-5", include_str!("recipes/batista-2007-table-5.toml")),
    ("batista-2007-table-6", include_str!("recipes/batista-2007-table-6.toml")),
    ("batista-2007-table-7", include_str!("recipes/batista-2007-table-7.toml")),
    ("batista-2007-table-8", include_str!("recipes/batista-2007-table-8.toml")),
    ("batista-2007-table-9", include_str!("recipes/batista-2007-table-9.toml")),
    ("batista-2007-portuguese", include_str!("recipes/batista-2007-portuguese.toml")),
    ("courtland-2020", include_str!("recipes/courtland-2020.toml")),
    ("courtland-2020-ablations", include_str!("recipes/courtland-2020-ablations.toml")),
    ("courtland-2020-encoders", include_str!("recipes/courtland-2020-encoders.toml")),
    ("courtland-2020-mpnet", include_str!("recipes/courtland-2020-mpnet.toml")),
    ("encoder-layers", include_str!("recipes/encoder-layers.toml")),
    ("look-ahead", include_str!("recipes/look-ahead.toml")),
    ("look-ahead-encoder", include_str!("recipes/look-ahead-encoder.toml")),
    ("matrix", include_str!("recipes/matrix.toml")),
    ("punctuator2", include_str!("recipes/punctuator2.toml")),
    ("recognisers", include_str!("recipes/recognisers.toml")),
    ("rei-2020-figure-2", include_str!("recipes/rei-2020-figure-2.toml")),
    ("rei-2020-mpnet", include_str!("recipes/rei-2020-mpnet.toml")),
    ("rei-2020-table-2", include_str!("recipes/rei-2020-table-2.toml")),
    ("rei-2020-table-3", include_str!("recipes/rei-2020-table-3.toml")),
    ("rei-2020-table-4", include_str!("recipes/rei-2020-table-4.toml")),
    ("rei-2020-table-5", include_str!("recipes/rei-2020-table-5.toml")),
    ("rei-2020-table-6", include_str!("recipes/rei-2020-table-6.toml")),
    ("rei-2020-table-7", include_str!("recipes/rei-2020-table-7.toml")),
    ("rei-2020-table-8", include_str!("recipes/rei-2020-table-8.toml")),
    ("rei-2020-table-9", include_str!("recipes/rei-2020-table-9.toml")),
    ("sepp-nlg-2021", include_str!("recipes/sepp-nlg-2021.toml")),
    ("vandeghinste-guhr", include_str!("recipes/vandeghinste-guhr.toml")),
    ("vandeghinste-guhr-encoders", include_str!("recipes/vandeghinste-guhr-encoders.toml")),
    ("vandeghinste-guhr-marks", include_str!("recipes/vandeghinste-guhr-marks.toml")),
    ("vandeghinste-guhr-voting", include_str!("recipes/vandeghinste-guhr-voting.toml")),
];

/// The texts that the recipe `small` uses, by their paths in a clone of majuscule.
pub const TEXTS: &[(&str, &str)] = &[
    ("examples/small/train.txt", include_str!("../../../examples/small/train.txt")),
    ("examples/small/test.txt", include_str!("../../../examples/small/test.txt")),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recipe;
    use crate::recipe::{RecipeRow, RecipeTest};

    #[test]
    fn every_recipe_can_be_read_and_has_a_row_of_the_most_frequent_form() {
        for (name, text) in RECIPES {
            let recipe = Recipe::parse(text, name).unwrap();
            let baseline =
                |row: &RecipeRow| row.train.as_deref().is_some_and(|train| train.starts_with("majority"));
            // The most frequent form has no marks.
            let scores_marks =
                |test: &RecipeTest| test.protocol.is_some_and(|p| p.mark_convention().is_some());
            let is_of_marks = recipe.tests.iter().all(scores_marks);
            assert!(is_of_marks || recipe.rows.iter().any(baseline), "{name} has no row of `majority`");
        }
    }
}
