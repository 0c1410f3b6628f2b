//! What ART writes when a thread waits for a lock: who has it, where that one is, where this one wants it.
//!
//! `monitor contention with owner db-writer (19) at void ShopDb.flush()(ShopDb.java:88) waiters=0 blocking from int
//! ShopDb.read()(ShopDb.java:31)`, and inside it `Lock contention on a monitor lock (owner tid: 11237)`. The number in
//! the first is ART's own and of no use outside the process; that in the second is the kernel's.

/// A wait for a lock of Java or Kotlin code (`synchronized`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contention<'a> {
    /// Name of the thread that has the lock.
    pub owner: &'a str,
    /// The method it is in, `Class.method`; none where ART did not know.
    pub holding: Option<&'a str>,
    /// The method that wants it.
    pub blocked: Option<&'a str>,
}

/// Reads the outer slice.
pub fn monitor(name: &str) -> Option<Contention<'_>> {
    let rest = name.strip_prefix("monitor contention with owner ")?;
    let (owner, rest) = rest.split_once(" (")?;
    let holding = rest.split_once(") at ").and_then(|(_, rest)| method(rest));
    let blocked = rest.split_once("blocking from ").and_then(|(_, rest)| method(rest));
    Some(Contention { owner, holding, blocked })
}

/// `int com.shop.ShopDb.read()(ShopDb.java:31)`: the name, without what it takes and gives.
fn method(text: &str) -> Option<&str> {
    let signature = text.split('(').next()?;
    signature.split(' ').nth(1).filter(|name| !name.is_empty())
}

/// The kernel's number of the thread that has the lock: `Lock contention on a monitor lock (owner tid: 11237)`.
pub fn owner_tid(name: &str) -> Option<i32> {
    let (_, rest) = name.split_once("(owner tid: ")?;
    rest.split(')').next()?.parse().ok().filter(|tid| *tid > 0)
}

/// Which lock it is: `Lock contention on thread list lock (owner tid: 7)`.
pub fn lock(name: &str) -> Option<&str> {
    name.strip_prefix("Lock contention on ")?.split(" (owner").next().map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_art_writes_is_read_and_what_looks_like_it_is_not() {
        let real = "monitor contention with owner binder:1858_20 (182) at int com.android.server.wm.ActivityStarter.\
                    execute()(ActivityStarter.java:692) waiters=0 blocking from void com.android.server.wm.\
                    RootWindowContainer$RankTaskLayersRunnable.run()(RootWindowContainer.java:3)";
        let told = monitor(real).expect("a contention");
        assert_eq!(told.owner, "binder:1858_20");
        assert_eq!(told.holding, Some("com.android.server.wm.ActivityStarter.execute"));
        assert_eq!(
            told.blocked,
            Some("com.android.server.wm.RootWindowContainer$RankTaskLayersRunnable.run")
        );
        let bare = monitor("monitor contention with owner main (1)").expect("a contention");
        assert_eq!((bare.owner, bare.holding, bare.blocked), ("main", None, None));
        assert_eq!(monitor("monitor contention"), None);
        let inner = "Lock contention on a monitor lock (owner tid: 11237)";
        assert_eq!((owner_tid(inner), lock(inner)), (Some(11_237), Some("a monitor lock")));
        assert_eq!(owner_tid("Lock contention on InternTable lock (owner tid: -1)"), None);
    }
}
