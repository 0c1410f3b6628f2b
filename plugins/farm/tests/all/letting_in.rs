//! Who is let in by a real server: over TLS, with an nkey, or not at all; and what the refused are told.

use crate::conformance::runtime;
use farmjank_farm::nats::{Address, Nats, Terms};
use farmjank_results::fault::{Fault, FaultCode, Persistence};
use farmjank_witnesses::nats::{Authority, NatsServer};
use std::time::Duration;

fn connect(address: &Address) -> Result<(), Fault> {
    runtime().block_on(async {
        let nats = Nats::connect(address, "pay", Terms::FARM, Duration::from_secs(4), true).await?;
        nats.prepare().await
    })
}

fn address(urls: String, secret: Option<&str>) -> Address {
    Address { urls, name: "bench".to_owned(), secret: secret.map(str::to_owned), authorities: None }
}

#[test]
fn an_end_with_the_right_key_is_let_in_and_another_is_told() {
    let key = nkeys::KeyPair::new_user();
    let users = format!("authorization {{ users: [ {{ nkey: \"{}\" }} ] }}", key.public_key());
    let Some(server) = NatsServer::start(&users) else { return };
    let seed = key.seed().expect("it was made here");
    connect(&address(server.url(), Some(&format!("{seed}\n")))).expect("the key the server knows");
    let other = nkeys::KeyPair::new_user().seed().expect("it was made here");
    let fault = connect(&address(server.url(), Some(&other))).expect_err("a key nobody knows");
    assert_eq!((fault.code.clone(), fault.persistence), (FaultCode::FarmRefused, Persistence::Lasting));
    assert!(fault.what.contains("does not let this end in"), "{fault}");
    assert!(!fault.to_string().contains("SU"), "no secret is repeated: {fault}");
    let fault = connect(&address(server.url(), None)).expect_err("nobody");
    assert_eq!((fault.code.clone(), fault.persistence), (FaultCode::Usage, Persistence::Lasting));
    assert!(fault.what.contains("asks who comes, and no key was given"), "{fault}");
    let fault = connect(&address(server.url(), Some("hunter2"))).expect_err("no key at all");
    assert_eq!(fault.code, FaultCode::Usage, "{fault}");
    assert!(!fault.to_string().contains("hunter2"), "{fault}");
}

#[test]
fn a_certificate_is_believed_by_its_authority_alone() {
    let Some(authority) = Authority::make() else { return };
    let Some(server) = NatsServer::start(&authority.server_config()) else { return };
    let tls = server.url().replace("nats://", "tls://");
    let fault = connect(&address(tls.clone(), None)).expect_err("an authority nobody knows");
    assert_eq!((fault.code.clone(), fault.persistence), (FaultCode::FarmRefused, Persistence::Lasting));
    let told = fault.to_string();
    assert!(told.contains("no trusted connection") && told.contains("UnknownIssuer"), "{told}");
    assert!(told.contains("--farm-ca"), "{told}");
    let known = Address { authorities: Some(authority.certificate()), ..address(tls, None) };
    connect(&known).expect("its authority is named");
}
