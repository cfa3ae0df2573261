//! The schedules of papers: the settings of a training as the paper states them.

use serde::Serialize;

use super::config::{BertTraining, OptimizerConfig};
use crate::shared::adam::Optimizer;
use crate::shared::options::NetworkTraining;

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
    /// Returns the settings of a training under the schedule. Both papers freeze the encoder at first, and mention no
    /// warm-up or clipping.
    pub fn applied(self, defaults: BertTraining) -> BertTraining {
        let optimizer = match self {
            // Section 5; the dropout of layers is in section 4.1.
            Self::Rei2020 => OptimizerConfig::ADAM,
            // The paper does not state the settings of LookAhead: these are the settings of TensorFlow
            // Addons.
            Self::Courtland2020 => {
                OptimizerConfig { name: Optimizer::Radam, sync_period: 6, slow_step_size: 0.5 }
            }
        };
        BertTraining {
            schedule: Some(self),
            shared: NetworkTraining { rate: 1e-5, warm_up: 0, dropout: 0.1, clip: 0.0, ..defaults.shared },
            head_rate: 3e-5,
            batch: 8,
            batch_subwords: None,
            layer_dropout: 0.1,
            optimizer,
            ..defaults
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::config::BertTrainingOptions;
    use super::*;

    #[derive(Debug, Parser)]
    struct Train {
        #[command(flatten)]
        options: BertTrainingOptions,
    }

    fn decided(line: &str) -> BertTraining {
        let line = ["train"].into_iter().chain(line.split_whitespace());
        Train::try_parse_from(line).unwrap().options.or(BertTraining::NEW)
    }

    #[test]
    fn a_named_schedule_gives_the_settings_of_its_paper() {
        for (name, schedule) in [("rei-2020", Schedule::Rei2020), ("courtland-2020", Schedule::Courtland2020)]
        {
            let expected = schedule.applied(BertTraining::NEW);
            assert_eq!(decided(&format!("--schedule {name}")), expected);
            assert_eq!(serde_json::to_value(expected).unwrap()["schedule"], name);
        }
        let BertTraining { shared, head_rate, batch, frozen, .. } = decided("--schedule rei-2020");
        assert_eq!(
            (shared.rate, head_rate, shared.warm_up, shared.clip, batch, frozen),
            (1e-5, 3e-5, 0, 0.0, 8, 1)
        );
        let optimizer = decided("--schedule courtland-2020").optimizer;
        assert_eq!((optimizer.name, optimizer.sync_period), (Optimizer::Radam, 6));
    }

    #[test]
    fn a_setting_that_is_given_wins_over_the_schedule() {
        let found = decided(
            "--batch 16 --warm-up 7 --schedule courtland-2020 --sync-period 5 --optimizer adam --clip 1",
        );
        let optimizer = OptimizerConfig { sync_period: 5, ..OptimizerConfig::ADAM };
        assert_eq!(
            (found.batch, found.shared.warm_up, found.shared.clip, found.optimizer),
            (16, 7, 1.0, optimizer)
        );
        assert_eq!(found.shared.rate, 1e-5);
    }

    #[test]
    fn without_a_schedule_the_defaults_hold() {
        assert_eq!(decided(""), BertTraining::NEW);
        assert!(serde_json::to_value(decided("")).unwrap().get("schedule").is_none());
    }
}
