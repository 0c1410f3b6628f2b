//! What is wanted of phones, under `prepare`.

use super::fields::{self, Fields, entries};
use super::read_context::ReadContext;
use super::value;
use crate::complaint::quoted;
use crate::prepare::{Prepare, RefreshRate};
use crate::vocabulary::PREPARE;

/// What a header says about it.
pub(super) fn prepare(ctx: &mut ReadContext<'_>, header: &Fields) -> Prepare {
    let Some(node) = header.get("prepare").cloned() else { return Prepare::default() };
    let Some(entries) = entries(ctx, "prepare", &node) else { return Prepare::default() };
    let fields = fields::fields(ctx, "prepare", node.mark, entries, &[PREPARE]);
    Prepare {
        animations: value::number(ctx, &fields, "animations"),
        refresh_rate: refresh_rate(ctx, &fields),
        battery_saver: value::flag(ctx, &fields, "battery_saver"),
        stay_awake: value::flag(ctx, &fields, "stay_awake"),
        min_battery: value::whole(ctx, &fields, "min_battery"),
    }
}

fn refresh_rate(ctx: &mut ReadContext<'_>, fields: &Fields) -> Option<RefreshRate> {
    let text = value::scalar(ctx, "refresh_rate", fields.get("refresh_rate")?)?;
    let rate = RefreshRate::parse(&text.value);
    if rate.is_none() {
        let what = format!("{} is no refresh rate", quoted(&text.value));
        ctx.complain(text.mark, what, "write a rate of the panel in Hz, such as `60`, or `highest`");
    }
    rate
}
