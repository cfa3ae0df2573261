//! The parts that `bert` and `bilstm` share: windows over text, sessions, samples and training.

pub mod adam;
pub mod bf16_product;
pub mod checks;
pub mod exp;
pub mod heads;
pub mod init;
pub mod instruction_set;
pub mod lanes;
pub mod predict;
pub mod product;
pub mod samples;
pub mod schedule;
pub mod session;
pub mod throughput;
pub mod train_loop;
pub mod windower;
