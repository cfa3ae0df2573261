//! The part of the tagger above the encoder: the mix of the encoder's layers, the heads, and their losses.

use std::collections::BTreeMap;

use candle_core::{Result as Computed, bail};

use super::rows::column_sums;
use super::weights::WeightGuards;
use crate::bert::names::{GAMMA, HEADS, SCALARS};
use crate::bert::train::loss::{BatchTargets, HeadLoss};
use crate::shared::heads::HeadSizes;
use crate::shared::instruction_set::InstructionSet;
use crate::shared::product::ProductPrecision;
use crate::shared::values::multiply;
use majuscule_methods::network::bert::engine::softmax;

/// The factors of layers in the mixed state of a word: γ softmax(α).
#[derive(Debug)]
pub struct LayerMix {
    /// The softmax of the scalars of the layers, the embedding layer first.
    fractions: Vec<f32>,
    /// The factors.
    pub factors: Vec<f32>,
}

impl LayerMix {
    /// Computes the factors of the layers that are not dropped.
    ///
    /// # Errors
    /// Fails if a weight is missing.
    pub fn new(weights: &WeightGuards<'_>, dropped: Option<Vec<bool>>) -> Computed<Self> {
        let mut scalars = weights.values(SCALARS)?.to_vec();
        let &[gamma] = weights.values(GAMMA)? else { bail!("{GAMMA} must be a single number") };
        for (scalar, dropped) in scalars.iter_mut().zip(dropped.unwrap_or_default()) {
            if dropped {
                *scalar = f32::NEG_INFINITY;
            }
        }
        let fractions = softmax(&scalars);
        let factors = fractions.iter().map(|fraction| gamma * fraction).collect();
        Ok(Self { fractions, factors })
    }

    /// Returns the gradients with respect to γ and α from the gradients with respect to the factors.
    pub fn gradients(&self, grads: &[f32]) -> [(String, Vec<f32>); 2] {
        let of_gamma: f32 = self.fractions.iter().zip(grads).map(|(fraction, grad)| fraction * grad).sum();
        let of_scalars =
            self.factors.iter().zip(grads).map(|(factor, grad)| factor * (grad - of_gamma)).collect();
        [(GAMMA.to_owned(), vec![of_gamma]), (SCALARS.to_owned(), of_scalars)]
    }
}

/// The heads of a tagger, and their losses.
pub struct HeadPasses<'a> {
    /// The weights of the tagger.
    pub weights: &'a WeightGuards<'a>,
    /// The number of labels of each head.
    pub sizes: HeadSizes,
    /// The loss of each head.
    pub losses: &'a [HeadLoss; 2],
}

/// The loss of the heads and its gradients.
#[derive(Debug, Default)]
pub struct HeadGradients {
    /// The sum of the losses of the heads, each the mean over its labels.
    pub loss: f64,
    /// The gradients with respect to the weights of the heads, by the names of the weights.
    pub by_name: BTreeMap<String, Vec<f32>>,
    /// The gradients with respect to the mixed states of words.
    pub mixed: Vec<f32>,
}

impl HeadPasses<'_> {
    /// Computes the loss of the mixed states of words, and its gradients, where dropout multiplies the states by
    /// `mask`.
    ///
    /// # Errors
    /// Fails if a weight is missing or no word has a label.
    pub fn gradients(
        &self,
        mut mixed: Vec<f32>,
        mask: Option<&[f32]>,
        targets: &BatchTargets,
    ) -> Computed<HeadGradients> {
        let drop = |values: &mut [f32]| multiply(values, mask.unwrap_or_default());
        drop(&mut mixed);
        let mut found = HeadGradients { mixed: vec![0.0; mixed.len()], ..HeadGradients::default() };
        let labels = [self.sizes.cases, self.sizes.marks];
        let precision = ProductPrecision::F32;
        for (((head, size), loss), (rows, ids)) in
            HEADS.iter().zip(labels).zip(self.losses).zip(&targets.labels)
        {
            if size == 0 {
                continue;
            }
            let affine = self.weights.affine(head)?;
            let mut scores = affine.product(&mixed, precision);
            let mut grads = vec![0.0; scores.len()];
            let mut sum = 0.0;
            for (&row, &id) in rows.iter().zip(ids) {
                let position = row as usize * size..(row as usize + 1) * size;
                let (scores, grads) = (&mut scores[position.clone()], &mut grads[position]);
                sum += f64::from(loss.of_word(scores, id as usize, 1.0 / ids.len() as f32, grads));
            }
            if !ids.is_empty() {
                found.loss += sum / ids.len() as f64;
            }
            affine.product_back(&grads, &mut found.mixed, precision);
            let weight = affine.weight_gradient(&grads, &mixed, precision);
            found.by_name.insert(format!("{head}weight"), weight);
            found.by_name.insert(format!("{head}bias"), column_sums(InstructionSet::best(), &grads, size));
        }
        if targets.labels.iter().all(|(_, ids)| ids.is_empty()) {
            bail!("a batch without labels")
        }
        drop(&mut found.mixed);
        Ok(found)
    }
}
