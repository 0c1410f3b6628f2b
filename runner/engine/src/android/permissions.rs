//! What an app may do, by `pm grant` and `pm revoke`, under the names flows use.

use crate::patience::Patience;
use farmjank_results::fault::Fault;
use farmjank_scenarios::step::Permission;
use farmjank_seams::device::Device;
use farmjank_seams::quote::quote;
use std::collections::BTreeMap;

/// Names that stand for several of Android's.
const NAMES: &[(&str, &[&str])] = &[
    ("bluetooth", &["BLUETOOTH_CONNECT", "BLUETOOTH_SCAN", "BLUETOOTH_ADVERTISE"]),
    ("calendar", &["READ_CALENDAR", "WRITE_CALENDAR"]),
    ("camera", &["CAMERA"]),
    ("contacts", &["READ_CONTACTS", "WRITE_CONTACTS"]),
    ("location", &["ACCESS_FINE_LOCATION", "ACCESS_COARSE_LOCATION"]),
    (
        "medialibrary",
        &["READ_MEDIA_IMAGES", "READ_MEDIA_VIDEO", "READ_EXTERNAL_STORAGE", "WRITE_EXTERNAL_STORAGE"],
    ),
    ("microphone", &["RECORD_AUDIO"]),
    ("notifications", &["POST_NOTIFICATIONS"]),
    ("phone", &["CALL_PHONE", "READ_PHONE_STATE", "ANSWER_PHONE_CALLS"]),
    ("sensors", &["BODY_SENSORS", "ACTIVITY_RECOGNITION"]),
    ("sms", &["READ_SMS", "RECEIVE_SMS", "SEND_SMS"]),
    ("storage", &["READ_EXTERNAL_STORAGE", "WRITE_EXTERNAL_STORAGE"]),
];
/// Most permissions of one app that are asked for.
const MOST: usize = 200;

/// Grants and takes away. What the app did not ask for, and what the phone decides by itself, stays as it is.
pub async fn set(
    device: &dyn Device,
    app: &str,
    wanted: &BTreeMap<String, Permission>,
    patience: &Patience,
) -> Result<(), Fault> {
    let mut settings: BTreeMap<String, Permission> = BTreeMap::new();
    if let Some(all) = wanted.get("all") {
        let output = device.shell(&format!("dumpsys package {}", quote(app)), patience.dump).await?;
        settings.extend(requested(&output.text()).map(|name| (name.to_owned(), *all)));
    }
    for (name, permission) in wanted.iter().filter(|(name, _)| *name != "all") {
        settings.extend(full(name).into_iter().map(|name| (name, *permission)));
    }
    let verb = |permission: &Permission| match permission {
        Permission::Allow => "grant",
        Permission::Deny => "revoke",
    };
    let lines: Vec<String> = settings
        .iter()
        .map(|(name, permission)| {
            format!("pm {} {} {} 2>/dev/null", verb(permission), quote(app), quote(name))
        })
        .collect();
    if !lines.is_empty() {
        device.shell(&format!("{}; true", lines.join("; ")), patience.launch).await?;
    }
    Ok(())
}

/// Android's names of a permission.
fn full(name: &str) -> Vec<String> {
    let known = NAMES.iter().find(|(short, _)| *short == name);
    match known {
        Some((_, names)) => names.iter().map(|name| format!("android.permission.{name}")).collect(),
        None if name.contains('.') => vec![name.to_owned()],
        None => vec![format!("android.permission.{}", name.to_ascii_uppercase())],
    }
}

/// What an app asks for in its manifest, by `dumpsys package`.
fn requested(text: &str) -> impl Iterator<Item = &str> {
    let after = text.split_once("requested permissions:").map_or("", |(_, after)| after);
    let names = after.lines().skip(1).map(str::trim).take_while(|line| line.contains(".permission."));
    names.map(|line| line.split(':').next().unwrap_or(line)).take(MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_flows_become_androids() {
        assert_eq!(full("camera"), ["android.permission.CAMERA"]);
        assert_eq!(full("location").len(), 2);
        assert_eq!(full("com.example.permission.A"), ["com.example.permission.A"]);
        assert_eq!(full("read_logs"), ["android.permission.READ_LOGS"]);
    }

    #[test]
    fn what_an_app_asks_for_ends_with_its_section() {
        let text = "  Package [a]:\n    requested permissions:\n      android.permission.CAMERA\n      android.permission.INTERNET: restricted=true\n    install permissions:\n      android.permission.WAKE_LOCK: granted=true\n";
        assert_eq!(
            requested(text).collect::<Vec<_>>(),
            ["android.permission.CAMERA", "android.permission.INTERNET"]
        );
        assert_eq!(requested("nothing").count(), 0);
    }
}
