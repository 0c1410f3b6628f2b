//! Calls between processes: which message was answered by which, told from the numbers the kernel gives them.

use farmjank_causes::fact::{Call, Fact, Thread};
use std::collections::{BTreeMap, VecDeque};

/// Messages on their way, at most: some never arrive.
const UNDERWAY: usize = 1 << 14;
/// Threads that ever called, at most, before calls are forgotten.
const THREADS: usize = 1 << 14;
/// Calls inside calls of one thread, at most.
const DEEPEST: usize = 64;

/// A message on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// A call: somebody waits.
    Call(Thread),
    /// The answer of a call.
    Reply,
    /// Nobody waits.
    Message(Thread, i64),
}

/// Calls underway.
#[derive(Default)]
pub struct Binder {
    sent: BTreeMap<i32, Sent>,
    /// In the order they were sent, so that the oldest can be forgotten.
    order: VecDeque<i32>,
    /// Calls of each thread that are not answered, and calls each is answering: the client.
    calls: BTreeMap<Thread, Vec<Call>>,
    serving: BTreeMap<Thread, Vec<Thread>>,
}

impl Binder {
    /// A message was sent.
    pub fn sent(&mut self, at: i64, thread: Thread, id: i32, reply: bool, oneway: bool) {
        let sent = match (reply, oneway) {
            (true, _) => {
                self.answered(at, thread);
                Sent::Reply
            }
            (_, true) => Sent::Message(thread, at),
            _ => {
                // Nobody has so many: what is open then is forgotten, and never seen to end.
                if self.calls.len() > THREADS {
                    self.calls.clear();
                    self.serving.clear();
                }
                let calls = self.calls.entry(thread).or_default();
                if calls.len() < DEEPEST {
                    calls.push(Call { client: thread, from: at, to: None, served: None });
                }
                Sent::Call(thread)
            }
        };
        if self.sent.insert(id, sent).is_none() {
            self.order.push_back(id);
        }
        while self.order.len() > UNDERWAY {
            if let Some(oldest) = self.order.pop_front() {
                self.sent.remove(&oldest);
            }
        }
    }

    fn answered(&mut self, at: i64, server: Thread) {
        let client = self.serving.get_mut(&server).and_then(Vec::pop);
        let calls = client.and_then(|client| self.calls.get_mut(&client));
        let of_server =
            |call: &&mut Call| call.served.is_some_and(|(thread, _, to)| thread == server && to.is_none());
        if let Some(call) = calls.and_then(|calls| calls.iter_mut().rev().find(of_server)) {
            call.served = call.served.map(|(thread, from, _)| (thread, from, Some(at)));
        }
    }

    /// A message arrived; gives what it is, where it was seen to be sent.
    pub fn received(
        &mut self,
        at: i64,
        thread: Thread,
        id: i32,
        each: &mut impl FnMut(Fact<'_>),
    ) -> Option<Sent> {
        let sent = self.sent.remove(&id)?;
        match sent {
            Sent::Call(client) => {
                let calls = self.calls.get_mut(&client);
                let call = calls.and_then(|calls| calls.iter_mut().rev().find(|call| call.served.is_none()));
                if let Some(call) = call {
                    call.served = Some((thread, at, None));
                    let serving = self.serving.entry(thread).or_default();
                    if serving.len() < DEEPEST {
                        serving.push(client);
                    }
                }
            }
            Sent::Reply => {
                if let Some(call) = self.calls.get_mut(&thread).and_then(Vec::pop) {
                    each(Fact::Call(Call { to: Some(at), ..call }));
                }
            }
            Sent::Message(sender, when) => each(Fact::Message { sent: (sender, when), taken: (thread, at) }),
        }
        if self.order.len() > 2 * self.sent.len() + 64 {
            self.order.retain(|id| self.sent.contains_key(id));
        }
        Some(sent)
    }

    /// Calls nobody answered yet.
    pub fn all_open(&self, each: &mut impl FnMut(Fact<'_>)) {
        self.calls.values().flatten().for_each(|call| each(Fact::Call(*call)));
    }
}
