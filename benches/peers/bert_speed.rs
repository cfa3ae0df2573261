//! The times of majuscule for `bert.py`: seconds per batch of one shape, with the tensor graph and
//! with the engine in 32 and 8 bits.

use std::error::Error;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Instant;
use std::{env, fs};

use candle_core::Device;
use majuscule_neural::bert::HeadSizes;
use majuscule_neural::bert::config::EncoderConfig;
use majuscule_neural::bert::dropout::NoDropout;
use majuscule_neural::bert::encoder::EncoderBatch;
use majuscule_neural::bert::engine::{Engine, EnginePrecision, ScoreRequest};
use majuscule_neural::bert::names;
use majuscule_neural::bert::tagger::BertTagger;
use majuscule_neural::bert::weights::{self, TensorWeights};

/// The labels of a model that the command line trains: lower, title, upper and mixed.
const LABELS: usize = 4;

fn main() -> Result<(), Box<dyn Error>> {
    let [model, texts, repeat] = &env::args().skip(1).collect::<Vec<_>>()[..] else {
        return Err("usage: bert_speed MODEL TEXTS REPEAT".into());
    };
    let file = |name: &str| fs::read(Path::new(model).join(name));
    let config = EncoderConfig::read(&file("config.json")?)?;
    let named = |name: &str| Some(names::tagger_name(config.kind, name));
    let shapes = names::tagger_shapes(&config, HeadSizes { cases: LABELS, marks: 0 });
    let weights = weights::read(&file("model.safetensors")?, &shapes, named, &Device::Cpu)?;
    // Each line is a batch: texts separated by tabs, and the ids of subwords separated by spaces.
    let ids = |text: &str| text.split(' ').map(str::parse).collect::<Result<Vec<u32>, _>>();
    let texts = fs::read_to_string(texts)?;
    let batches: Vec<Vec<Vec<u32>>> = texts
        .lines()
        .map(|line| line.split('\t').map(ids).collect::<Result<_, _>>())
        .collect::<Result<_, _>>()?;
    let repeat: usize = repeat.parse()?;
    let tagger = BertTagger::new(&weights, &config)?;
    let graph = || -> candle_core::Result<()> {
        for texts in &batches {
            let batch = EncoderBatch::new(texts.iter().map(Vec::as_slice), 0);
            let row = |(at, text): (usize, &Vec<u32>)| {
                let start = at * batch.width;
                (start + 1..start + text.len() - 1).map(|row| row as u32).collect::<Vec<_>>()
            };
            let rows: Vec<u32> = texts.iter().enumerate().flat_map(row).collect();
            tagger.scores(&batch, tagger.encoder().words(), &rows, &mut NoDropout)?.to_vec2::<f32>()?;
        }
        Ok(())
    };
    let engines = [EnginePrecision::F32, EnginePrecision::Int8]
        .map(|precision| Engine::new(&TensorWeights(&weights), &config, precision));
    let [exact, short] = engines;
    let failed = candle_core::Error::Msg;
    let (exact, short) = (exact.map_err(failed)?, short.map_err(failed)?);
    let engine = |engine: &Engine| -> candle_core::Result<()> {
        for texts in &batches {
            let positions = |ids: &[u32]| (1..ids.len() as u32 - 1).collect();
            let requests: Vec<ScoreRequest<'_>> =
                texts.iter().map(|ids| ScoreRequest { positions: positions(ids), ids }).collect();
            engine.scores(&requests, NonZeroUsize::MIN).map_err(failed)?;
        }
        Ok(())
    };
    let mut best = [f64::INFINITY; 3];
    for _ in 0..repeat {
        let turns: [&dyn Fn() -> candle_core::Result<()>; 3] =
            [&graph, &|| engine(&exact), &|| engine(&short)];
        for (best, turn) in best.iter_mut().zip(turns) {
            let start = Instant::now();
            turn()?;
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    let [graph, exact, short] = best;
    println!(r#"{{"graph": {graph}, "f32": {exact}, "int8": {short}}}"#);
    Ok(())
}
