//! The parts that `bert` and `bilstm` share: windows over text, sessions, samples and training.

pub mod adam;
#[cfg(target_arch = "x86_64")]
pub mod bf16_product;
pub mod checks;
pub mod gold;
pub mod init;
pub mod predict;
pub mod product;
pub mod samples;
pub mod schedule;
pub mod throughput;
pub mod train_loop;

pub use majuscule::methods::network::{exp, heads, instruction_set, lanes, session, windower};
