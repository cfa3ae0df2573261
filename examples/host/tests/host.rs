//! The properties that a host relies on.

#[path = "../../../tests/program/toy_network.rs"]
mod toy_network;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;

use majuscule::{
    Boundary, ByteSize, Choice, Error, FileRequest, Input, Labels, Limits, Locale, Method, Methods, Model,
    ModelPool, Preset, Request, RestoreOptions, Restorer, Session, Tokens,
};
use majuscule_host::{Speaker, restored};
use majuscule_train::corpus::{Corpus, Protocol, Reading};
use majuscule_train::methods::{hmm::HmmConfig, train};

/// A method that panics at the word `panic` and changes nothing else.
struct Broken(Labels);

impl Restorer for Broken {
    fn labels(&self) -> &Labels {
        &self.0
    }

    fn look_ahead(&self) -> Option<usize> {
        Some(0)
    }

    fn session(&self, _: Request) -> Box<dyn Session + '_> {
        Box::new(BrokenSession)
    }
}

struct BrokenSession;

impl Session for BrokenSession {
    fn push(&mut self, tokens: &Tokens, _: Boundary, out: &mut Vec<Choice>) -> Result<(), Error> {
        for (lower, _) in tokens.iter() {
            assert_ne!(lower, "panic");
            out.push(Choice::default());
        }
        Ok(())
    }
}

/// Returns a model of the broken method.
fn broken() -> Model {
    let manifest = Model::embedded("en").unwrap().manifest;
    Model { manifest, restorer: Arc::new(Broken(Labels::cases())) }
}

#[test]
fn a_stream_lives_in_a_struct_and_moves_to_another_thread() {
    let speaker = {
        let model = Model::embedded("en").unwrap();
        Speaker::new("Ana", &model).unwrap()
    };
    let said = thread::spawn(move || {
        let mut speaker = speaker;
        assert_eq!(speaker.hear("we met angela mer").unwrap(), "We met ");
        speaker.hear("kel in lisbon").unwrap();
        speaker.end().unwrap()
    });
    assert_eq!(said.join().unwrap(), "We met Angela Merkel in Lisbon");
}

#[test]
fn a_thousand_texts_are_restored_on_two_threads() {
    let restorer = Model::embedded_as("en", Preset::Fast).unwrap().with(RestoreOptions::default());
    let texts: Vec<String> = (0..1000).map(|n| format!("we met {n} people in lisbon")).collect();
    let all = restored(&restorer, &texts);
    assert!(all.iter().enumerate().all(|(n, text)| *text == format!("We met {n} people in Lisbon")));
}

#[test]
fn a_panic_of_a_method_is_an_error_of_one_call() {
    let model = broken();
    let mut speaker = Speaker::new("Rui", &model).unwrap();
    speaker.hear("do not ").unwrap();
    assert!(matches!(speaker.hear("panic now "), Err(Error::Bug(_))));
    let restorer = model.with(RestoreOptions::default());
    let two = NonZeroUsize::new(2).unwrap();
    let all = restorer.restore_all(&["one", "panic", "two"], two);
    assert!(all[0].is_ok() && matches!(all[1], Err(Error::Bug(_))) && all[2].is_ok());
}

#[test]
fn models_are_loaded_from_bytes() {
    let accurate = include_bytes!("../../../lm/en.accurate");
    let text = "we met angela merkel in lisbon";
    let model = Model::from_bytes(&accurate[..]).unwrap();
    assert_eq!(model.restore(text).unwrap(), "We met Angela Merkel in Lisbon");
    // A network, as the preset `best` is one.
    let network = Model::from_bytes(toy_network::in_bytes().pack()).unwrap();
    assert_eq!(network.manifest.method, "bert");
    assert_eq!(network.restore(text).unwrap().to_lowercase(), text);
    // A language model, as the preset `ngram` is one.
    let cased = "We met Ana in Lisbon.\nThey saw Ana here.\n".repeat(20);
    let corpus = Corpus::of_text(&cased, Reading::default(), Protocol::Text, Locale::Root);
    let draft = train(&HmmConfig::default(), &corpus, Vec::new(), NonZeroUsize::MIN, &mut |_| {}).unwrap();
    let ngram = Model::from_bytes(Arc::<[u8]>::from(draft.pack())).unwrap();
    assert_eq!(ngram.manifest.method, "hmm");
    assert_eq!(ngram.restore("we met ana in lisbon.").unwrap(), "We met Ana in Lisbon.");
}

#[test]
fn two_pools_of_one_process_have_their_own_methods_and_limits() {
    const BROKEN: Method =
        Method { name: "maxent", has_backends: false, load: |_, _| Ok(Arc::new(Broken(Labels::cases()))) };
    let pools = [ModelPool::new(Methods::all()), ModelPool::new(Methods::all().with(BROKEN))];
    let document = format!("{{\"text\": \"{}\"}}", "we met in lisbon ".repeat(70_000));
    let restore = |pool: &ModelPool, most| {
        let options = RestoreOptions::default().limits(Limits::new(ByteSize(most)));
        let request = FileRequest::default().preset(Preset::Fast).options(options);
        let mut out = Vec::new();
        let input = Input::of_text("talk.json", document.as_bytes());
        pool.restore_file(input, &request, &mut out)
            .map(|_| String::from_utf8(out).unwrap().contains("Lisbon"))
    };
    assert!(restore(&pools[0], 2 << 20).unwrap());
    assert!(!restore(&pools[1], 2 << 20).unwrap());
    for pool in &pools {
        let refused = restore(pool, 1 << 20).unwrap_err().to_string();
        assert!(refused.contains("is larger than 1M"), "{refused}");
    }
}
