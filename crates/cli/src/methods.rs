//! The methods whose models this program loads.

use std::env;
use std::path::PathBuf;
use std::sync::OnceLock;

use majuscule_methods::model::ModelDirs;
use majuscule_restore::models::Methods;

/// The folder that counts as the program's folder, if the program's file is in another folder.
static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// Makes a folder count as the program's folder, which contains the models that are not built in. The first
/// call in a process decides.
pub fn look_in(folder: PathBuf) {
    let _ = FOLDER.set(folder);
}

/// Returns the methods of the library, and the methods of the optional packages in this build.
pub fn methods() -> Methods {
    methods_in(Vec::new())
}

/// Like [`methods`], and looks for models in these folders, too.
pub fn methods_in(given: Vec<PathBuf>) -> Methods {
    let mut dirs = ModelDirs::of_program(|name| env::var_os(name), env::current_exe().ok().as_deref());
    dirs.given = given;
    if let Some(folder) = FOLDER.get() {
        dirs.program = Some(folder.clone());
    }
    let methods = Methods::all().looking_in(dirs);
    // This `bert` also computes with tensors, which training requires.
    #[cfg(feature = "neural")]
    let methods = methods.with(majuscule_neural::bert::METHOD);
    #[cfg(feature = "learning")]
    let methods = methods.with(majuscule_fst::ngram::METHOD);
    #[cfg(not(feature = "learning"))]
    let methods =
        methods.without("ngram", "this build has no transducers: build majuscule with the feature learning");
    #[cfg(feature = "neural")]
    let methods = methods.with(majuscule_neural::bilstm::METHOD);
    #[cfg(not(feature = "neural"))]
    let methods = methods.without(
        "bilstm",
        "this build runs only the neural methods bert and cnn-bilstm: build majuscule with the feature neural",
    );
    methods
}

/// Returns the advice on how to train a method that this build can only run, or does not have.
pub fn advice(method: &str) -> Option<String> {
    let is_neural = ["bert", "bilstm", "cnn-bilstm"].contains(&method);
    (is_neural && cfg!(not(feature = "neural"))).then(|| {
        format!(
            "{method} needs a build with --features neural: cargo install --path crates/cli --features neural, or here \
             cargo run --release --features neural -- train {method} …"
        )
    })
}
