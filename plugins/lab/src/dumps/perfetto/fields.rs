//! Which fields a trace config may have, by message and Android release, as Perfetto of those releases names them.
//!
//! A phone refuses the whole config for one field it does not know. Messages that are not listed are taken as they are.

/// Fields by the release that brought them (API level); older phones are held to the oldest list.
type Brought = &'static [(u32, &'static [&'static str])];

const TRACE: Brought = &[
    (
        0,
        &[
            "activate_triggers",
            "allow_user_build_tracing",
            "buffers",
            "bugreport_score",
            "builtin_data_sources",
            "compression_type",
            "data_source_stop_timeout_ms",
            "data_sources",
            "deferred_start",
            "duration_ms",
            "enable_extra_guardrails",
            "file_write_period_ms",
            "flush_period_ms",
            "flush_timeout_ms",
            "guardrail_overrides",
            "incident_report_config",
            "incremental_state_config",
            "lockdown_mode",
            "max_file_size_bytes",
            "notify_traceur",
            "output_path",
            "producers",
            "statsd_logging",
            "statsd_metadata",
            "trace_uuid_lsb",
            "trace_uuid_msb",
            "trigger_config",
            "unique_session_name",
            "write_into_file",
        ],
    ),
    (33, &["android_report_config", "cmd_trace_start_delay", "trace_filter"]),
    (34, &["prefer_suspend_clock_for_duration"]),
    (35, &["bugreport_filename"]),
    (36, &["session_semaphores"]),
];
const BUFFER: Brought =
    &[(0, &["fill_policy", "size_kb"]), (35, &["clear_before_clone", "transfer_on_clone"])];
const SOURCE: Brought = &[(0, &["config", "producer_name_filter", "producer_name_regex_filter"])];
const CONFIG: Brought = &[
    (
        0,
        &[
            "android_log_config",
            "android_polled_state_config",
            "android_power_config",
            "chrome_config",
            "enable_extra_guardrails",
            "for_testing",
            "ftrace_config",
            "gpu_counter_config",
            "heapprofd_config",
            "inode_file_config",
            "interceptor_config",
            "java_hprof_config",
            "legacy_config",
            "name",
            "packages_list_config",
            "perf_event_config",
            "process_stats_config",
            "session_initiator",
            "stop_timeout_ms",
            "sys_stats_config",
            "target_buffer",
            "trace_duration_ms",
            "tracing_session_id",
            "track_event_config",
            "vulkan_memory_config",
        ],
    ),
    (
        34,
        &[
            "android_game_intervention_list_config",
            "android_system_property_config",
            "network_packet_trace_config",
            "prefer_suspend_clock_for_duration",
            "statsd_tracing_config",
            "system_info_config",
        ],
    ),
    (
        35,
        &[
            "android_input_event_config",
            "android_sdk_sysprop_guard_config",
            "etw_config",
            "pixel_modem_config",
            "protolog_config",
            "surfaceflinger_layers_config",
            "surfaceflinger_transactions_config",
            "v8_config",
        ],
    ),
    (
        36,
        &[
            "app_wakelocks_config",
            "chromium_histogram_samples",
            "chromium_system_metrics",
            "gpu_renderstages_config",
            "kernel_wakelocks_config",
            "windowmanager_config",
        ],
    ),
];
const PROCESSES: Brought = &[
    (
        0,
        &[
            "proc_stats_cache_ttl_ms",
            "proc_stats_poll_ms",
            "quirks",
            "record_thread_names",
            "scan_all_processes_on_start",
        ],
    ),
    (34, &["resolve_process_fds", "scan_smaps_rollup"]),
    (35, &["record_process_age", "record_process_runtime"]),
];
const KERNEL: Brought = &[
    (
        0,
        &[
            "atrace_apps",
            "atrace_categories",
            "buffer_size_kb",
            "compact_sched",
            "drain_period_ms",
            "ftrace_events",
            "initialize_ksyms_synchronously_for_testing",
            "symbolize_ksyms",
        ],
    ),
    (33, &["disable_generic_events", "throttle_rss_stat"]),
    (
        34,
        &[
            "enable_function_graph",
            "function_filters",
            "function_graph_roots",
            "instance_name",
            "ksyms_mem_policy",
            "preserve_ftrace_buffer",
            "print_filter",
            "syscall_events",
            "use_monotonic_raw_clock",
        ],
    ),
    (35, &["buffer_size_lower_bound", "drain_buffer_percent"]),
    (
        36,
        &[
            "atrace_categories_prefer_sdk",
            "debug_ftrace_abi",
            "denser_generic_event_encoding",
            "kprobe_events",
        ],
    ),
];

const PERF: Brought = &[
    (
        0,
        &[
            "additional_cmdline_count",
            "all_cpus",
            "callstack_sampling",
            "exclude_cmdline",
            "exclude_pid",
            "kernel_frames",
            "max_daemon_memory_kb",
            "max_enqueued_footprint_kb",
            "remote_descriptor_timeout_ms",
            "ring_buffer_pages",
            "ring_buffer_read_period_ms",
            "sampling_frequency",
            "target_cmdline",
            "target_installed_by",
            "target_pid",
            "timebase",
            "unwind_state_clear_period_ms",
        ],
    ),
    (36, &["followers", "target_cpu"]),
];
const TIMEBASE: Brought = &[
    (0, &["counter", "frequency", "period", "tracepoint"]),
    (33, &["name", "raw_event", "timestamp_clock"]),
    (36, &["poll_period_ms"]),
];
const TRACEPOINT: Brought = &[(0, &["filter", "name"])];
const SAMPLING: Brought = &[(0, &["kernel_frames", "scope"]), (34, &["user_frames"])];
const SCOPE: Brought = &[
    (0, &["additional_cmdline_count", "exclude_cmdline", "exclude_pid", "target_cmdline", "target_pid"]),
    (34, &["process_shard_count"]),
];

/// A message of the config.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `TraceConfig`
    Trace,
    /// `BufferConfig`
    Buffer,
    /// `DataSource`
    Source,
    /// `DataSourceConfig`
    Config,
    /// `ProcessStatsConfig`
    Processes,
    /// `FtraceConfig`
    Kernel,
    /// `PerfEventConfig`
    Perf,
    /// `PerfEvents.Timebase`
    Timebase,
    /// `PerfEvents.Tracepoint`
    Tracepoint,
    /// `PerfEventConfig.CallstackSampling`
    Sampling,
    /// `PerfEventConfig.Scope`
    Scope,
}

impl Kind {
    /// Its name in complaints.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Trace => "TraceConfig",
            Kind::Buffer => "BufferConfig",
            Kind::Source => "DataSource",
            Kind::Config => "DataSourceConfig",
            Kind::Processes => "ProcessStatsConfig",
            Kind::Kernel => "FtraceConfig",
            Kind::Perf => "PerfEventConfig",
            Kind::Timebase => "Timebase",
            Kind::Tracepoint => "Tracepoint",
            Kind::Sampling => "CallstackSampling",
            Kind::Scope => "Scope",
        }
    }

    /// Whether a release knows a field of it.
    pub fn knows(self, field: &str, sdk: u32) -> bool {
        let brought = match self {
            Kind::Trace => TRACE,
            Kind::Buffer => BUFFER,
            Kind::Source => SOURCE,
            Kind::Config => CONFIG,
            Kind::Processes => PROCESSES,
            Kind::Kernel => KERNEL,
            Kind::Perf => PERF,
            Kind::Timebase => TIMEBASE,
            Kind::Tracepoint => TRACEPOINT,
            Kind::Sampling => SAMPLING,
            Kind::Scope => SCOPE,
        };
        brought.iter().any(|(since, fields)| *since <= sdk && fields.contains(&field))
    }

    /// The message behind a field of a data source's config.
    pub fn behind(field: &str) -> Option<Kind> {
        match field {
            "process_stats_config" => Some(Kind::Processes),
            "ftrace_config" => Some(Kind::Kernel),
            _ => None,
        }
    }
}
