//! The device and the numeric precision with which a neural model runs.

use std::fmt;
use std::str::FromStr;

use majuscule_base::error::{Error, Result, option};

/// The device and the numeric precision with which a neural model runs. Models of the other methods
/// run on the CPU, in the number format in which they are saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Backend {
    /// Device that computes a model of bert: auto, cpu or cuda:N. auto is the first GPU if there is
    /// one and this build supports it
    pub device: Device,
    /// Precision of a model of bert or cnn-bilstm: f32, or int8 on the CPU, which is faster, or, of
    /// bert, bf16 or f16 on a GPU; f32 by default
    pub precision: Option<Precision>,
}

impl Backend {
    /// Refuses options that only other methods support.
    ///
    /// # Errors
    /// [`Error::Usage`] if a GPU or a precision is requested.
    pub fn refuse(&self, method: &str) -> Result<()> {
        let problem = match (self.device, self.precision) {
            (Device::Cuda(_), _) => format!("{} {} is for models of bert", option("device"), self.device),
            (_, Some(precision)) => format!("{} {precision} is for networks", option("precision")),
            _ => return Ok(()),
        };
        Err(Error::usage(format!("{problem}, and this model is of {method}: leave it out")))
    }
}

/// A device on which a model runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Device {
    /// The best available device.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// The NVIDIA GPU with this index, counted from 0.
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
        let unknown = || Error::usage(format!("no device \"{name}\": expected auto, cpu or cuda:N"));
        number.map(Self::Cuda).ok_or_else(unknown)
    }
}

/// The number format in which a model computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// 32-bit floating point.
    F32,
    /// 16-bit floating point with 8 bits of exponent, on a GPU.
    Bf16,
    /// 16-bit floating point with 5 bits of exponent, on a GPU.
    F16,
    /// 8-bit integer products, on the CPU.
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
        found.ok_or_else(|| Error::usage(format!("no precision \"{name}\": expected f32, bf16, f16 or int8")))
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
        assert_eq!(gpu, "`device` cuda:0 is for models of bert, and this model is of maxent: leave it out");
        let int8 = refused(Backend { precision: Some(Precision::Int8), ..Backend::default() }).unwrap_err();
        assert!(int8.starts_with("`precision` int8 is for networks"));
    }
}
