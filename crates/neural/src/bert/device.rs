//! The device that computes: the CPU, or an NVIDIA GPU in builds with the feature `cuda`.

use candle_core::utils::cuda_is_available;
use candle_core::{DType, Device, Result as Computed, cuda};

use super::weights::TensorMap;
use majuscule_base::error::{Error, Result, option};
use majuscule_methods::backend::{Backend, Device as Name, Precision};

/// Opens a device.
///
/// # Errors
/// Returns [`Error::Usage`] for a GPU that is missing or that this build cannot use.
pub fn open(name: Name) -> Result<Device> {
    match name {
        Name::Cpu => Ok(Device::Cpu),
        // Opening a GPU shows whether there is one.
        Name::Auto => Ok(gpu(0).unwrap_or(Device::Cpu)),
        Name::Cuda(_) if !cuda_is_available() => Err(Error::usage(format!(
            "{} {name}: this build computes on the CPU only: build majuscule with the feature cuda, or use cpu",
            option("device")
        ))),
        Name::Cuda(number) => gpu(number).map_err(|error| {
            Error::usage(format!(
                "{} {name}: there is no such GPU here ({}): use cpu",
                option("device"),
                first_line(&error)
            ))
        }),
    }
}

fn gpu(number: usize) -> Computed<Device> {
    Device::new_cuda(number)
}

/// Returns the device and the precision for a model.
///
/// # Errors
/// Returns [`Error::Usage`] if the device is missing or does not support the precision.
pub fn place(computing: &Backend) -> Result<(Device, Precision)> {
    let device = open(computing.device)?;
    let precision = computing.precision.unwrap_or(Precision::F32);
    check(device.is_cpu(), precision)?;
    Ok((device, precision))
}

fn check(is_cpu: bool, precision: Precision) -> Result<()> {
    let expected = match (is_cpu, precision) {
        (true, Precision::Bf16 | Precision::F16) => "the CPU computes in f32 or int8",
        (false, Precision::Int8) => "a GPU computes in f32, bf16 or f16",
        _ => return Ok(()),
    };
    Err(Error::usage(format!("{} {precision}: {expected}", option("precision"))))
}

/// Sets whether GPUs round the numbers in products of f32 tensors to TF32 (19 bits) from now on.
pub fn round_products(rounded: bool) {
    cuda::set_gemm_reduced_precision_f32(rounded);
}

/// Copies weights to a device, in this precision.
///
/// # Errors
/// Fails if there is not enough memory.
pub fn placed(weights: &TensorMap, device: &Device, precision: Precision) -> Computed<TensorMap> {
    let kind = match precision {
        // Weights are quantised by the code that computes with them.
        Precision::F32 | Precision::Int8 => DType::F32,
        Precision::Bf16 => DType::BF16,
        Precision::F16 => DType::F16,
    };
    let position = |(name, tensor): (&String, &candle_core::Tensor)| {
        Ok((name.clone(), tensor.to_device(device)?.to_dtype(kind)?))
    };
    weights.iter().map(position).collect()
}

/// Returns true if an error means that a device has too little memory.
pub fn is_full(error: &candle_core::Error) -> bool {
    let text = error.to_string().to_lowercase().replace('_', " ");
    ["out of memory", "outofmemory", "alloc failed"].iter().any(|sign| text.contains(sign))
}

/// Returns the first line of an error, which a backtrace may follow.
fn first_line(error: &candle_core::Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_computes_in_the_precisions_that_it_has() {
        for precision in [Precision::F32, Precision::Int8] {
            check(true, precision).unwrap();
        }
        for precision in [Precision::F32, Precision::Bf16, Precision::F16] {
            check(false, precision).unwrap();
        }
        let error = check(true, Precision::F16).unwrap_err().to_string();
        assert_eq!(error, "`precision` f16: the CPU computes in f32 or int8");
        let error = check(false, Precision::Int8).unwrap_err().to_string();
        assert_eq!(error, "`precision` int8: a GPU computes in f32, bf16 or f16");
    }

    #[test]
    fn a_gpu_that_is_not_there_is_an_error_and_auto_does_without() {
        // No machine has this many GPUs.
        let error = open(Name::Cuda(999)).unwrap_err().to_string();
        assert!(error.starts_with("`device` cuda:999: ") && error.ends_with("use cpu"), "{error}");
        assert!(open(Name::Cpu).unwrap().is_cpu());
        assert_eq!(open(Name::Auto).unwrap().is_cpu(), gpu(0).is_err());
    }

    #[test]
    fn want_of_memory_is_told_from_other_failures() {
        let error = |text: &str| candle_core::Error::Msg(text.to_owned());
        assert!(is_full(&error("DriverError(CUDA_ERROR_OUT_OF_MEMORY, \"out of memory\")")));
        assert!(is_full(&error("CUBLAS_STATUS_ALLOC_FAILED")));
        assert!(!is_full(&error("shape mismatch in matmul, lhs: [2, 3], rhs: [2, 3]")));
    }
}
