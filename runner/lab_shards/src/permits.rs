//! How many threads work at once. More shards are open than the computer has cores; each works for a while before
//! another has its turn, because shards that take turns every few milliseconds find their caches full of each other.
//!
//! Decides how long a simulated run takes, never what comes out.

use std::cell::RefCell;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Permits to work, handed from thread to thread.
#[derive(Clone)]
pub struct Permits(Arc<(Mutex<usize>, Condvar)>);

impl Permits {
    /// So many at once; at least one.
    pub fn new(at_once: usize) -> Self {
        Permits(Arc::new((Mutex::new(at_once.max(1)), Condvar::new())))
    }

    /// Waits for a permit.
    fn take(&self) -> Permit {
        let (free, returned) = &*self.0;
        let free = free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = returned.wait_while(free, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        Permit(self.clone())
    }
}

/// The right to work; given back when dropped, so that a thread that panics gives it back as well.
struct Permit(Permits);

impl Drop for Permit {
    fn drop(&mut self) {
        let (free, returned) = &*self.0.0;
        *free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        returned.notify_one();
    }
}

/// A thread that holds a permit except while it waits.
pub struct Worker {
    permits: Permits,
    held: RefCell<Option<Permit>>,
}

impl Worker {
    /// Waits for its first permit.
    pub fn new(permits: Permits) -> Self {
        let held = RefCell::new(Some(permits.take()));
        Worker { permits, held }
    }

    /// Does what may have to wait for another thread, and lets another work meanwhile.
    pub fn waiting<T>(&self, wait: impl FnOnce() -> T) -> T {
        drop(self.held.take());
        let waited = wait();
        self.held.replace(Some(self.permits.take()));
        waited
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_lets_another_work() {
        let permits = Permits::new(1);
        let first = Worker::new(permits.clone());
        // With one permit a second worker exists only while the first waits.
        let second = first.waiting(|| {
            let second = Worker::new(permits.clone());
            second.waiting(|| ());
            drop(second);
            7
        });
        assert_eq!(second, 7);
        assert!(first.held.borrow().is_some());
        drop(first);
        assert_eq!(*permits.0.0.lock().expect("free"), 1);
    }
}
