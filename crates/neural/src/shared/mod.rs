//! The parts that the neural methods share: windows over text, sessions, samples and training.

pub mod adam;
#[cfg(target_arch = "x86_64")]
pub mod bf16_product;
pub mod checkpoint_file;
pub mod checks;
pub mod digest;
pub mod flat;
pub mod gold;
pub mod init;
pub mod lstm;
pub mod options;
pub mod predict;
pub mod product;
pub mod samples;
pub mod schedule;
pub mod sparse_adam;
pub mod throughput;
#[cfg(test)]
pub mod toy_texts;
pub mod train_loop;
pub mod values;

pub use majuscule_methods::network::{exp, heads, instruction_set, lanes, sequences, session, windower};
