//! What computes a neural model, and how exactly.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result, option};

/// What computes a neural model, and how exactly. The other methods compute on the processor, in the numbers that they are saved as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Backend {
    /// What computes a model of bert: auto, cpu or cuda:N. auto is the first GPU where there is one and this build can use it
    pub device: Device,
    /// How exactly a model of bert computes: f32, or on the processor int8, which is faster, and on a GPU bf16 or f16; by default f32
    pub precision: Option<Precision>,
}

impl Backend {
    /// Refuses what only other methods can do.
    ///
    /// # Errors
    /// [`Error::Usage`] where a GPU or a precision is asked for.
    pub fn refuse(&self, method: &str) -> Result<()> {
        let problem = match (self.device, self.precision) {
            (Device::Cuda(_), _) => format!("{} {}", option("device"), self.device),
            (_, Some(precision)) => format!("{} {precision}", option("precision")),
            _ => return Ok(()),
        };
        Err(Error::Usage(format!(
            "{problem} is for models of bert, and this one is of {method}: leave it out"
        )))
    }
}

/// What computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Device {
    /// The best there is.
    #[default]
    Auto,
    /// The processor.
    Cpu,
    /// The NVIDIA GPU of this number, counted from 0.
    Cuda(usize),
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(number) => write!(f, "cuda:{number}"),
        }
    }
}

impl FromStr for Device {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let number = match name {
            "auto" => return Ok(Self::Auto),
            "cpu" => return Ok(Self::Cpu),
            "cuda" => Some(0),
            _ => name.strip_prefix("cuda:").and_then(|number| number.parse().ok()),
        };
        let unknown = || Error::Usage(format!("no device \"{name}\": expected auto, cpu or cuda:N"));
        number.map(Self::Cuda).ok_or_else(unknown)
    }
}

/// The numbers that a model computes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// 32 bits.
    F32,
    /// 16 bits, 8 of them before the point: on a GPU.
    Bf16,
    /// 16 bits, 5 of them before the point: on a GPU.
    F16,
    /// Products of whole numbers of 8 bits: on the processor.
    Int8,
}

impl Precision {
    const ALL: [(Self, &str); 4] =
        [(Self::F32, "f32"), (Self::Bf16, "bf16"), (Self::F16, "f16"), (Self::Int8, "int8")];
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.iter().find(|(precision, _)| precision == self).map(|(_, name)| *name);
        f.write_str(name.unwrap_or_default())
    }
}

impl FromStr for Precision {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.iter().find(|(_, known)| *known == name).map(|(precision, _)| *precision);
        found.ok_or_else(|| Error::Usage(format!("no precision \"{name}\": expected f32, bf16, f16 or int8")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_devices_and_precisions_are_read_as_they_are_printed() {
        for (name, device) in [("auto", Device::Auto), ("cpu", Device::Cpu), ("cuda:1", Device::Cuda(1))] {
            assert_eq!(name.parse::<Device>().unwrap(), device);
            assert_eq!(device.to_string(), name);
        }
        assert_eq!("cuda".parse::<Device>().unwrap(), Device::Cuda(0));
        assert!("gpu".parse::<Device>().unwrap_err().to_string().contains("expected auto, cpu or cuda:N"));
        for (precision, name) in Precision::ALL {
            assert_eq!(name.parse::<Precision>().unwrap(), precision);
            assert_eq!(precision.to_string(), name);
        }
        assert!("int4".parse::<Precision>().unwrap_err().to_string().contains("expected f32, bf16"));
    }

    #[test]
    fn what_only_neural_methods_can_do_is_refused_for_others() {
        let refused = |computing: Backend| computing.refuse("maxent").map_err(|error| error.to_string());
        assert_eq!(refused(Backend::default()), Ok(()));
        assert_eq!(refused(Backend { device: Device::Cpu, precision: None }), Ok(()));
        let gpu = refused(Backend { device: Device::Cuda(0), precision: None }).unwrap_err();
        assert_eq!(gpu, "`device` cuda:0 is for models of bert, and this one is of maxent: leave it out");
        let int8 = refused(Backend { precision: Some(Precision::Int8), ..Backend::default() }).unwrap_err();
        assert!(int8.starts_with("`precision` int8 is for models of bert"));
    }
}
