//! What the binary is made of, as CycloneDX JSON: every package that is linked into it or builds it, with version,
//! licence, hash of its source, and what it needs itself. Texts in, text out.

use crate::program::Failed;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The package the binary is of.
const ROOT: &str = "farmjank-cli";

/// The list, from what `cargo metadata` says and the lock file.
///
/// # Errors
/// Cargo says something else than it is known to.
pub fn of(metadata: &str, lock: &str) -> Result<String, Failed> {
    let wrong = || Failed("cargo metadata does not say what the binary is made of".to_owned());
    let metadata: Value = serde_json::from_str(metadata).map_err(|_| wrong())?;
    let by_id = |list: &Value| -> BTreeMap<String, Value> {
        let all = list.as_array().into_iter().flatten();
        all.filter_map(|one| Some((one["id"].as_str()?.to_owned(), one.clone()))).collect()
    };
    let packages = by_id(&metadata["packages"]);
    let nodes = by_id(&metadata["resolve"]["nodes"]);
    let root = packages.iter().find(|(_, package)| package["name"] == ROOT).map(|(id, _)| id.clone());
    let root = root.ok_or_else(wrong)?;
    let mut reached = BTreeSet::from([root.clone()]);
    let mut open = vec![root.clone()];
    while let Some(id) = open.pop() {
        let needs = nodes.get(&id).map(needs).unwrap_or_default();
        open.extend(needs.into_iter().filter(|need| reached.insert(need.clone())));
    }
    let hashes = hashes(lock);
    let components: BTreeMap<String, Value> = (reached.iter())
        .filter(|id| **id != root)
        .filter_map(|id| packages.get(id).map(|package| (reference(package), component(package, &hashes))))
        .collect();
    let dependencies: BTreeMap<String, Value> = (reached.iter())
        .filter_map(|id| {
            let package = packages.get(id)?;
            let needs = nodes.get(id).map(needs).unwrap_or_default();
            let on: BTreeSet<String> =
                needs.iter().filter_map(|need| packages.get(need)).map(reference).collect();
            Some((reference(package), json!({ "ref": reference(package), "dependsOn": on })))
        })
        .collect();
    let own = packages.get(&root).ok_or_else(wrong)?;
    let list = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": {
            "type": "application",
            "bom-ref": reference(own),
            "name": "farmjank",
            "version": own["version"],
            "licenses": [{ "expression": own["license"] }],
        } },
        "components": components.into_values().collect::<Vec<_>>(),
        "dependencies": dependencies.into_values().collect::<Vec<_>>(),
    });
    Ok(format!("{list:#}\n"))
}

/// What a package needs to be built or run; what only its tests need is in no binary.
fn needs(node: &Value) -> Vec<String> {
    let all = node["deps"].as_array().into_iter().flatten();
    let ships = |need: &&Value| {
        let kinds = need["dep_kinds"].as_array();
        kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"] != "dev"))
    };
    all.filter(ships).filter_map(|need| need["pkg"].as_str().map(str::to_owned)).collect()
}

fn reference(package: &Value) -> String {
    let text = |key: &str| package[key].as_str().unwrap_or_default();
    format!("pkg:cargo/{}@{}", text("name"), text("version"))
}

fn component(package: &Value, hashes: &BTreeMap<String, String>) -> Value {
    let mut component = json!({
        "type": "library",
        "bom-ref": reference(package),
        "name": package["name"],
        "version": package["version"],
        "purl": reference(package),
    });
    if let Some(licence) = package["license"].as_str() {
        // Cargo took `MIT/Apache-2.0` for a choice before there were expressions.
        component["licenses"] = json!([{ "expression": licence.replace('/', " OR ") }]);
    }
    if let Some(hash) = hashes.get(&reference(package)) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": hash }]);
    }
    component
}

/// Hashes of packages in a lock file.
fn hashes(lock: &str) -> BTreeMap<String, String> {
    let value = |line: &str, key: &str| {
        line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"').map(str::to_owned)
    };
    let hash = |package: &str| {
        let find = |key: &str| package.lines().find_map(|line| value(line, key));
        Some((format!("pkg:cargo/{}@{}", find("name")?, find("version")?), find("checksum")?))
    };
    lock.split("[[package]]").filter_map(hash).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Program, root};

    #[test]
    fn every_package_of_the_binary_is_listed_with_its_licence_and_hash() {
        let machine = crate::dist::machine().unwrap();
        let metadata = Program::cargo("metadata --locked --offline --format-version 1 --filter-platform");
        let metadata = metadata.words(&machine).output().unwrap();
        let lock = std::fs::read_to_string(root().join("Cargo.lock")).unwrap();
        let text = of(&metadata, &lock).unwrap();
        assert_eq!(text, of(&metadata, &lock).unwrap(), "the same twice");
        let list: Value = serde_json::from_str(&text).unwrap();
        let components = list["components"].as_array().unwrap();
        let of = |name: &str| components.iter().find(|one| one["name"] == name);
        assert!(of("tokio").is_some() && of("farmjank-engine").is_some());
        assert!(of("proptest").is_none() && of(ROOT).is_none(), "tests are in no binary");
        for one in components {
            let own = one["name"].as_str().unwrap().starts_with("farmjank-");
            assert!(one["licenses"][0]["expression"].is_string(), "{one}");
            assert!(
                own || one["hashes"][0]["content"].as_str().is_some_and(|hash| hash.len() == 64),
                "{one}"
            );
        }
        let refs: BTreeSet<&str> = components.iter().filter_map(|one| one["bom-ref"].as_str()).collect();
        for one in list["dependencies"].as_array().unwrap() {
            assert!(
                one["dependsOn"].as_array().unwrap().iter().all(|on| refs.contains(on.as_str().unwrap())),
                "{one}"
            );
        }
    }

    #[test]
    fn what_is_no_metadata_is_refused() {
        assert!(of("{}", "").is_err() && of("no JSON", "").is_err());
    }
}
