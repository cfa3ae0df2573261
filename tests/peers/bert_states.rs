//! Writes the subwords of each line of a text and the hidden states of every layer of an encoder to a
//! file, for `bert.py`, which compares them with PyTorch.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

use candle_core::{Device, Tensor};
use majuscule_neural::bert::config::EncoderConfig;
use majuscule_neural::bert::dropout::NoDropout;
use majuscule_neural::bert::encoder::{BertEncoder, EncoderBatch};
use majuscule_neural::bert::tokenize::{HuggingFaceTokenizer, SubwordTokenizer};
use majuscule_neural::bert::weights::{self, TensorMap};

fn main() -> Result<(), Box<dyn Error>> {
    let [folder, text, out] = &env::args().skip(1).collect::<Vec<_>>()[..] else {
        return Err("usage: bert_states ENCODER TEXT OUT".into());
    };
    let file = |name: &str| fs::read(Path::new(folder).join(name));
    let config = EncoderConfig::read(&file("config.json")?)?;
    let subwords = match file("tokenizer.json") {
        Ok(json) => HuggingFaceTokenizer::read(&json, Some(config.vocab_size))?,
        Err(_) => HuggingFaceTokenizer::read_vocabulary(&file("vocab.txt")?, true, Some(config.vocab_size))?,
    };
    let weights = weights::read_encoder(&file("model.safetensors")?, &config, &Device::Cpu)?;
    let encoder = BertEncoder::new(&weights, "", &config)?;
    let mut states = TensorMap::new();
    // Lines of different lengths share a batch, so that the padding is compared too.
    for (group, lines) in fs::read_to_string(text)?.lines().collect::<Vec<_>>().chunks(8).enumerate() {
        let texts: Vec<Vec<u32>> =
            lines.iter().map(|line| ids(line, &subwords, &config)).collect::<Result<_, _>>()?;
        let batch = EncoderBatch::new(texts.iter().map(Vec::as_slice), subwords.special.padding);
        let layers = encoder.hidden_states(&batch, encoder.words(), &mut NoDropout)?;
        for (at, ids) in texts.iter().enumerate() {
            let own = |layer: &Tensor| layer.narrow(0, at * batch.width, ids.len());
            let own: Vec<Tensor> = layers.iter().map(own).collect::<Result<_, _>>()?;
            let line = group * 8 + at;
            states.insert(format!("states.{line:04}"), Tensor::stack(&own, 0)?);
            let ids: Vec<f32> = ids.iter().map(|&id| id as f32).collect();
            states.insert(format!("ids.{line:04}"), Tensor::from_slice(&ids, ids.len(), &Device::Cpu)?);
        }
    }
    fs::write(out, weights::write(&states)?)?;
    Ok(())
}

/// Returns the subword ids of a line as the encoder reads it; each word is cut by itself.
fn ids(line: &str, subwords: &HuggingFaceTokenizer, config: &EncoderConfig) -> Result<Vec<u32>, String> {
    let mut ids = vec![subwords.special.first];
    for word in line.split_whitespace() {
        ids.extend(subwords.of(word)?);
    }
    ids.truncate(config.longest() - 1);
    ids.push(subwords.special.last);
    Ok(ids)
}
