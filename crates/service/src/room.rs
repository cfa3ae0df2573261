//! Room that all requests share, in memory or on disk.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The number of bytes that one permit stands for.
const UNIT: u64 = 1 << 10;

/// A number of bytes, of which each request reserves a part.
#[derive(Debug, Clone)]
pub struct Room {
    free: Arc<Semaphore>,
    /// The number of permits.
    units: usize,
}

/// The bytes that a request has reserved, which are released with the share.
#[derive(Debug)]
pub struct RoomShare {
    room: Room,
    held: Option<OwnedSemaphorePermit>,
}

impl Room {
    /// Creates a room of this many bytes.
    pub fn new(bytes: u64) -> Self {
        let units = usize::try_from(bytes / UNIT).unwrap_or(usize::MAX);
        let units = units.min(Semaphore::MAX_PERMITS);
        Self { free: Arc::new(Semaphore::new(units)), units }
    }

    /// Returns a share without reserved bytes.
    pub fn share(&self) -> RoomShare {
        RoomShare { room: self.clone(), held: None }
    }
}

impl RoomShare {
    /// Returns the number of bytes of the whole room.
    pub fn whole(&self) -> u64 {
        (self.room.units as u64).saturating_mul(UNIT)
    }

    /// Removes and returns the reserved bytes.
    pub fn take(&mut self) -> Self {
        Self { room: self.room.clone(), held: self.held.take() }
    }

    /// Lets the share grow to a number of bytes; returns false if there is no room for them.
    pub fn grow(&mut self, bytes: u64) -> bool {
        let held = self.held.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let more = bytes.div_ceil(UNIT).saturating_sub(held as u64);
        let Ok(more) = u32::try_from(more) else { return false };
        let Ok(permit) = Arc::clone(&self.room.free).try_acquire_many_owned(more) else { return false };
        match &mut self.held {
            Some(held) => held.merge(permit),
            held => *held = Some(permit),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_together_are_no_larger_than_the_room() {
        let room = Room::new(4 * UNIT);
        let (mut one, mut other) = (room.share(), room.share());
        assert!(one.grow(1) && one.grow(3 * UNIT) && other.grow(UNIT));
        assert!(!other.grow(UNIT + 1) && !one.grow(u64::MAX));
        assert!(one.grow(2 * UNIT), "a share does not shrink");
        drop(one);
        assert!(other.grow(4 * UNIT));
    }
}
