//! Flags that choose what runs.

use clap::{Args, ValueEnum};
use farmjank_scenarios::scenario::PhoneSettings;
use std::path::PathBuf;

/// How phones are shared out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ShardByArg {
    /// By serial.
    #[default]
    Phone,
    /// By how long their jobs take.
    Duration,
}

/// What equal phones share out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SpreadArg {
    /// Nothing, whatever scenarios say.
    Off,
    /// One phone of each class makes all iterations.
    Scenarios,
    /// The phones of a class share the iterations out.
    Iterations,
}

/// Which jobs.
#[derive(Args, Debug, Clone, Default)]
pub struct SelectArgs {
    /// Only the scenario of this name, as in its file; repeatable, `*` stands for anything. A name that no scenario has
    /// ends the command (exit 5).
    #[arg(long, value_name = "NAME")]
    pub scenario: Vec<String>,
    /// Only scenarios with one of these tags.
    #[arg(short = 't', long, value_name = "TAG", value_delimiter = ',')]
    pub include_tags: Vec<String>,
    /// No scenario with one of these tags.
    #[arg(long, value_name = "TAG", value_delimiter = ',')]
    pub exclude_tags: Vec<String>,
    /// Only the I-th of N parts of the phones, such as `2/4`: no phone is in two.
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// How `--shard` shares out phones: `phone`, by serial alone, so that one that comes or goes moves no other;
    /// `duration`, so that all parts take about as long, where all of them see the same phones.
    #[arg(long, value_name = "HOW", value_enum, default_value = "phone", requires = "shard")]
    pub shard_by: ShardByArg,
    /// Phones the fleet has that qualify, instead of what scenarios say (`phones`): fewer are a lab fault.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub phones: Option<u32>,
    /// Go without phones that are not there, do not answer or are not authorized: they are named as not measured, and
    /// the exit code is that of the others. Without it each is a lab fault (exit 3). One named with `-s` must be there.
    #[arg(long)]
    pub allow_missing: bool,
    /// One phone of each class (model, Android release, refresh rates) for each scenario, the work shared out among
    /// equal phones, instead of every phone; a fault of the lab moves a job to another phone of its class (`spread` in
    /// scenarios). With `--spread=iterations` the phones of a class share the iterations out, five for each at least;
    /// each is judged by its own.
    #[arg(
        long,
        value_name = "WHAT",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "scenarios"
    )]
    pub spread: Option<SpreadArg>,
    /// What is measured and reported without gating: this file, repeatable. Without it every quarantine.yaml beside the
    /// scenarios counts.
    #[arg(long, value_name = "FILE")]
    pub quarantine: Vec<PathBuf>,
    /// What is changed on phones while jobs run there, and set back afterwards, instead of what scenarios say
    /// (`prepare`); repeatable: `animations=1`, `refresh_rate=60` (or `highest`), `battery_saver=off`,
    /// `stay_awake=off`, `min_battery=10`; `none` changes nothing.
    #[arg(long, value_name = "KEY=VALUE", value_delimiter = ',')]
    pub prepare: Vec<String>,
    /// What is looked at beside the frames, instead of what scenarios say (`beside`): `cpu`, `memory`, `temperature`,
    /// `battery`, `network`; repeatable. What a limit needs is looked at all the same.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub beside: Vec<String>,
    /// Counted iterations per phone, instead of what scenarios say.
    #[arg(long, value_name = "N")]
    pub iterations: Option<u32>,
    /// Warm-up iterations per phone, instead of what scenarios say.
    #[arg(long, value_name = "N")]
    pub warmup: Option<u32>,
    /// What `farmjank.toml` says for some phones.
    #[arg(skip)]
    pub for_phones: Vec<PhoneSettings>,
}
