//! The main job in three lines: load, restore, print.

fn main() -> majuscule::Result<()> {
    let model = majuscule::Model::embedded("en")?;
    let text = model.restore("the president of the united states met angela merkel in lisbon.")?;
    println!("{text}");
    Ok(())
}
