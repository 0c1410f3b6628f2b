//! `farmjank farm drain` and `farmjank farm undrain`: phones go out of service, and come back.

use super::WIDE;
use crate::args::{FarmDrainArgs, FarmUndrainArgs};
use crate::commands::run::own_id;
use crate::farm::connected;
use crate::host::{Streams, wall};
use crate::settings::time;
use farmjank_engine::scribe::Voice;
use farmjank_farm::frames::VERSION;
use farmjank_farm::subjects::word;
use farmjank_leaf::nearest::meant;
use farmjank_leaf::text::line;
use farmjank_results::device::DeviceId;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::exchange::Exchange;
use farmjank_shifts::note::{Host, PhoneNote, listed};
use farmjank_shifts::service::{Drained, ServiceWord};
use farmjank_shifts::shift::{Offer, Offered, written};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Longest reason, characters.
const WHY: usize = 120;
/// Between two looks at what the host says.
const LOOKS: Duration = Duration::from_millis(500);
/// A host that is there says what it heard within its renewals of the lease.
const ANSWERS: Duration = Duration::from_mins(1);
/// Most names that are offered for one that is not there.
const OFFERED: usize = 4;

/// Phones of a host, and the farm it is on.
struct Meant {
    exchange: Rc<dyn Exchange>,
    team: String,
    host: String,
    phones: Vec<DeviceId>,
}

/// Takes phones out of service, and waits until they are free.
pub async fn drain(args: &FarmDrainArgs) -> Result<bool, Fault> {
    let why = args.why.trim();
    if why.is_empty() || why.chars().count() > WHY || why.chars().any(char::is_control) {
        let what = format!("--why: a reason of 1 to {WHY} characters on one line");
        return Err(Fault::new(FaultCode::Usage, what));
    }
    let wait = time(&args.wait).map_err(|why| Fault::new(FaultCode::Usage, format!("--wait: {why}")))?;
    let exchange = connected(&args.farm, &args.of, "drain", false).await?;
    let (host, phones) = found(&*exchange, &args.of.team, &args.host, &args.phones).await?;
    let meant = Meant { exchange, team: args.of.team.clone(), host: host.name, phones };
    let drained = Drained { why: why.to_owned(), since: wall() };
    meant.say(Some(drained.clone())).await?;
    let hears = |host: &Host| {
        let is = |own: Option<&Drained>| own == Some(&drained);
        match &*meant.phones {
            [] => is(host.note.drained.as_ref()),
            phones => {
                meant.of(host).filter(|phone| is(phone.drained.as_ref().map(|own| &own.drained))).count()
                    == phones.len()
            }
        }
    };
    let heard = meant.until(Instant::now() + ANSWERS, hears).await?.ok_or_else(|| meant.unheard())?;
    Streams.out(&format!("{}: no run is given it from now on\n", meant.what()));
    let mut told = BTreeSet::new();
    let until = Instant::now() + wait;
    let mut host = heard;
    loop {
        let taken: Vec<String> = meant.of(&host).filter_map(taken).collect();
        if taken.is_empty() {
            Streams.out(&format!("{}: nobody has it any more\n", meant.what()));
            return Ok(true);
        }
        for words in &taken {
            if told.insert(words.clone()) {
                Streams.err(&format!("{words}; waiting for its iteration to end\n"));
            }
        }
        if Instant::now() >= until {
            let what = format!("{}; it is out of service all the same", taken.join(", "));
            let fault = Fault::new(FaultCode::DeviceInUse, what);
            return Err(fault.advise(
                "`farmjank farm status` tells once nobody has it; `--wait` says how long this waits",
            ));
        }
        sleep(LOOKS).await;
        host = meant.there().await?.ok_or_else(|| meant.unheard())?;
    }
}

/// Puts phones back.
pub async fn undrain(args: &FarmUndrainArgs) -> Result<bool, Fault> {
    let exchange = connected(&args.farm, &args.of, "undrain", false).await?;
    let (host, phones) = found(&*exchange, &args.of.team, &args.host, &args.phones).await?;
    if !phones.is_empty() && host.note.drained.is_some() {
        let what =
            format!("all of {} is out of service, and a phone of it cannot be put back alone", host.name);
        let advice = format!(
            "put it back whole: `farmjank farm undrain {}`; then take the others out by name",
            host.name
        );
        return Err(Fault::new(FaultCode::Usage, what).advise(advice));
    }
    let meant = Meant { exchange, team: args.of.team.clone(), host: host.name, phones };
    meant.say(None).await?;
    let hears =
        |host: &Host| host.note.drained.is_none() && meant.of(host).all(|phone| phone.drained.is_none());
    meant.until(Instant::now() + ANSWERS, hears).await?.ok_or_else(|| meant.unheard())?;
    Streams.out(&format!("{}: back in service\n", meant.what()));
    Ok(true)
}

/// Who still has a phone, in words.
fn taken(phone: &PhoneNote) -> Option<String> {
    let by = phone.drained.as_ref()?.by.as_ref()?;
    Some(format!("{} is used by {}", line(&phone.id.0, WIDE), line(by, WIDE)))
}

/// A host that is there, and those of its phones that are named.
async fn found(
    exchange: &dyn Exchange,
    team: &str,
    name: &str,
    phones: &[String],
) -> Result<(Host, Vec<DeviceId>), Fault> {
    word("host", name)?;
    let all = listed(exchange, team).await?;
    let names: Vec<&str> = all.iter().map(|host| host.name.as_str()).collect();
    if !names.contains(&name) {
        return Err(missing(format!("no host {name} is there"), name, &names));
    }
    let host = all
        .iter()
        .find(|host| host.name == name)
        .cloned()
        .ok_or_else(|| missing(String::new(), name, &[]))?;
    if let Some(lab) = &host.note.lab {
        let what =
            format!("host {name} plays a part of the lab {}, which is played whole", line(&lab.name, WIDE));
        return Err(Fault::new(FaultCode::Usage, what)
            .advise("real phones go out of service; of a lab, end the agent"));
    }
    let own: Vec<&str> = host.phones.iter().map(|phone| phone.id.0.as_str()).collect();
    if let Some(other) = phones.iter().find(|phone| !own.contains(&phone.as_str())) {
        let what = format!("host {name} has no phone `{}`", line(other, WIDE));
        return Err(missing(what, other, &own));
    }
    let phones = phones.iter().collect::<BTreeSet<_>>().into_iter().map(|id| DeviceId(id.clone())).collect();
    Ok((host, phones))
}

fn missing(what: String, name: &str, there: &[&str]) -> Fault {
    let near = meant(name, there, OFFERED);
    let advice = match &*near {
        [] => "`farmjank farm status` lists hosts and phones".to_owned(),
        near => format!(
            "did you mean {}? `farmjank farm status` lists what is there",
            near.iter().map(|name| line(name, WIDE)).collect::<Vec<_>>().join(" or ")
        ),
    };
    Fault::new(FaultCode::Usage, what).advise(advice)
}

impl Meant {
    /// Tells the host, which may be busy: it hears beside what it does.
    async fn say(&self, drained: Option<Drained>) -> Result<(), Fault> {
        let key = own_id();
        let what = Offered::Service(ServiceWord { phones: self.phones.clone(), drained });
        let offer =
            Offer { v: VERSION, key: key.clone(), line: "service".to_owned(), what, priority: String::new() };
        self.exchange.offer(&self.host, &key, &written(&offer)?).await
    }

    /// Those of a host.
    fn of<'h>(&'h self, host: &'h Host) -> impl Iterator<Item = &'h PhoneNote> {
        host.phones.iter().filter(|phone| self.phones.is_empty() || self.phones.contains(&phone.id))
    }

    fn what(&self) -> String {
        let ids: Vec<String> = self.phones.iter().map(|id| line(&id.0, WIDE)).collect();
        if ids.is_empty() { format!("host {}", self.host) } else { ids.join(", ") }
    }

    async fn there(&self) -> Result<Option<Host>, Fault> {
        Ok(listed(&*self.exchange, &self.team).await?.into_iter().find(|host| host.name == self.host))
    }

    async fn until(&self, until: Instant, is: impl Fn(&Host) -> bool) -> Result<Option<Host>, Fault> {
        loop {
            let host = self.there().await?.filter(|host| is(host));
            if host.is_some() || Instant::now() >= until {
                return Ok(host);
            }
            sleep(LOOKS).await;
        }
    }

    fn unheard(&self) -> Fault {
        let what = format!("host {} did not say that it heard", self.host);
        Fault::new(FaultCode::HostLost, what).advise(
            "look at its agent: one that is away hears when it is back; an older farmjank knows no such word",
        )
    }
}
