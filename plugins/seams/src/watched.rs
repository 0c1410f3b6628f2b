//! A value that others wait on, woken in the order in which they began to wait.
//!
//! `tokio::sync::watch` spreads its waiters over random buckets: who is told first differs from run to run, and with it
//! the order of events. One seed must give one log, so whatever is waited for by several is held in here.

use std::cell::{Ref, RefCell};
use tokio::sync::Notify;

/// A value whose changes can be waited for. For one thread.
#[derive(Debug, Default)]
pub struct Watched<T> {
    value: RefCell<T>,
    changed: Notify,
}

impl<T> Watched<T> {
    /// Begins with this value.
    pub fn new(value: T) -> Self {
        Watched { value: RefCell::new(value), changed: Notify::new() }
    }

    /// The value now. Not to be held while anybody may change it.
    pub fn borrow(&self) -> Ref<'_, T> {
        self.value.borrow()
    }

    /// Changes the value and wakes whoever waits, first come first served.
    pub fn change(&self, change: impl FnOnce(&mut T)) {
        change(&mut self.value.borrow_mut());
        self.changed.notify_waiters();
    }

    /// Returns when the value is so; at once when it is so already. Cancel-safe.
    pub async fn until(&self, is_so: impl Fn(&T) -> bool) {
        loop {
            // Made before the look: a change between look and wait would be missed otherwise.
            let changed = self.changed.notified();
            if is_so(&self.value.borrow()) {
                return;
            }
            changed.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    /// The order in which twenty waiters are woken.
    fn order() -> Vec<usize> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        tokio::task::LocalSet::new().block_on(&runtime, async {
            let (watched, woken) = (Rc::new(Watched::new(0)), Rc::new(RefCell::new(Vec::new())));
            let tasks: Vec<_> = (0..20)
                .map(|number| {
                    let (watched, woken) = (watched.clone(), woken.clone());
                    tokio::task::spawn_local(async move {
                        watched.until(|value| *value > 1).await;
                        woken.borrow_mut().push(number);
                    })
                })
                .collect();
            for _ in 0..3 {
                tokio::task::yield_now().await;
                watched.change(|value| *value += 1);
            }
            for task in tasks {
                task.await.expect("no panic");
            }
            woken.borrow().clone()
        })
    }

    #[test]
    fn waiters_are_woken_in_the_order_they_came() {
        for _ in 0..5 {
            assert_eq!(order(), (0..20).collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_is_so_already_is_not_waited_for() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(Watched::new(7).until(|value| *value == 7));
    }
}
