//! The crate `truecase` as a whole process, with text on standard input and standard
//! output. compare.py runs it.
//!
//!     truecase_peer train MODEL < CASED        learns from sentences, one per line
//!     truecase_peer sentences MODEL < TEXT     restores lines that are sentences
//!     truecase_peer phrases MODEL < TEXT       restores lines that may begin inside one

use std::error::Error;
use std::io::{self, BufRead, BufWriter, Write};

use truecase::{Model, ModelTrainer};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [verb, model] = arguments.as_slice() else {
        return Err("expected a verb and a model".into());
    };
    match verb.as_str() {
        "train" => train(model),
        "sentences" => restore(model, Model::truecase),
        "phrases" => restore(model, Model::truecase_phrase),
        _ => Err(format!("{verb} is no verb: expected train, sentences or phrases").into()),
    }
}

fn train(model: &str) -> Result<(), Box<dyn Error>> {
    let mut trainer = ModelTrainer::new();
    for line in io::stdin().lock().lines() {
        trainer.add_sentence(&line?);
    }
    Ok(trainer.into_model().save_to_file(model)?)
}

fn restore(model: &str, restored: impl Fn(&Model, &str) -> String) -> Result<(), Box<dyn Error>> {
    let model = Model::load_from_file(model)?;
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        writeln!(out, "{}", restored(&model, &line?))?;
    }
    Ok(out.flush()?)
}
