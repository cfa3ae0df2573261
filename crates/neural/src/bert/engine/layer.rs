//! A transformer layer on texts that lie one after another, without filling between them.

use std::ops::Range;

use super::float::{Panels, Rows};
use super::int8::Bytes;
use super::linear::Linear;
use super::machine::Machine;
use super::rows::{Norm, gelu, softmax};

/// A transformer layer: attention, then a feed-forward network, each added to what goes in and normalised.
#[derive(Debug, Clone)]
pub struct Layer {
    /// What it computes on.
    pub machine: Machine,
    /// Attention heads.
    pub heads: usize,
    /// What asks, what is asked and what is told, side by side; the first is divided by the root of a head's size.
    pub attending: Linear,
    /// What attention gives is put through this,
    pub attended: Linear,
    /// added and normalised.
    pub attended_norm: Norm,
    /// Into the feed-forward network
    pub inner: Linear,
    /// and out of it.
    pub outer: Linear,
    /// The norm of the sum.
    pub outer_norm: Norm,
}

/// Memory to work in.
#[derive(Debug, Default)]
pub struct Scratch {
    bytes: Bytes,
    attending: Vec<f32>,
    queries: Vec<f32>,
    keys: Panels,
    values: Panels,
    shares: Vec<f32>,
    attended: Vec<f32>,
    inner: Vec<f32>,
    added: Vec<f32>,
}

/// A text among others.
#[derive(Debug, Clone)]
pub struct Span {
    /// Its rows.
    pub rows: Range<usize>,
    /// Which of the rows that are asked for are its own.
    pub asked: Range<usize>,
}

impl Layer {
    /// The states after this layer, of all rows: in place of those before it.
    pub fn forward(&self, x: &mut [f32], spans: &[Span], scratch: &mut Scratch) {
        self.attending.apply(x, &mut scratch.attending, &mut scratch.bytes);
        let attending = std::mem::take(&mut scratch.attending);
        scratch.attended.resize(x.len(), 0.0);
        let stride = self.attending.outs();
        for Span { rows, .. } in spans {
            let queries = Rows { values: &attending[rows.start * stride..], stride, count: rows.len() };
            self.attend(queries, &attending, rows.clone(), rows.start, scratch);
        }
        scratch.attending = attending;
        self.after_attention(x, scratch);
    }

    /// The states after this layer of the rows asked for; `asked` are the rows, `x` the states of all before it.
    pub fn forward_asked(
        &self,
        x: &[f32],
        spans: &[Span],
        asked: &[usize],
        scratch: &mut Scratch,
    ) -> Vec<f32> {
        self.attending.apply(x, &mut scratch.attending, &mut scratch.bytes);
        let attending = std::mem::take(&mut scratch.attending);
        let stride = self.attending.outs();
        let hidden = stride / 3;
        let mut queries = std::mem::take(&mut scratch.queries);
        queries.clear();
        asked.iter().for_each(|row| queries.extend_from_slice(&attending[row * stride..][..hidden]));
        let mut out: Vec<f32> = gathered(x, asked, hidden);
        scratch.attended.resize(out.len(), 0.0);
        for Span { rows, asked } in spans {
            let queries =
                Rows { values: &queries[asked.start * hidden..], stride: hidden, count: asked.len() };
            self.attend(queries, &attending, rows.clone(), asked.start, scratch);
        }
        (scratch.attending, scratch.queries) = (attending, queries);
        self.after_attention(&mut out, scratch);
        out
    }

    /// Attention (Vaswani et al. 2017, section 3.2) of these queries to the rows of their text, into the rows of
    /// `scratch.attended` from `first` on.
    fn attend(
        &self,
        queries: Rows<'_>,
        attending: &[f32],
        rows: Range<usize>,
        first: usize,
        scratch: &mut Scratch,
    ) {
        if queries.count == 0 {
            return;
        }
        let (machine, stride) = (self.machine, self.attending.outs());
        let (hidden, size) = (stride / 3, stride / 3 / self.heads);
        let Scratch { keys, values, shares, attended, .. } = scratch;
        for head in 0..self.heads {
            let part = |part: usize| {
                let place = part * hidden + head * size;
                rows.clone().map(move |row| &attending[row * stride + place..][..size])
            };
            keys.clear(machine, rows.len(), size);
            keys.fill_columns(machine, part(1));
            values.clear(machine, size, rows.len());
            values.fill_rows(machine, part(2));
            let width = keys.columns();
            shares.resize(queries.count * width, 0.0);
            let queries = Rows { values: &queries.values[head * size..], ..queries };
            keys.multiply(machine, queries, &[], shares, width, width);
            softmax(machine, shares, width, rows.len());
            let shares = Rows { values: shares, stride: width, count: queries.count };
            let out = &mut attended[first * hidden + head * size..];
            values.multiply(machine, shares, &[], out, hidden, size);
        }
    }

    /// Adds what attention gives, and what the feed-forward network makes of that.
    fn after_attention(&self, x: &mut [f32], scratch: &mut Scratch) {
        let (machine, width) = (self.machine, self.attended.outs() * self.inner.tile());
        let Scratch { bytes, attended, inner, added, .. } = scratch;
        for (x, attended) in x.chunks_mut(width).zip(attended.chunks(width)) {
            self.attended.apply(attended, added, bytes);
            self.attended_norm.add(machine, x, added);
            self.inner.apply(x, inner, bytes);
            gelu(machine, inner);
            self.outer.apply(inner, added, bytes);
            self.outer_norm.add(machine, x, added);
        }
    }
}

/// These rows of `width` numbers.
pub fn gathered(x: &[f32], rows: &[usize], width: usize) -> Vec<f32> {
    rows.iter().flat_map(|row| &x[row * width..][..width]).copied().collect()
}
