//! What an object is called: the SHA-256 of its bytes. Whoever takes one from elsewhere holds it to its name.

use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::exchange::Exchange;
use sha2::{Digest, Sha256};

/// The digest of some bytes, hexadecimal.
pub fn of(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Leaves an object, and says what it is called.
///
/// # Errors
/// Those of the exchange.
pub async fn leave(exchange: &dyn Exchange, bytes: &[u8]) -> Result<String, Fault> {
    let digest = of(bytes);
    exchange.put(&digest, bytes).await?;
    Ok(digest)
}

/// An object that is what its name says; none where it is not there, or no longer: then it is forgotten, so that who
/// has it can leave it again.
///
/// # Errors
/// Those of the exchange; `farm_garbled` where the name is none.
pub async fn fetch(exchange: &dyn Exchange, digest: &str) -> Result<Option<Vec<u8>>, Fault> {
    if digest.len() != 64 || !digest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(Fault::new(FaultCode::FarmGarbled, "what is named as an object of the farm is none"));
    }
    let bytes = exchange.get(digest).await?.filter(|bytes| of(bytes) == digest);
    if bytes.is_none() {
        exchange.discard(digest).await?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_object_has_the_digest_everybody_knows() {
        assert_eq!(of(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}
