//! A method for tests: every word gets a capital, `panic` panics and `slow` takes a while.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use majuscule::{
    Boundary, Case, Choice, Label, Labels, Mark, Methods, Request, Restorer, Result, Session, Tokens,
};
use majuscule_methods::Method;
use majuscule_text::Class;

/// The time that the word `slow` takes.
pub const SLOW: Duration = Duration::from_millis(100);

struct Trial(Labels);

struct TrialSession;

impl Restorer for Trial {
    fn labels(&self) -> &Labels {
        &self.0
    }

    fn look_ahead(&self) -> Option<usize> {
        Some(0)
    }

    fn session(&self, _: Request) -> Box<dyn Session + '_> {
        Box::new(TrialSession)
    }
}

impl Session for TrialSession {
    fn push(&mut self, tokens: &Tokens, _: Boundary, out: &mut Vec<Choice>) -> Result<()> {
        for (lower, _) in tokens.iter() {
            assert_ne!(lower, "panic", "no such word");
            if lower == "slow" {
                thread::sleep(SLOW);
            }
            out.push(Choice::from(Label { case: Case::Title, mark: Mark::None }));
        }
        Ok(())
    }
}

/// The methods of the library, with the built-in models replaced by the trial method.
pub fn methods() -> Methods {
    let trial = |name| Method {
        name,
        has_backends: false,
        load: |_, _| {
            let labels = Labels::new(Class::ALL.into_iter().map(|class| (class, Mark::None)));
            Ok(Arc::new(Trial(labels)) as Arc<dyn Restorer>)
        },
    };
    Methods::all().with(trial("maxent")).with(trial("cnn-bilstm"))
}
