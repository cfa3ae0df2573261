//! The methods whose models this program loads.

use majuscule::methods::Methods;

/// The classical ones, and those of the packages that this build has.
pub fn methods() -> Methods {
    let methods = Methods::default();
    #[cfg(feature = "learning")]
    let methods = methods.with(majuscule_fst::ngram::METHOD);
    #[cfg(not(feature = "learning"))]
    let methods =
        methods.without("ngram", "this build has no transducers: build majuscule with the feature learning");
    #[cfg(feature = "neural")]
    let methods = methods.with(majuscule_neural::bert::METHOD).with(majuscule_neural::bilstm::METHOD);
    #[cfg(not(feature = "neural"))]
    let methods = NEURAL.into_iter().fold(methods, |methods, method| {
        methods.without(
            method,
            "this build computes no neural networks: build majuscule with the feature neural",
        )
    });
    methods
}

/// The methods that a build without the feature `neural` leaves out.
#[cfg(not(feature = "neural"))]
const NEURAL: [&str; 2] = ["bert", "bilstm"];

/// The advice how to get a method that this build leaves out.
pub fn advice(method: &str) -> Option<String> {
    #[cfg(not(feature = "neural"))]
    if NEURAL.contains(&method) {
        return Some(format!(
            "{method} is a method of builds with --features neural: cargo install --path crates/cli --features neural, or here \
             cargo run --release --features neural -- train {method} …"
        ));
    }
    let _ = method;
    None
}
