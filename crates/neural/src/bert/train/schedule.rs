//! The schedules of papers: the steps of a training as its paper states them.

use clap::ValueEnum;
use clap::builder::{ArgPredicate, OsStr};
use serde::Serialize;

use super::config::{BertConfig, OptimizerConfig};
use crate::shared::adam::Optimizer;

/// The schedules of papers. Settings that a paper leaves open keep their defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
pub enum Schedule {
    /// Rei et al. 2020: Adam at constant rates, without warm-up or clipping
    #[value(name = "rei-2020")]
    #[serde(rename = "rei-2020")]
    Rei2020,
    /// Courtland et al. 2020: RAdam in LookAhead, without warm-up or clipping
    #[value(name = "courtland-2020")]
    #[serde(rename = "courtland-2020")]
    Courtland2020,
}

impl Schedule {
    /// Returns the settings of a training, without an encoder.
    pub fn config(self) -> BertConfig {
        // Both papers freeze the encoder at first, and mention no other change of the steps.
        let constant = BertConfig {
            schedule: Some(self),
            frozen: 1,
            warm_up: 0,
            decay: false,
            clip: 0.0,
            ..BertConfig::default()
        };
        match self {
            // Section 5; the dropout of layers is in section 4.1.
            Self::Rei2020 => BertConfig {
                rate: 1e-5,
                head_rate: 3e-5,
                scalars_with_head: false,
                batch: 8,
                dropout: 0.1,
                layer_dropout: 0.1,
                optimizer: OptimizerConfig { name: Optimizer::Adam, sync_period: 0, slow_step_size: 0.5 },
                ..constant
            },
            // The paper does not state the settings of LookAhead: these are those of TensorFlow
            // Addons.
            Self::Courtland2020 => BertConfig {
                optimizer: OptimizerConfig { name: Optimizer::Radam, sync_period: 6, slow_step_size: 0.5 },
                ..constant
            },
        }
    }

    /// Returns the values of a setting under each schedule, as the defaults of an argument.
    pub(super) fn defaults<T: ToString>(of: fn(BertConfig) -> T) -> Vec<(&'static str, ArgPredicate, OsStr)> {
        let value = |schedule: &Self| of(schedule.config()).to_string().into();
        let name = |schedule: &Self| schedule.to_possible_value().map(|value| value.get_name().to_owned());
        let row =
            |schedule| Some(("schedule", ArgPredicate::Equals(name(schedule)?.into()), value(schedule)));
        Self::value_variants().iter().filter_map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::adapt::BertAdaptation;
    use super::*;

    #[derive(Debug, Parser)]
    struct Train {
        #[command(flatten)]
        config: BertConfig,
    }

    #[derive(Debug, Parser)]
    struct Adapt {
        #[command(flatten)]
        adaptation: BertAdaptation,
    }

    fn trained(line: &str) -> BertConfig {
        Train::try_parse_from(["train", "--encoder", "folder"].into_iter().chain(line.split_whitespace()))
            .unwrap()
            .config
    }

    fn adapted(line: &str) -> BertAdaptation {
        Adapt::try_parse_from(["adapt"].into_iter().chain(line.split_whitespace())).unwrap().adaptation
    }

    /// The settings of an adaptation, in which no epoch is frozen (Rei et al. 2020, section 5.2).
    fn adaptation(schedule: Schedule) -> BertAdaptation {
        let BertConfig { rate, head_rate, warm_up, batch, dropout, layer_dropout, clip, optimizer, .. } =
            schedule.config();
        BertAdaptation {
            schedule: Some(schedule),
            rate: Some(rate),
            head_rate: Some(head_rate),
            warm_up,
            batch: Some(batch),
            dropout,
            layer_dropout,
            clip,
            optimizer: Some(optimizer.name),
            sync_period: Some(optimizer.sync_period),
            slow_step_size: Some(optimizer.slow_step_size),
            ..BertAdaptation::default()
        }
    }

    #[test]
    fn a_named_schedule_gives_the_settings_of_its_paper() {
        for (name, schedule) in [("rei-2020", Schedule::Rei2020), ("courtland-2020", Schedule::Courtland2020)]
        {
            let expected = BertConfig { encoder: "folder".into(), ..schedule.config() };
            assert_eq!(trained(&format!("--schedule {name}")), expected);
            assert_eq!(adapted(&format!("--schedule={name}")), adaptation(schedule));
            assert_eq!(serde_json::to_value(&expected).unwrap()["schedule"], name);
        }
        let BertConfig { rate, head_rate, warm_up, clip, batch, frozen, .. } = trained("--schedule rei-2020");
        assert_eq!((rate, head_rate, warm_up, clip, batch, frozen), (1e-5, 3e-5, 0, 0.0, 8, 1));
        let optimizer = trained("--schedule courtland-2020").optimizer;
        assert_eq!((optimizer.name, optimizer.sync_period), (Optimizer::Radam, 6));
    }

    #[test]
    fn a_setting_that_is_given_wins_over_the_schedule() {
        let given =
            "--batch 16 --warm-up 7 --schedule courtland-2020 --sync-period 5 --optimizer adam --clip 1";
        let config = trained(given);
        let optimizer = OptimizerConfig { name: Optimizer::Adam, sync_period: 5, slow_step_size: 0.5 };
        assert_eq!((config.batch, config.warm_up, config.clip, config.optimizer), (16, 7, 1.0, optimizer));
        assert_eq!(config.frozen, Schedule::Courtland2020.config().frozen);
        let adaptation = adapted("--rate 0.5 --schedule rei-2020 --sync-period 3");
        assert_eq!((adaptation.rate, adaptation.sync_period), (Some(0.5), Some(3)));
        assert_eq!((adaptation.head_rate, adaptation.warm_up), (Some(3e-5), 0));
    }

    #[test]
    fn without_a_schedule_the_defaults_are_those_of_today() {
        assert_eq!(trained(""), BertConfig { encoder: "folder".into(), ..BertConfig::default() });
        assert_eq!(adapted(""), BertAdaptation::default());
        assert!(serde_json::to_value(trained("")).unwrap().get("schedule").is_none());
    }
}
