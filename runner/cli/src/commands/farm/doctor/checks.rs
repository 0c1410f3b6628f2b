//! What is tried on a farm, one thing after the other.

use super::super::listing::shown_size;
use super::{Findings, Is};
use crate::host;
use farmjank_farm::bucket::Bucket;
use farmjank_farm::digest;
use farmjank_farm::nats::{Allowed, Kept, Nats};
use farmjank_farm::roles::{Role, strangers};
use farmjank_farm::subjects::Names;
use farmjank_leaf::text::line;
use farmjank_requests::Request;
use farmjank_requests::door::{Base, Door, NoDoor};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::exchange::{Exchange, Leased};
use std::time::Duration;
use tokio::time::Instant;

/// The oldest server that keeps what it promised.
const OLDEST: (u32, u32) = (2, 12);
/// Questions that are timed.
const ASKED: usize = 10;
/// Bytes of the object: more than one part.
const OBJECT: usize = 600_000;
/// How long the monitoring port may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// Things that are named at most where many are wrong.
const NAMED: usize = 3;

fn wrong(what: impl Into<String>) -> Fault {
    Fault::new(FaultCode::FarmGarbled, what.into())
}

/// Who answers, and who is let in.
pub(super) fn server(nats: &Nats, url: &str, findings: &mut Findings) {
    let server = nats.examined().server();
    let told = format!("{url} answers: nats-server {}", server.version);
    if is_new_enough(&server.version) {
        findings.say(Is::Well, &told);
    } else {
        let what = format!("{told}; it is to be 2.12 or newer, which keeps what it promised");
        findings.say(Is::Wrong, &what);
    }
    match server.tls {
        true => findings.say(Is::Well, "it speaks TLS with everybody, and its certificate is believed"),
        false => findings.say(
            Is::Doubtful,
            "no TLS: whoever is on the way reads along; `farmjank farm init` writes a configuration with it",
        ),
    }
    match server.asks {
        true => findings.say(Is::Well, "it asks who comes, and lets these credentials in"),
        false => findings.say(
            Is::Doubtful,
            "it lets everybody in, who may do everything; `farmjank farm init` writes a configuration with roles",
        ),
    }
}

fn is_new_enough(version: &str) -> bool {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().ok());
    matches!((parts.next().flatten(), parts.next().flatten()), (Some(major), Some(minor)) if (major, minor) >= OLDEST)
}

/// How long a question takes, and how far the clocks are apart.
pub(super) async fn times(nats: &Nats) -> Result<(String, String), Fault> {
    let (mut spans, mut nearest) = (Vec::new(), None::<(i64, i64)>);
    for _ in 0..ASKED {
        let (begun, before) = (Instant::now(), host::wall_ms());
        let told = nats.examined().clock().await?;
        let (span, after) = (begun.elapsed(), host::wall_ms());
        spans.push(span);
        let there: Option<jiff::Timestamp> = told.parse().ok();
        if let Some(there) = there {
            let apart = there.as_millisecond() - i64::midpoint(before, after);
            nearest =
                Some(nearest.map_or((after - before, apart), |known| known.min((after - before, apart))));
        }
    }
    spans.sort();
    let median = spans[ASKED / 2].as_secs_f64() * 1000.0;
    let spans = format!("a question and its answer take {median:.1} ms (median of {ASKED})");
    let clocks = nearest.map_or("its clock is not told".to_owned(), |(_, apart)| {
        format!("its clock and this computer's are {} ms apart; nothing is ordered by them", apart.abs())
    });
    Ok((spans, clocks))
}

/// What is kept, and how. What is missing is made, by who may.
pub(super) async fn store(nats: &Nats, findings: &mut Findings) -> Result<(), Fault> {
    let missing = nats.examined().store().await?.iter().any(|(_, kept)| *kept == Kept::Missing);
    let made = if missing { nats.prepare().await } else { Ok(()) };
    let store = nats.examined().store().await?;
    let well: Vec<&str> =
        store.iter().filter(|(_, kept)| *kept == Kept::Well).map(|(name, _)| name.as_str()).collect();
    if !well.is_empty() {
        let how = if missing { "made now" } else { "there, as it is to be" };
        findings.say(Is::Well, &format!("the store is {how}: {}", well.join(", ")));
    }
    for (name, kept) in &store {
        match kept {
            Kept::Well => {}
            Kept::Missing => {
                let why = made.as_ref().err().map(|fault| format!(" ({fault})")).unwrap_or_default();
                findings.say(Is::Doubtful, &format!("{name} is not there yet; the next run makes it{why}"));
            }
            Kept::Otherwise(how) => {
                let mend =
                    "take it away with NATS's own tools: the next run makes it, and everything is said again";
                findings.say(Is::Wrong, &format!("{name} is kept otherwise: {how}; {mend}"));
            }
        }
    }
    Ok(())
}

/// How much the team has on the server, and may have.
pub(super) async fn room(nats: &Nats, names: &Names, findings: &mut Findings) -> Result<(), Fault> {
    let room = match nats.examined().room().await {
        Ok(room) => room,
        Err(fault) if fault.code == FaultCode::FarmRefused => return Ok(()),
        Err(fault) => return Err(fault),
    };
    let (team, taken) = (line(names.team(), 60), shown_size(room.taken));
    match room.most {
        Some(most) => {
            let what = format!("team {team} keeps {taken} of the {} it may", shown_size(most));
            findings.say(if room.taken < most / 10 * 9 { Is::Well } else { Is::Doubtful }, &what);
        }
        None => findings.say(
            Is::Doubtful,
            &format!("team {team} keeps {taken}, and may fill the server's disk; the operator bounds it (--role operator --farm-storage 200GB)"),
        ),
    }
    Ok(())
}

/// Whether what is promised is on the disk, as the server's monitoring port says.
pub(super) async fn synced(url: &str) -> Result<(Is, String), Fault> {
    let no_door = |why: NoDoor| Fault::new(FaultCode::Usage, why.to_string());
    let door = Door::new(Base::parse("--monitor", url).map_err(no_door)?, None, PATIENCE).map_err(no_door)?;
    let answer = match door.send(&Request::get("varz")).await {
        Ok(answer) if answer.status == 200 => answer,
        Ok(answer) => return Ok((Is::Wrong, format!("--monitor: it answers {} to /varz", answer.status))),
        Err(why) => return Ok((Is::Wrong, format!("--monitor: {}", why.what))),
    };
    let told: serde_json::Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    Ok(match told["jetstream"]["config"]["sync_always"].as_bool() {
        Some(true) => {
            (Is::Well, "what it promises is on its disk first (`sync_interval: always`)".to_owned())
        }
        _ if told["jetstream"]["config"].is_object() => {
            let mend = "say `sync_interval: always` in its `jetstream`";
            (Is::Wrong, format!("a power cut takes back what it promised: {mend}"))
        }
        _ => (Is::Wrong, "--monitor: no JetStream is told there".to_owned()),
    })
}

/// An object goes there and comes back.
pub(super) async fn object(nats: &Nats) -> Result<String, Fault> {
    let bytes = some_bytes();
    let object = digest::leave(nats, &bytes).await?;
    let back = digest::fetch(nats, &object).await?;
    nats.discard(&object).await?;
    match back {
        Some(back) if back == bytes => {
            Ok(format!("an object of {} kB went there and came back", OBJECT / 1000))
        }
        _ => Err(wrong("it did not come back as it went")),
    }
}

/// Bytes that nobody else leaves.
fn some_bytes() -> Vec<u8> {
    let chance = host::chance();
    (0..OBJECT as u64).map(|n| (n.wrapping_mul(chance | 1) >> 13) as u8).collect()
}

/// A large object goes to where these lie, and comes back.
pub(super) async fn large_object(bucket: &Bucket) -> Result<String, Fault> {
    let bytes = some_bytes();
    let name = digest::of(&bytes);
    bucket.leave(&name, &bytes).await?;
    let back = bucket.object(&name).await?;
    bucket.forget(&name).await?;
    match back {
        Some(back) if back == bytes => {
            Ok(format!("an object of {} kB went to {} and came back", OBJECT / 1000, bucket.called()))
        }
        _ => Err(wrong("it did not come back as it went")),
    }
}

/// A lease is claimed, renewed, taken over, and lost to who had it.
pub(super) async fn lease(nats: &Nats) -> Result<String, Fault> {
    let key = format!("doctor.{:016x}", host::chance());
    let Leased::Granted(first) = nats.claim(&key, b"one").await? else {
        return Err(wrong("a new one is held already"));
    };
    let Leased::Granted(second) = nats.renew(&key, first, b"one").await? else {
        return Err(wrong("it cannot be renewed by who holds it"));
    };
    let Leased::Granted(third) = nats.renew(&key, second, b"other").await? else {
        return Err(wrong("it cannot be taken over"));
    };
    let lost = nats.renew(&key, second, b"one").await?;
    nats.release(&key, third).await?;
    match lost {
        Leased::Held(holder) if holder.fence == third && first < second && second < third => {
            Ok("a lease was claimed, renewed, taken over, and refused to who had it before".to_owned())
        }
        other => Err(wrong(format!("an old fence was not refused: {other:?}"))),
    }
}

/// What the credentials may do, held against their role.
pub(super) async fn rights(nats: &Nats, role: &Role, findings: &mut Findings) -> Result<(), Fault> {
    let team = match role {
        Role::Agent(team, _) | Role::Run(team, _) | Role::Viewer(team) => team,
        Role::Keeper(teams) | Role::Operator(teams) => &teams[0],
    };
    let (wanted, unwanted) = (role.may(), role.must_not(&strangers(team)?));
    let (mut lacking, mut untold, mut too_much) = (Vec::new(), 0, Vec::new());
    for subject in &wanted {
        match nats.examined().may(subject).await? {
            Allowed::Yes => {}
            Allowed::No => lacking.push(subject.as_str()),
            Allowed::Untold => untold += 1,
        }
    }
    for subject in &unwanted {
        match nats.examined().may(subject).await? {
            Allowed::No => {}
            Allowed::Yes => too_much.push(subject.as_str()),
            Allowed::Untold => untold += 1,
        }
    }
    if lacking.is_empty() && too_much.is_empty() && untold == 0 {
        let (may, not) = (wanted.len(), unwanted.len());
        findings.say(
            Is::Well,
            &format!("the credentials may do what is theirs ({may} things) and nothing else ({not} refused)"),
        );
        return Ok(());
    }
    if !lacking.is_empty() {
        let what = format!("the credentials may not {}: is this their role, team and host?", named(&lacking));
        findings.say(Is::Wrong, &what);
    }
    if too_much.len() == unwanted.len() {
        findings.say(
            Is::Wrong,
            "the credentials may do everything; `farmjank farm init` writes a configuration with roles",
        );
    } else if !too_much.is_empty() {
        let what =
            format!("the credentials may {}, which is not theirs: write nats.conf anew", named(&too_much));
        findings.say(Is::Wrong, &what);
    }
    if untold > 0 {
        findings
            .say(Is::Doubtful, &format!("{untold} questions of what is allowed were not answered in time"));
    }
    Ok(())
}

fn named(subjects: &[&str]) -> String {
    let first: Vec<String> = subjects.iter().take(NAMED).map(|subject| line(subject, 100)).collect();
    let rest = subjects.len().saturating_sub(NAMED);
    let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    format!("{}{rest}", first.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_that_take_back_what_they_promised_are_too_old() {
        for version in ["2.12.0", "2.15.1", "3.0.0-beta.1", "2.12"] {
            assert!(is_new_enough(version), "{version}");
        }
        for version in ["2.9.10", "2.11.9", "1.99.0", "", "new", "2"] {
            assert!(!is_new_enough(version), "{version}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_and_the_rest_counted() {
        assert_eq!(named(&["a", "b"]), "a, b");
        assert_eq!(named(&["a", "b", "c", "d", "e"]), "a, b, c and 2 more");
    }
}
