//! The vector instructions of this CPU, detected at run time, and code compiled for them.
#![allow(unsafe_code)] // Calling code compiled for instructions that only some CPUs have, after looking whether this one has them.

/// The instructions with which a CPU multiplies matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstructionSet {
    /// No special instructions.
    Plain,
    /// AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX2, FMA and AVX-VNNI: dot products of bytes.
    #[cfg(target_arch = "x86_64")]
    AvxVnni,
    /// AVX-512.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// AVX-512 with dot products of bytes.
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
    /// AVX-512 with tiles: products of matrices of bytes (AMX).
    #[cfg(target_arch = "x86_64")]
    Amx,
    /// The vectors that every 64-bit ARM CPU has.
    #[cfg(target_arch = "aarch64")]
    Neon,
    /// The vectors of `Neon`, with dot products of bytes.
    #[cfg(target_arch = "aarch64")]
    NeonDot,
    /// The 128-bit vectors of WebAssembly, if the module was compiled for them.
    #[cfg(target_feature = "simd128")]
    Simd128,
}

impl InstructionSet {
    /// Returns the sets that this CPU supports, the best last.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        [
            Self::Plain,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2,
            #[cfg(target_arch = "x86_64")]
            Self::AvxVnni,
            #[cfg(target_arch = "x86_64")]
            Self::Avx512,
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Vnni,
            #[cfg(target_arch = "x86_64")]
            Self::Amx,
            #[cfg(target_arch = "aarch64")]
            Self::Neon,
            #[cfg(target_arch = "aarch64")]
            Self::NeonDot,
            #[cfg(target_feature = "simd128")]
            Self::Simd128,
        ]
        .into_iter()
        .filter(|instructions| instructions.is_this())
    }

    /// Returns true if this CPU supports the set.
    fn is_this(self) -> bool {
        match self {
            Self::Plain => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(target_arch = "x86_64")]
            Self::AvxVnni => Self::Avx2.is_this() && is_x86_feature_detected!("avxvnni"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                Self::Avx2.is_this()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Vnni => Self::Avx512.is_this() && is_x86_feature_detected!("avx512vnni"),
            #[cfg(target_arch = "x86_64")]
            Self::Amx => Self::Avx512.is_this() && amx::is_there(),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => std::arch::is_aarch64_feature_detected!("neon"),
            #[cfg(target_arch = "aarch64")]
            Self::NeonDot => Self::Neon.is_this() && std::arch::is_aarch64_feature_detected!("dotprod"),
            #[cfg(target_feature = "simd128")]
            Self::Simd128 => true,
        }
    }

    /// Returns the best set that this CPU supports.
    pub fn best() -> Self {
        Self::all().next_back().unwrap_or(Self::Plain)
    }

    /// Runs code without explicit vector instructions, compiled for this instruction set; the
    /// result is the same for all sets. Only code that is inlined into `work` is compiled so.
    pub fn run<R>(self, work: impl FnOnce() -> R) -> R {
        match self {
            // SAFETY: a set is chosen only if `all` found its instructions.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 | Self::AvxVnni => unsafe { avx2(work) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 | Self::Avx512Vnni | Self::Amx => unsafe { avx512(work) },
            // All code for other targets uses their vectors.
            _ => work(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2<R>(work: impl FnOnce() -> R) -> R {
    work()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma")]
fn avx512<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// Tiles, which a process has to request from the system.
#[cfg(target_arch = "x86_64")]
mod amx {
    use std::sync::OnceLock;

    /// Returns true if there are tiles and this process may use them.
    pub fn is_there() -> bool {
        static THERE: OnceLock<bool> = OnceLock::new();
        *THERE.get_or_init(|| cfg!(target_os = "linux") && cpu_has() && system_lends())
    }

    /// Returns true if the CPU has tiles of bytes.
    fn cpu_has() -> bool {
        use std::arch::x86_64::{__cpuid, __cpuid_count};
        const TILES: u32 = 1 << 24;
        const BYTES: u32 = 1 << 25;
        __cpuid(0).eax >= 7 && __cpuid_count(7, 0).edx & (TILES | BYTES) == TILES | BYTES
    }

    /// Returns true if Linux permits this process to use tiles, whose state it saves only for
    /// processes that ask. The answer holds for all threads.
    fn system_lends() -> bool {
        const ARCH_PRCTL: isize = 158;
        const REQUEST_PERMISSION: usize = 0x1023;
        const TILE_DATA: usize = 18;
        let mut answer = ARCH_PRCTL;
        // SAFETY: this system call takes two numbers and touches no memory of the process; a kernel
        // that does not know it returns an error.
        #[cfg(target_os = "linux")]
        unsafe {
            std::arch::asm!(
                "syscall",
                inlateout("rax") answer,
                in("rdi") REQUEST_PERMISSION,
                in("rsi") TILE_DATA,
                out("rcx") _,
                out("r11") _,
                options(nostack),
            );
        }
        answer == 0
    }
}
