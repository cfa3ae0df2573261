//! Networks computed without tensors: the models of the method `bert` on the processor, from word
//! pieces to choices.

pub mod bert;
pub mod exp;
pub mod heads;
pub mod instruction_set;
pub mod lanes;
pub mod session;
pub mod windower;
