//! Hosts that say what happens, hosts that are taken over from and do not know it, one that gathers, and a store
//! between them that is slow, deaf, wiped and set back, by seed.
//!
//! Whatever happened: once the trouble ends, the run ends; every reader reads one order; a line's facts stand in it
//! once, in the order in which its attempts said them, and none of who was taken over from after that.

#![allow(clippy::disallowed_methods, reason = "how many seeds is said in the environment")]

use farmjank_farm::frames::{Entry, Frame};
use farmjank_farm::gathering::{self, Gathering};
use farmjank_farm::head::Head;
use farmjank_farm::journal::Journal;
use farmjank_farm::lease::Terms;
use farmjank_farm::model::{Client, Model, Seeded, Weather};
use farmjank_farm::order::{Order, Policy};
use farmjank_farm::sending::{self, Sender};
use farmjank_farm::spill::{Aside, InMemory};
use farmjank_farm::spool::{Item, Spool};
use farmjank_results::time::{RunTime, Span};
use farmjank_seams::exchange::{Exchange, Place};
use futures::FutureExt;
use std::rc::Rc;
use std::time::Duration;

const TERM: Span = Span::from_ms(45_000);

/// Memory holds all of some seeds, and nearly nothing of others.
fn aside(seed: u64) -> Option<Aside> {
    let block = [None, Some(60), None, Some(300), None, Some(1), None, Some(300)][(seed % 8) as usize];
    block.map(|block| Aside::new(Rc::new(InMemory::default()), block))
}

fn all<T: Item>(kept: &Spool<T>) -> Vec<T> {
    let mut all = Vec::new();
    let each = |one: &T| {
        all.push(one.clone());
        Ok(())
    };
    kept.visit(each).expect("what was put aside is read back");
    all
}

/// Who says what happens on one line: an attempt on one host.
struct Host {
    client: Client,
    sender: Sender,
    journal: Journal,
    /// Who was taken over from may go on for a while.
    zombie: bool,
}

struct World {
    seed: u64,
    seeded: Seeded,
    model: Model,
    now: u64,
    policy: Policy,
    lines: Vec<String>,
    hosts: Vec<Vec<Host>>,
    gathering: Gathering,
    client: Client,
    /// Who only reads along.
    reader: Option<Gathering>,
    reads: Client,
    long: u64,
    stirs: bool,
    reopened: u32,
    /// How often somebody else took the run up.
    handed: u32,
    /// Steps of who gathers since the trouble ended.
    looked: u32,
}

impl World {
    fn new(seed: u64) -> World {
        let mut seeded = Seeded::new(seed);
        let model = Model::new(TERM, Span::from_ms(30_000), usize::MAX);
        let policy = if seeded.often(500) { Policy::Time } else { Policy::Arrival };
        let lines: Vec<String> = (0..1 + seeded.below(4)).map(|n| format!("rack-{n}")).collect();
        let names: Vec<&str> = lines.iter().map(String::as_str).collect();
        let of = ("run", "", seeded.often(500));
        let order = Order::new(policy, aside(seed));
        let gathering = Gathering::new(of, "conductor", order, Terms::FARM, &names);
        let client = model.connect(Weather::rough(seed ^ 1));
        let reads = model.connect(Weather::rough(seed ^ 2));
        let long = 1 + seeded.below(40);
        let hosts = lines.iter().map(|_| Vec::new()).collect();
        let mut world = World {
            seed,
            seeded,
            model,
            now: 0,
            policy,
            lines,
            hosts,
            gathering,
            client,
            reader: None,
            reads,
            long,
            stirs: true,
            reopened: 0,
            handed: 0,
            looked: 0,
        };
        (0..world.lines.len()).for_each(|line| world.take_over(line));
        world
    }

    /// The next attempt on a line, on another host; who was there before does not know.
    fn take_over(&mut self, line: usize) {
        let attempt = self.hosts[line].len() as u32 + 1;
        let client = self.model.connect(if self.stirs {
            Weather::rough(self.seed ^ u64::from(attempt) << 8 ^ line as u64)
        } else {
            Weather::calm()
        });
        let sender = Sender::new("run", &self.lines[line]);
        let journal = match self.policy {
            Policy::Time => Journal::anew(attempt, aside(self.seed)),
            Policy::Arrival => Journal::goes_on(attempt, aside(self.seed)),
        };
        self.hosts[line].iter_mut().for_each(|host| host.zombie = true);
        self.hosts[line].push(Host { client, sender, journal, zombie: false });
    }

    /// What happens next on a line. A simulated one is the same in every attempt.
    fn happens(&mut self, line: usize, host: usize) {
        let (policy, now, long) = (self.policy, self.now, self.long);
        let name = self.lines[line].clone();
        let one = &mut self.hosts[line][host];
        let said = one.journal.said().len() as u64;
        match policy {
            Policy::Time if said < long => {
                let at = RunTime::from_ns((said * said * 7 % 50 + said * 50) as i64);
                one.journal.say(Entry { at, fact: format!("{name} says {said}") });
            }
            // Who goes on where others came to says nothing before it is sure of where that is.
            Policy::Arrival if said < long && one.journal.has_begun() => {
                let (at, attempt) = (RunTime::from_ns(now as i64), one.journal.attempt());
                one.journal.say(Entry { at, fact: format!("{name} {attempt} says {said}") });
            }
            _ => {}
        }
        if one.journal.said().len() as u64 >= long {
            one.journal.end();
        }
    }

    fn step(&mut self) {
        let line = self.seeded.below(self.lines.len() as u64) as usize;
        let newest = self.hosts[line].len() - 1;
        let host =
            if self.seeded.often(200) { self.seeded.below(newest as u64 + 1) as usize } else { newest };
        match self.seeded.below(10) {
            0..3 => self.happens(line, host),
            3..7 => {
                let one = &mut self.hosts[line][host];
                let stepped = one.sender.step(&one.client, &mut one.journal).now_or_never().expect("at once");
                match stepped {
                    Ok(sending::Step::Void) if !one.zombie => self.take_over(line),
                    Ok(sending::Step::Idle | sending::Step::Waits | sending::Step::Behind)
                        if self.seeded.often(300) =>
                    {
                        self.hosts[line][host].journal.doubt();
                    }
                    Ok(_) => {}
                    Err(fault) => {
                        assert_eq!(fault.code.word(), "farm_unreachable", "seed {}: {fault}", self.seed)
                    }
                }
            }
            7..9 => {
                self.looked += 1;
                let now = RunTime::from_ns(self.now as i64);
                let stepped =
                    self.gathering.step(&self.client, now, Duration::ZERO).now_or_never().expect("at once");
                match stepped {
                    Ok(gathering::Step::Reopened) => self.reopened += 1,
                    Ok(_) => {}
                    // What was read is not what is there: it is read once more, from the beginning.
                    Err(fault) if fault.code.word() == "farm_garbled" => self.hand_over(),
                    Err(fault) => {
                        assert_eq!(fault.code.word(), "farm_unreachable", "seed {}: {fault}", self.seed)
                    }
                }
            }
            _ => {
                self.read_along();
                let time = self.seeded.below(2_000_000_000);
                self.pass(time);
            }
        }
    }

    /// A step of who only reads; whoever read what is not there begins anew.
    fn read_along(&mut self) {
        let Some(reader) = &mut self.reader else {
            let calm = self.model.connect(Weather::calm());
            let head = Head::of(&calm, "run").now_or_never().expect("at once").expect("calm");
            let names: Vec<&str> = self.lines.iter().map(String::as_str).collect();
            let of = |head: &Head| {
                let order = Order::new(self.policy, aside(self.seed));
                let gathering = Gathering::new(("run", "", false), "reader", order, Terms::FARM, &names);
                gathering.late(head).reading()
            };
            self.reader = head.map(|(_, head)| of(&head));
            return;
        };
        let (now, wrote) = (RunTime::from_ns(self.now as i64), self.model.written());
        let stepped = reader.step(&self.reads, now, Duration::ZERO).now_or_never().expect("at once");
        match stepped {
            Ok(step) => assert_ne!(step, gathering::Step::Reopened, "seed {}", self.seed),
            Err(fault) if fault.code.word() == "farm_unreachable" => {}
            Err(fault) => {
                assert!(
                    ["farm_garbled", "farm_refused"].contains(&fault.code.word()),
                    "seed {}: {fault}",
                    self.seed
                );
                self.reader = None;
            }
        }
        assert_eq!(self.model.written(), wrote, "seed {}: who reads writes", self.seed);
    }

    /// Who conducts the run dies, and somebody else takes it up, if the farm knows it.
    fn hand_over(&mut self) {
        let calm = self.model.connect(Weather::calm());
        let head = Head::of(&calm, "run").now_or_never().expect("at once").expect("calm");
        let Some((_, head)) = head else { return };
        self.handed += 1;
        let names: Vec<&str> = self.lines.iter().map(String::as_str).collect();
        let (of, owner) = (("run", head.object.as_str(), head.stays), format!("another-{}", self.handed));
        let order = Order::new(self.policy, aside(self.seed));
        self.gathering = Gathering::new(of, &owner, order, Terms::FARM, &names).late(&head);
    }

    fn pass(&mut self, time: u64) {
        self.now += time;
        self.model.pass(Span::from_ns(time as i64));
    }

    /// Now and then something large.
    fn stir(&mut self) {
        let line = self.seeded.below(self.lines.len() as u64) as usize;
        match self.seeded.below(1000) {
            0..4 => self.model.wipe(),
            4..12 => self.model.keep_copy(),
            12..18 => {
                let to = self.seeded.below(3) as usize;
                self.model.go_back(to);
            }
            18..24 => self.pass(TERM.ns() as u64 * 2),
            24..36 => self.take_over(line),
            42..46 => self.hand_over(),
            36..42 => {
                let weather = Weather::rough(self.now);
                let cut = self.seeded.often(500);
                let client = &self.hosts[line].last().expect("a host").client;
                client.weather(if cut { weather.cut() } else { weather });
            }
            _ => {}
        }
    }

    fn until_over(&mut self) {
        let mut steps = 0;
        while self.looked == 0 || !self.gathering.is_over() {
            self.step();
            steps += 1;
            assert!(steps < 40_000, "seed {}: the run does not end: {}", self.seed, self.told());
        }
    }

    fn run(mut self) -> (u32, u32) {
        for _ in 0..400 {
            self.stir();
            self.step();
        }
        // The trouble ends.
        self.stirs = false;
        self.client.weather(Weather::calm());
        self.hosts.iter().flatten().for_each(|host| host.client.weather(Weather::calm()));
        self.pass(TERM.ns() as u64 * 3);
        self.looked = 0;
        self.until_over();
        // A store may be lost, or go back, in the last moment.
        match self.seed % 3 {
            0 => self.model.wipe(),
            1 => self.model.go_back(0),
            _ => {}
        }
        while !self.gathering.leave(&self.client).now_or_never().expect("at once").expect("calm") {
            self.until_over();
        }
        self.reads.weather(Weather::calm());
        let mut steps = 0;
        // Whoever comes later finds by its head where the run is, and that it is over.
        let head = Head::of(&self.client, "run").now_or_never().expect("at once").expect("calm");
        let found = head.map(|(_, head)| (head.generation, head.over));
        assert_eq!(found, Some((self.gathering.generation(), true)), "seed {}: the head misleads", self.seed);
        while !self.reader.as_ref().is_some_and(Gathering::is_over) {
            self.read_along();
            self.pass(1_000_000_000);
            steps += 1;
            assert!(steps < 4_000, "seed {}: who reads along reads no end: {}", self.seed, self.told());
        }
        self.check();
        (self.reopened, self.handed)
    }

    /// Where everybody is, for whoever reads a failed seed.
    fn told(&self) -> String {
        let (policy, generation, floors) =
            (self.policy, self.gathering.generation(), self.gathering.order().floors());
        let host = |host: &Host| {
            format!("{} of {}: {:?}\n", host.journal.attempt(), host.journal.said().len(), host.journal.ask())
        };
        let hosts: String = self.hosts.iter().flatten().map(host).collect();
        format!("{policy:?}, {} each, generation {generation}, {floors:#?}\n{hosts}", self.long)
    }

    fn check(&self) {
        let seed = self.seed;
        let order = self.gathering.order();
        let ordered = all(order.ordered());
        assert!(ordered.is_sorted_by_key(|one| one.at), "seed {seed}: time goes back");
        for (number, line) in self.lines.iter().enumerate() {
            let told: Vec<_> = ordered.iter().filter(|one| one.line == *line).collect();
            assert_eq!(told.len() as u64, self.long, "seed {seed}: {line}");
            assert!(
                told.is_sorted_by_key(|one| one.attempt),
                "seed {seed}: {line} hears who was taken over from"
            );
            // The attempt that ended the line knows all of it, in the same words.
            let last = told.last().expect("something is said").attempt;
            let ended: Vec<&Host> = self.hosts[number].iter().skip(last as usize - 1).collect();
            let same = |host: &&Host| {
                let said = all(host.journal.said());
                said.len() == told.len() && said.iter().zip(&told).all(|(said, told)| *said == told.entry)
            };
            assert!(ended.iter().any(same), "seed {seed}: nobody said what {line} is told to have said");
        }
        // Which attempt said it is another where a simulated line was said anew, in the same words.
        let said = |order: &Order| -> Vec<(String, RunTime, Entry)> {
            all(order.ordered()).into_iter().map(|one| (one.line, one.at, one.entry)).collect()
        };
        let along = self.reader.as_ref().map(|reader| said(reader.order()));
        assert_eq!(along, Some(said(order)), "seed {seed}: who read along read another order");
        let late = self.read_late();
        assert_eq!(all(late.ordered()), ordered, "seed {seed}: a later reader reads another order");
    }

    /// Who comes later, and knows only where the log is.
    fn read_late(&self) -> Order {
        let (mut order, mut after) = (Order::new(self.policy, None), Place(0));
        let client = self.model.connect(Weather::calm());
        loop {
            let read = client.follow("run", self.gathering.generation(), after, Duration::ZERO);
            let read = read.now_or_never().expect("at once").expect("calm");
            let Some(last) = read.last() else { return order };
            after = last.place;
            for one in read {
                let taken = match Frame::read(&one.body).expect("ours") {
                    Frame::Copied(copied) => order.open(one.stamp, &copied),
                    Frame::Batch(batch) => order.take(&one.line, one.stamp, &batch),
                };
                taken.unwrap_or_else(|why| panic!("seed {}: {why:?}", self.seed));
            }
        }
    }
}

/// How many seeds, and from which on: `FARMJANK_SWARM` times as many, `FARMJANK_SWARM_FROM`.
fn seeds(many: u64) -> std::ops::Range<u64> {
    let set = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (times, from) = (set("FARMJANK_SWARM").unwrap_or(1), set("FARMJANK_SWARM_FROM").unwrap_or(0));
    from..from + many * times
}

#[test]
fn every_run_ends_with_one_order_whatever_the_store_does() {
    let seeds = seeds(600);
    let many = seeds.end - seeds.start;
    let (mut reopened, mut handed) = (0, 0);
    for (anew, other) in seeds.map(|seed| World::new(seed).run()) {
        (reopened, handed) = (reopened + u64::from(anew), handed + u64::from(other));
    }
    println!(
        "{many} seeds, {reopened} times the log was begun anew, {handed} times somebody else took it up"
    );
    assert!(handed > many / 2, "the run was hardly ever taken up: {handed} of {many}");
    assert!(reopened > many / 20, "the store hardly ever forgot: {reopened} of {many}");
}
