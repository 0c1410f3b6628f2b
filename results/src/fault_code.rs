//! The kinds of faults, once: the word a log and a report carry, whose fault it usually is, and what it means.
//!
//! Whoever decides on a fault decides on a variant. A log of a newer farmjank may hold words that are not here: they
//! are kept as they are, and nothing is decided on them.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Whose fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Blame {
    /// The scenario asks for something that cannot be.
    Scenario,
    /// The app crashed, hung or could not be started.
    App,
    /// A phone, a cable, a server.
    Lab,
    /// farmjank itself.
    Tool,
}

/// `Variant "word" Blame: "meaning";`, one per code. The word is for logs and reports and is never changed.
macro_rules! codes {
    ($($code:ident $word:literal $blame:ident: $meaning:literal;)+) => {
        /// What kind of fault it is.
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(from = "String", into = "String")]
        #[non_exhaustive]
        pub enum FaultCode {
            $(#[doc = $meaning] $code,)+
            /// A word of a log that this farmjank does not know.
            Unlisted(Unlisted),
        }

        /// Every code there is, in the order of docs/faults.md.
        pub const CODES: &[FaultCode] = &[$(FaultCode::$code),+];

        impl FaultCode {
            /// The word a log carries: lower-case letters and `_`, the same for ever.
            pub fn word(&self) -> &str {
                match self {
                    $(FaultCode::$code => $word,)+
                    FaultCode::Unlisted(Unlisted(word)) => word,
                }
            }

            /// Whose fault it usually is; what a log of a newer farmjank blames is in the log.
            pub fn blame(&self) -> Blame {
                match self {
                    $(FaultCode::$code => Blame::$blame,)+
                    FaultCode::Unlisted(_) => Blame::Tool,
                }
            }

            /// What it means, for people: one sentence without a full stop.
            pub fn meaning(&self) -> &'static str {
                match self {
                    $(FaultCode::$code => $meaning,)+
                    FaultCode::Unlisted(_) => "a newer farmjank knows what it means",
                }
            }
        }

        impl From<String> for FaultCode {
            fn from(word: String) -> FaultCode {
                match word.as_str() {
                    $($word => FaultCode::$code,)+
                    _ => FaultCode::Unlisted(Unlisted(word)),
                }
            }
        }
    };
}

/// A word that is in no variant: only reading a log makes one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unlisted(String);

codes! {
    // The phone itself does not answer.
    DeviceLost "device_lost" Lab: "the connection to the phone ended in the middle of an answer";
    DeviceMissing "device_missing" Lab: "no such phone is connected";
    DeviceOffline "device_offline" Lab: "adb lists the phone as offline";
    DeviceUnauthorized "device_unauthorized" Lab: "the phone has not accepted this computer's key";
    DeviceNoPermissions "device_no_permissions" Lab: "this computer may not open the phone (udev rules)";
    DeviceSilent "device_silent" Lab: "the phone does not answer its heartbeat";
    DeviceAmbiguous "device_ambiguous" Lab: "several phones have the same serial";
    DeviceLeased "device_leased" Tool: "the phone is already in use by this run";
    DeviceInUse "device_in_use" Lab: "another run of this computer uses the phone";
    DeviceBooked "device_booked" Lab: "somebody else has the phone, as the plugin that lends it says";
    DeviceDrained "device_drained" Lab: "whoever keeps the farm took the phone out of service";
    DeviceChanged "device_changed" Lab: "the phone runs another system than when the run began";
    DeviceNotReady "device_not_ready" Lab: "the phone is in a state in which it cannot be used";
    Timeout "timeout" Lab: "an answer did not come in time";
    Protocol "protocol" Lab: "what was answered is not the adb protocol";
    RebootsSpent "reboots_spent" Lab: "the phone was booted as often as a day allows, and does not answer again";
    Refused "refused" Lab: "the adb server refused, or cannot be reached";
    // Around the phone: servers, connections, programs of this computer.
    Closed "closed" Lab: "the phone's adb daemon refused to open a service";
    NoServer "no_server" Lab: "no adb server answers";
    NoPhone "no_phone" Lab: "no phone is connected";
    FactsUnknown "facts_unknown" Lab: "the phone does not tell whether the scenario is for it";
    PhonesMissing "phones_missing" Lab: "fewer phones came than the fleet is said to have";
    TooManyPhones "too_many_phones" Lab: "more phones than are watched at once";
    ProgramMissing "program_missing" Lab: "a program of this computer cannot be started";
    PluginFailed "plugin_failed" Lab: "the plugin that lends the phone failed, or did not answer in time";
    CommandTooLong "command_too_long" Tool: "a command is longer than adb carries";
    OutputTooLarge "output_too_large" Lab: "the phone sent more than is read";
    AnswerCut "answer_cut" Lab: "several commands in one shell call were not all answered";
    CommandFailed "command_failed" Lab: "a command on the phone failed";
    StorageFull "storage_full" Lab: "no room is left on the phone";
    ClockJumped "clock_jumped" Lab: "the phone's clocks parted in the middle of a trial";
    FileRefused "file_refused" Lab: "the phone refused to take or give a file";
    Silent "silent" Lab: "a stream said nothing for as long as is waited";
    LoopEnded "loop_ended" Lab: "the sampling loop on the phone ended by itself";
    // What a phone is asked about itself.
    Booting "booting" Lab: "the phone has not finished booting";
    FactsUnreadable "facts_unreadable" Lab: "the phone's facts (model, Android, screen) cannot be read";
    ClockUnknown "clock_unknown" Lab: "the phone's clocks cannot be told";
    ScreenUnknown "screen_unknown" Lab: "the size of the phone's screen cannot be told";
    SettingsMissing "settings_missing" Lab: "the phone's settings cannot be read";
    UiUnreadable "ui_unreadable" Lab: "what is on the screen cannot be read (uiautomator)";
    // The state a phone must be in.
    ScreenOff "screen_off" Lab: "the screen is off and cannot be woken, or went off in a trial";
    Locked "locked" Lab: "the lock screen cannot be dismissed, or came up in a trial";
    Hot "hot" Lab: "the phone is too hot and does not cool down in time";
    ForeignLoop "foreign_loop" Lab: "somebody else's loop reads or clears the phone's frames and does not end in time";
    BatteryLow "battery_low" Lab: "the phone's battery is too low to measure on";
    StorageLow "storage_low" Lab: "the phone has so little room left that Android itself begins to tidy up";
    SettingRefused "setting_refused" Lab: "the phone does not take a setting the scenario asks for";
    RateMissing "rate_missing" Scenario: "the phone has no such refresh rate";
    // Gestures.
    InjectionBlocked "injection_blocked" Lab: "the phone does not allow `input` over adb";
    InputFailed "input_failed" Lab: "`input` failed on the phone";
    StampsMissing "stamps_missing" Lab: "the times around a gesture cannot be read";
    // Frames.
    NoSource "no_source" Lab: "no source of frames works on this phone";
    LayerMissing "layer_missing" App: "the app has no layer that could show frames";
    LayerEmpty "layer_empty" App: "the app's layers have shown no frame";
    DumpRefused "dump_refused" Lab: "the phone refused to print frames";
    DumpTimeout "dump_timeout" Lab: "printing frames timed out on the phone";
    DumpGarbled "dump_garbled" Lab: "what the phone printed is not about frames";
    // The app.
    AppMissing "app_missing" App: "the app is not installed, or does not run where it should";
    AppCrashed "app_crashed" App: "the app crashed, or its process is gone";
    AppNotResponding "app_not_responding" App: "the phone says the app is not responding (ANR)";
    LaunchFailed "launch_failed" App: "the app does not start";
    OldBuild "old_build" App: "the older of two builds does not run: there is nothing to compare with";
    ApkRefused "apk_refused" Lab: "the phone refuses to install a build";
    AppReplaced "app_replaced" Lab: "somebody installed the app on the phone while it was measured";
    ApkOther "apk_other" Scenario: "the builds hold another app than the scenario names";
    CompileFailed "compile_failed" Lab: "the phone refuses to compile a build's code";
    // The scenario.
    ElementMissing "element_missing" Scenario: "nothing on the screen fits what a step looks for";
    ElementPresent "element_present" Scenario: "something is on the screen that must not be there";
    ConditionFalse "condition_false" Scenario: "what a step says must hold does not";
    ScriptFailed "script_failed" Scenario: "JavaScript of the scenario threw, or ran out of its bounds";
    PermissionDialog "permission_dialog" Scenario: "a dialog that asks for a permission is in front of the app";
    PageNotReady "page_not_ready" Scenario: "the page did not become ready in time";
    LauncherMissing "launcher_missing" Scenario: "the app has no activity to launch";
    LauncherAmbiguous "launcher_ambiguous" Scenario: "the app has several activities to launch";
    ActivityMissing "activity_missing" Scenario: "the app has no such activity";
    NotExported "not_exported" Scenario: "the activity may only be started by the app itself";
    LinkUnresolved "link_unresolved" Scenario: "no app opens this link";
    LabFile "lab" Scenario: "the virtual lab cannot be made as described";
    Servers "servers" Scenario: "the adb servers named are no addresses";
    Usage "usage" Scenario: "the command was asked for something it cannot do";
    // The history store.
    HistoryAddress "history_address" Tool: "what names the history is no file and no database";
    HistoryMissing "history_missing" Lab: "there is no history there";
    HistoryUnreadable "history_unreadable" Lab: "the history cannot be read";
    HistoryForeign "history_foreign" Lab: "the database belongs to another program";
    HistoryNewer "history_newer" Lab: "a newer farmjank wrote the history";
    HistoryBusy "history_busy" Lab: "another program is writing into the history";
    HistoryFailed "history_failed" Lab: "disk, network or rights did not let the history work";
    HistoryRefused "history_refused" Tool: "what was to be kept contradicts itself or what is kept";
    // Runs that share a plan.
    ShardMissing "shard_missing" Lab: "the run of the shard that has the phone is not among those that were merged";
    ShardCutOff "shard_cut_off" Lab: "the run of the shard that has the phone was cut off";
    // The farm.
    FarmUnreachable "farm_unreachable" Lab: "the farm's server does not answer";
    FarmFull "farm_full" Lab: "the farm keeps no more for this team: its quota is full";
    FarmRefused "farm_refused" Lab: "the farm does not let this end in, or not do that";
    FarmGarbled "farm_garbled" Tool: "what a host of the farm wrote cannot be read";
    FarmSkew "farm_skew" Tool: "hosts of the farm tell different things of the same run";
    HostLost "host_lost" Lab: "the host of the farm that has the phone is gone";
    SpoolLost "spool_lost" Lab: "what this computer put aside of the run cannot be read back from its disk";
    // The run itself.
    Interrupted "interrupted" Lab: "the run was interrupted";
    NotRun "not_run" Lab: "enough had failed (`--fail-fast`), or the run had had its time (`--deadline`), and it was not run";
    Panic "panic" Tool: "farmjank itself failed";
    Plan "plan" Tool: "the plan and the run do not fit each other";
    StepNested "step_nested" Tool: "a step came where none can be";
    NoLab "no_lab" Tool: "an address of a virtual lab was dialled as one of the network";
}

impl FaultCode {
    /// The phone itself does not answer: a lost connection, not a wrong answer.
    pub fn is_lost(&self) -> bool {
        use FaultCode::*;
        matches!(
            self,
            DeviceLost
                | DeviceMissing
                | DeviceOffline
                | DeviceUnauthorized
                | DeviceNoPermissions
                | DeviceSilent
                | DeviceAmbiguous
                | DeviceLeased
                | DeviceNotReady
                | Timeout
                | Protocol
                | Refused
        )
    }

    /// The app shows no frames yet, which may change while one waits.
    pub fn is_waiting(&self) -> bool {
        use FaultCode::*;
        matches!(self, AppMissing | LayerMissing | LayerEmpty | NoSource)
    }

    /// A build that cannot be installed: nothing was measured, and such a build is not a slow one.
    pub(crate) fn is_not_installed(&self) -> bool {
        matches!(self, FaultCode::ApkRefused | FaultCode::ApkOther)
    }
}

impl From<FaultCode> for String {
    fn from(code: FaultCode) -> String {
        code.word().to_owned()
    }
}

impl fmt::Display for FaultCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_word_gives_its_code_again_and_no_two_share_one() {
        let mut words = BTreeSet::new();
        for code in CODES {
            assert_eq!(&FaultCode::from(code.word().to_owned()), code);
            assert!(words.insert(code.word()), "{code} stands twice");
            assert!(code.word().bytes().all(|b| b == b'_' || b.is_ascii_lowercase()), "{code}");
        }
    }

    #[test]
    fn a_word_of_a_newer_log_is_kept_and_decides_nothing() {
        for word in ["device_melted", "", "Device_Lost", "\u{1b}[2J"] {
            let code: FaultCode = serde_json::from_value(word.into()).expect("any text is a code");
            assert!(
                !code.is_lost() && !code.is_waiting() && !code.is_not_installed() && !CODES.contains(&code)
            );
            assert_eq!(serde_json::to_value(&code).expect("a text"), word);
        }
    }
}
