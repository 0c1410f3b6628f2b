//! New keys of a farm: what lets somebody in, and the certificates by which a server is known.
//!
//! Nobody keeps the authority's own key: it signs the server's certificate and is gone, so that nobody can sign
//! another. Must not know: files, clocks.

use farmjank_results::fault::{Fault, FaultCode};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair, KeyUsagePurpose,
    date_time_ymd,
};

/// How long certificates hold, years.
const YEARS: i32 = 10;

/// What lets somebody in.
pub struct Credential {
    /// The public key, for the server.
    pub key: String,
    /// The seed, for its holder alone.
    pub seed: String,
}

/// By which a server is known, PEM.
pub struct Certificates {
    /// The authority's certificate, for everybody.
    pub authority: String,
    /// The server's certificate.
    pub server: String,
    /// The server's key, for it alone.
    pub key: String,
}

fn failed(why: impl std::fmt::Display) -> Fault {
    Fault::new(FaultCode::Usage, format!("no key or certificate can be made: {why}"))
}

/// A new one.
///
/// # Errors
/// `usage`: none can be made.
pub fn credential() -> Result<Credential, Fault> {
    let pair = nkeys::KeyPair::new_user();
    Ok(Credential { key: pair.public_key(), seed: pair.seed().map_err(failed)? })
}

/// Whether a text is a key itself, and not the name of a file that holds one.
pub fn is_seed(text: &str) -> bool {
    let text = text.trim();
    text.len() >= 50 && text.starts_with('S') && nkeys::KeyPair::from_seed(text).is_ok()
}

/// New ones for a server of this name, and for its own computer; from the beginning of a year on, for ten.
///
/// # Errors
/// `usage`: that is no name.
pub fn certificates(name: &str, year: i32) -> Result<Certificates, Fault> {
    let (from, to) = (date_time_ymd(year, 1, 1), date_time_ymd(year + YEARS, 1, 1));
    let mut authority = CertificateParams::new(Vec::new()).map_err(failed)?;
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    authority.distinguished_name.push(DnType::CommonName, format!("farmjank: authority of {name}"));
    (authority.not_before, authority.not_after) = (from, to);
    let pair = KeyPair::generate().map_err(failed)?;
    let authority = authority.self_signed(&pair).map_err(failed)?;

    let mut names = vec![name.to_owned()];
    names.extend(["localhost", "127.0.0.1", "::1"].map(str::to_owned).into_iter().filter(|own| own != name));
    let mut server = CertificateParams::new(names).map_err(failed)?;
    server.distinguished_name.push(DnType::CommonName, name);
    server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    server.use_authority_key_identifier_extension = true;
    (server.not_before, server.not_after) = (from, to);
    let own = KeyPair::generate().map_err(failed)?;
    let server = server.signed_by(&own, &authority, &pair).map_err(failed)?.pem();
    Ok(Certificates { authority: authority.pem(), server, key: own.serialize_pem() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_keys_are_the_same_and_a_seed_is_that_of_its_key() {
        let (one, other) = (credential().expect("made"), credential().expect("made"));
        assert_ne!(one.key, other.key);
        let pair = nkeys::KeyPair::from_seed(&one.seed).expect("a seed");
        assert_eq!(pair.public_key(), one.key);
        assert!(one.key.starts_with('U') && one.seed.starts_with("SU"));
    }

    #[test]
    fn certificates_are_for_names_and_for_addresses() {
        for name in ["farm.example", "10.0.0.7", "localhost", "::1"] {
            let made = certificates(name, 2026).expect(name);
            assert!(made.server.starts_with("-----BEGIN CERTIFICATE-----"), "{name}");
            assert!(made.key.contains("PRIVATE KEY") && made.authority != made.server, "{name}");
        }
    }
}
