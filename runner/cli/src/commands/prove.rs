//! `farmjank doctor --prove`: what farmjank believes about phones, put to the test on one, or on an archive of one.

use super::run::no_phones;
use crate::args::{DoctorArgs, PhoneArgs};
use crate::host::{self, Streams};
use crate::plugin_targets;
use crate::settings::{Terminal, complain};
use crate::wiring::{Phones, every_source, phones, probes};
use farmjank_engine::claiming::in_use;
use farmjank_engine::patience::Patience;
use farmjank_engine::prove::ask::Asker;
use farmjank_engine::prove::judge::{all_held, judge};
use farmjank_engine::prove::{Belief, Held, Proof, archive};
use farmjank_engine::scribe::Voice;
use farmjank_engine::survey::{Surveyed, Wanted, survey};
use farmjank_engine::undo::Undo;
use farmjank_leaf::text::name as shown;
use farmjank_reporters::clean;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::file_error::FileError;
use farmjank_results::verdict::{EXIT_USAGE, Verdict};
use farmjank_seams::claim::{Claimer, PhoneNote, Unclaimed};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Largest archive read, bytes.
const ARCHIVE_BYTES: u64 = 64 * 1024 * 1024;
/// What claims of it say.
const WHO: &str = "doctor --prove";
/// Longest belief and evidence shown, characters.
const SENTENCE: usize = 300;

/// Proves a phone or an archive. 0: every belief held. 3: one did not, or the phone could not be asked.
pub async fn run(args: &DoctorArgs, serial: &str, terminal: Terminal) -> u8 {
    let proof = match &args.from {
        Some(path) => from_archive(path),
        None => from_phone(args, serial).await,
    };
    match proof {
        Ok(proof) => told(&proof, terminal),
        Err(code) => code,
    }
}

fn from_archive(path: &Path) -> Result<Proof, u8> {
    let unpacked = |bytes: Vec<u8>| archive::unpack(&bytes).map_err(|why| FileError::content(path, why));
    host::read_file(path, ARCHIVE_BYTES).and_then(unpacked).map_err(|why| {
        complain(format!("{why}; give an archive that `farmjank doctor --prove` wrote"));
        EXIT_USAGE
    })
}

async fn from_phone(args: &DoctorArgs, serial: &str) -> Result<Proof, u8> {
    let refused = |fault: Fault| no_phones(&fault);
    let mut wanted = args.phones();
    wanted.serials.extend((!serial.is_empty()).then(|| serial.to_owned()));
    let lenders = plugin_targets::lenders(&wanted).map_err(refused)?;
    let phones = phones(&wanted, &lenders).await.map_err(refused)?;
    if let Some(lab) = &phones.lab {
        Streams.out(&format!("virtual lab `{}` (seed {}): simulated phones\n", lab.name(), phones.seed));
    }
    let surveyed = one(&wanted, &phones).await.map_err(refused)?;
    let facts = surveyed.facts.map_err(refused)?;
    Streams.out(&format!("proving {} ({})\n", clean::line(&facts.id.0, 100), clean::line(&facts.model, 100)));
    let by = Claimer { who: WHO.to_owned(), ..Claimer::default() };
    let claim = phones.claims.claim(&surveyed.sighting.server, &facts, &by);
    if let Err(Unclaimed::Held(by)) = &claim {
        return Err(refused(in_use(&facts.id, by, Duration::ZERO)));
    }
    let device = phones.provider.lease(&facts.id).await.map_err(refused)?;
    let sources = every_source();
    let probes = probes();
    let patience = Patience::default();
    let undo = Undo::new(phones.claims.log(&surveyed.sighting.server, &facts.id, PhoneNote::Changes), WHO);
    let left = undo.set_back(&*device, patience.dump).await.map_err(refused)?;
    if !left.is_empty() {
        Streams.out(&format!("left by an earlier run: {}\n", clean::line(&left.words(&facts.id.0), 1000)));
    }
    let asker = Asker {
        device: &*device,
        facts: &facts,
        sources: &sources,
        probes: &probes,
        patience: &patience,
        tool: env!("CARGO_PKG_VERSION"),
    };
    let say = |what: &str| Streams.err(&format!("  {what} …\n"));
    let proof = asker.ask(&say).await.map_err(refused)?;
    drop(device);
    phones.give_back().await;
    let path = args.out.clone().unwrap_or_else(|| named(&proof));
    match archive::pack(&proof)
        .map_err(|why| FileError::io(&path, &why))
        .and_then(|bytes| host::write_file(&path, &bytes))
    {
        Ok(()) => Streams.out(&format!(
            "archive: {} (no serial, no account, no list of apps; attach it to an issue)\n",
            shown(&path)
        )),
        Err(why) => {
            complain(format!("the archive could not be written: {why}"));
            return Err(Verdict::Broken.exit_code());
        }
    }
    Ok(proof)
}

/// The one phone that is meant.
async fn one(args: &PhoneArgs, phones: &Phones) -> Result<Surveyed, Fault> {
    let usage = |what: String| Fault::new(FaultCode::Usage, what);
    let wait = crate::settings::time(&args.wait_for_devices).map_err(|why| usage(why.to_string()))?;
    let wanted = Wanted { serials: crate::settings::serials(args), phones: 0, wait, ..Wanted::default() };
    let mut arrivals = phones.provider.watch().await?;
    let mut surveyed =
        survey(&*phones.provider, &mut *arrivals, &wanted, &Patience::default(), &*phones.claims).await?;
    match surveyed.len() {
        1 => Ok(surveyed.remove(0)),
        0 => Err(Fault::new(FaultCode::NoPhone, "no phone is connected")
            .advise("plug one in with USB debugging on")),
        many => {
            Err(usage(format!("{many} phones are connected; say which: `farmjank doctor --prove SERIAL`")))
        }
    }
}

/// `farmjank-prove-pixel-8-android-14.tar.gz`
fn named(proof: &Proof) -> PathBuf {
    let phone = &proof.answers.phone;
    let slug = |text: &str| -> String {
        let plain = text
            .chars()
            .map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' });
        let plain: String = plain.collect();
        plain.split('-').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
    };
    PathBuf::from(format!("farmjank-prove-{}-android-{}.tar.gz", slug(&phone.model), slug(&phone.release)))
}

fn told(proof: &Proof, terminal: Terminal) -> u8 {
    let phone = &proof.answers.phone;
    let beliefs = judge(proof, &every_source());
    let maker = clean::line(&format!("{} {}", phone.manufacturer, phone.model), 100);
    Streams.out(&format!("\n{maker}, Android {} (sdk {})\n\n", clean::line(&phone.release, 20), phone.sdk));
    beliefs.iter().for_each(|belief| Streams.out(&line(belief, terminal)));
    let count = |held: Held| beliefs.iter().filter(|belief| belief.held == held).count();
    let yes = count(Held::Yes);
    let no = count(Held::No);
    let untold = count(Held::Untold);
    Streams.out(&format!("\n{yes} beliefs held, {no} did not, {untold} this phone does not tell\n"));
    if all_held(&beliefs) {
        return 0;
    }
    Streams.out("numbers of this phone may be wrong: please attach the archive to an issue\n");
    Verdict::Broken.exit_code()
}

fn line(belief: &Belief, terminal: Terminal) -> String {
    let mark = match (belief.held, terminal.unicode) {
        (Held::Yes, true) => "✓ held    ",
        (Held::Yes, false) => "ok held    ",
        (Held::No, true) => "✗ NOT HELD",
        (Held::No, false) => "!! NOT HELD",
        (Held::Untold, true) => "· not told",
        (Held::Untold, false) => "-- not told",
    };
    let text = |text: &str| clean::line(text, SENTENCE);
    format!("{mark}  {:16}  {}\n              {}\n", belief.key, text(&belief.what), text(&belief.evidence))
}
