//! The options of restoring and of conversions as arguments: the library declares each once.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use majuscule_text::{Door, OptionKind, OptionValue, RestoreOptions, UserOption, UserSettings, WrongValue};

/// The options of settings on the command line.
#[derive(Debug, Clone, Default)]
pub struct UserOptionArgs<S = RestoreOptions> {
    /// The settings, with defaults for the options that are not given.
    pub options: S,
    /// Those that are given, with their values.
    given: Vec<(&'static str, OptionValue)>,
}

/// The value that a bare `--marks` has.
pub const BARE_MARKS: &str = "true";

impl<S> UserOptionArgs<S> {
    /// Returns true if an option is given.
    pub fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// Returns the value of an option; `None` if it is not given.
    pub fn value(&self, name: &str) -> Option<&OptionValue> {
        self.given.iter().find(|(given, _)| *given == name).map(|(_, value)| value)
    }
}

impl<S: UserSettings> Args for UserOptionArgs<S> {
    fn augment_args(command: Command) -> Command {
        command.args(UserOption::<S>::at(Door::Program).map(argument))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<S: UserSettings> FromArgMatches for UserOptionArgs<S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut args = Self::default();
        args.update_from_arg_matches(matches)?;
        Ok(args)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for wanted in UserOption::<S>::at(Door::Program) {
            let Some(value) = value(wanted, matches) else { continue };
            // The parsers have refused invalid values.
            (wanted.set)(&mut self.options, &value).map_err(|_| clap::Error::new(ErrorKind::InvalidValue))?;
            self.given.push((wanted.name, value));
        }
        Ok(())
    }
}

/// Returns an option as an argument. Names of fields have underscores, here as in derived arguments.
fn argument<S: UserSettings>(wanted: &'static UserOption<S>) -> Arg {
    let arg = Arg::new(wanted.field()).long(wanted.name).help(wanted.summary()).long_help(wanted.help);
    let arg = S::heading(wanted).into_iter().fold(arg, Arg::help_heading);
    let contrary = UserOption::<S>::named(Door::Program, &format!("no-{}", wanted.name));
    let arg = contrary.into_iter().fold(arg, |arg, contrary| arg.conflicts_with(contrary.field()));
    let name = wanted.field().to_uppercase();
    let read = |arg: Arg, value: &'static str| arg.value_name(value).value_parser(parser(wanted));
    let number = |value| read(arg.clone(), value).allow_negative_numbers(true);
    match wanted.kind {
        OptionKind::Flag => arg.action(ArgAction::SetTrue),
        OptionKind::Text(value) => read(arg, value),
        OptionKind::Count(_) => number("N"),
        OptionKind::Probability => number("P"),
        OptionKind::Number(value) => number(value),
        OptionKind::Seconds => number("SECONDS"),
        OptionKind::Choice(names, default) => {
            let arg = arg.value_name(name).value_parser(one_of(names()));
            if let Some(default) = default { arg.default_value(default) } else { arg }
        }
        OptionKind::Choices(names) => arg
            .value_name("RULES")
            .value_parser(one_of(names()))
            .value_delimiter(',')
            .action(ArgAction::Append),
        OptionKind::Marks => {
            read(arg, "MARKS").num_args(0..=1).require_equals(true).default_missing_value(BARE_MARKS)
        }
    }
}

/// Returns the value on the command line; `None` for a default.
fn value<S>(wanted: &UserOption<S>, matches: &ArgMatches) -> Option<OptionValue> {
    let id = wanted.field();
    if matches.value_source(&id) != Some(clap::parser::ValueSource::CommandLine) {
        return None;
    }
    match wanted.kind {
        OptionKind::Flag => Some(OptionValue::Flag(matches.get_flag(&id))),
        OptionKind::Choices(_) => {
            let texts = matches.get_many::<OptionValue>(&id)?.filter_map(|value| match value {
                OptionValue::Text(text) => Some(text.clone()),
                _ => None,
            });
            Some(OptionValue::Texts(texts.collect()))
        }
        _ => matches.get_one::<OptionValue>(&id).cloned(),
    }
}

fn one_of(names: Vec<(&'static str, &'static str)>) -> ValueParser {
    let values = names.into_iter().map(|(name, help)| PossibleValue::new(name).help(help));
    ValueParser::new(PossibleValuesParser::new(values).map(OptionValue::Text))
}

fn parser<S: UserSettings>(wanted: &'static UserOption<S>) -> ValueParser {
    ValueParser::new(move |text: &str| {
        let value = wanted.read(text);
        match (wanted.set)(&mut S::default(), &value) {
            Ok(()) => Ok(value),
            Err(WrongValue::Unexpected) => Err(format!("expected {}", wanted.expected())),
            Err(WrongValue::Text(error)) => Err(error.worded(|name| format!("--{name}"))),
        }
    })
}
