//! Which metric is held to which truth. A metric of the registry that is in no list fails a test.

/// On presents: held on every archetype, from every source of single frames.
pub const PRESENTS: &str = "fps scroll_fps finger_fps fling_fps delivery_ratio fps_60eq fps_n_over_t scroll_fps_1s \
    fps_buckets low1_fps p99_fps cadence hitch_ms_per_s hitch_ms hitch_raw_ms_per_s dropped_frames dropped_pct \
    frozen_frames frozen_ratio drop_levels60 matrix_levels stutter_windows stutter_windows_seed p50_ms p90_ms p95_ms \
    p99_ms max_ms mean_ms rms_ms stdev_ms jitter_ms perfdog_jank perfdog_big_jank perfdog_small_jank \
    perfdog_reset_jank perfdog_reset_big_jank perfdog_stutter_pct perfdog_fps_avg perfdog_fps_var perfdog_drop_fps \
    slow20_pct slow30_pct slow_session20 slow_session30 chromium_jank_count chromium_max_frame_delay \
    chromium_avg_fps chromium_discrepancy_ms percentage_smooth mostly_smooth union_fps views_mean_fps \
    views_sum_jank first_frame_latency_ms ambiguous_gap_ms";

/// Of evidence that nothing spoiled: these must read 0 in a lab without faults.
pub const CLEAN: &str =
    "invalid_rows short_frames loss_events ring_resets unresolved_pending source_disagreements";

/// On render stages: held where framestats reach over the window.
pub const STAGES: &str = "render_ms render_p50_ms render_p90_ms render_p95_ms render_p99_ms render_max_ms frame_count \
    vitals_slow vitals_slow_pct vitals_frozen frozen_render over_interval_pct jank_legacy jank_deadline \
    jank_deadline_pct hwui_missed_vsync hwui_slow_ui hwui_slow_upload hwui_slow_draw hwui_high_input_latency \
    stage_unknown_delay_ms stage_input_ms stage_animation_ms stage_layout_measure_ms stage_draw_ms \
    stage_sync_queue_ms stage_sync_ms stage_command_issue_ms stage_swap_buffers_ms stage_gpu_ms main_factor \
    main_factor_none_pct input_latency_ms input_latency_p95_ms frameDurationCpuMs frameOverrunMs \
    matrix_do_frame_levels matrix_fps200 matrix_fps200_mean";

/// On SurfaceFlinger's judgement: held where a trace was taken.
pub const TIMELINE: &str = "ft_hitch_ms_per_s ft_frames ft_app_missed ft_sf_missed ft_blame ft_blame_ms \
    ft_severity \
    ft_buffer_stuffing ft_dropped ft_display_hal ft_sf_cpu ft_sf_gpu ft_sf_scheduling ft_prediction_error ft_unknown \
    ft_jank_types";

/// On SurfaceFlinger's counts: held between the stamps around counting.
pub const COUNTS: &str = "tally_fps tally_frames tally_dropped_frames tally_p50_ms tally_p90_ms tally_p95_ms \
    tally_p99_ms tally_long_frames tally_gaps tally_app_missed tally_sf_missed";

/// On the phone's log: held between the stamps around it.
pub const LOG: &str = "slow_message_count evil_message_count main_thread_blocked_ms slow_messages evil_messages \
    davey_count choreographer_skipped_frames";

/// On what the app and its phone use: held between the looks, where somebody asks for them.
pub const RESOURCES: &str = "cpu_ms_per_s device_cpu_pct rss_mb rss_peak_mb skin_c battery_c battery_ma network_rx_kb \
    network_tx_kb";

/// On launches.
pub const LAUNCH: &str = "launch_total_ms";

/// Not compared with the truth, and why.
pub const NOT_HELD: [(&str, &str); 5] = [
    (
        "zero_rows",
        "how often an unused slot was printed: it depends on when the dumps were taken, not on any frame",
    ),
    ("pending_rows", "how often a frame was met in flight: it depends on when the dumps were taken"),
    ("duplicate_rows", "how much the dumps overlap: it depends on when they were taken"),
    (
        "idle_gaps",
        "the lab's lists never rest in mid-fling and move again: stories of stalls hold them to 0 or 1",
    ),
    ("idle_ms", "time of idle_gaps, held where those are"),
];

/// Every list.
pub fn held() -> Vec<&'static str> {
    let lists = [PRESENTS, CLEAN, STAGES, TIMELINE, COUNTS, LOG, RESOURCES, LAUNCH];
    lists.iter().flat_map(|list| list.split_whitespace()).collect()
}
