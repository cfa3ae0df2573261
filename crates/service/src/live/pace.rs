//! The pace at which messages are read.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// The length of a burst: as many messages may arrive at once as the rate allows in this time.
const BURST: Duration = Duration::from_secs(1);

/// The pace at which messages are read: a client that is faster waits.
#[derive(Debug)]
pub struct Pace {
    /// The time between two messages at the full rate.
    each: Duration,
    /// The time at which all messages so far would have been read at the full rate.
    until: Instant,
}

impl Pace {
    /// Makes a pace of `rate` messages per second.
    pub fn new(rate: u32) -> Self {
        Self { each: Duration::from_secs(1) / rate.max(1), until: Instant::now() }
    }

    /// Waits until the next message may be read.
    pub async fn wait(&mut self) {
        let now = Instant::now();
        self.until = self.until.max(now) + self.each;
        if let Some(until) = self.until.checked_sub(BURST)
            && until > now
        {
            sleep_until(until).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_burst_passes_and_the_rest_keeps_the_pace() {
        let (mut pace, begun) = (Pace::new(100), Instant::now());
        for _ in 0..100 {
            pace.wait().await;
        }
        assert!(begun.elapsed() < Duration::from_millis(500));
        // 20 more at 100 a second.
        for _ in 0..20 {
            pace.wait().await;
        }
        let all = begun.elapsed();
        assert!((Duration::from_millis(150)..Duration::from_secs(2)).contains(&all), "{all:?}");
    }
}
