//! The metrics of a scenario's readings, a row of dots for each metric and unit: the oldest reading at the left. The scale does not
//! begin at 0; the words say its ends. Nothing is judged by it.

use super::history::HEIGHTS;
use super::markup::Markup;
use crate::report::view::score::ReadingRow;
use crate::text::number::Finite;
use std::collections::BTreeSet;

/// The height of a row in pixels, without the dot.
const ROOM: f64 = 24.0;

pub(super) fn metrics(page: &mut Markup, readings: &[ReadingRow]) {
    let all: BTreeSet<(&str, &str)> = readings.iter().flat_map(named).map(|(name, unit, _)| (name, unit)).collect();
    for (name, unit) in all {
        row(page, readings, name, unit);
    }
}

/// The metrics of a reading: name, unit, value.
fn named(reading: &ReadingRow) -> impl Iterator<Item = (&str, &str, Finite)> {
    let unit = |name: &str| reading.measures.units.get(name).map_or("", String::as_str);
    reading.measures.metrics.iter().map(move |(name, value)| (&**name, unit(name), *value))
}

fn row(page: &mut Markup, readings: &[ReadingRow], name: &str, unit: &str) {
    let value =
        |reading| named(reading).find(|(other, of, _)| *other == name && *of == unit).map(|(_, _, value)| value);
    let values: Vec<Finite> = readings.iter().filter_map(value).collect();
    let Some(newest) = values.first() else { return };
    let least = values.iter().map(|value| value.get()).fold(f64::INFINITY, f64::min);
    let most = values.iter().map(|value| value.get()).fold(f64::NEG_INFINITY, f64::max);
    page.raw("<div class=\"metric\"")
        .attr("data-metric", name)
        .raw("><p><b>")
        .text(name)
        .raw("</b> ")
        .text(newest.to_string());
    if !unit.is_empty() {
        page.raw(" ").text(unit);
    }
    if values.len() > 1 {
        page.raw(" <span class=\"many\">least ").text(least.to_string()).raw(", greatest ").text(most.to_string());
        page.raw(" in ").number(values.len() as u128).raw(" readings</span>");
    }
    page.raw("</p><ol aria-hidden=\"true\">");
    for reading in readings.iter().rev() {
        let Some(value) = value(reading) else {
            page.raw("<li></li>");
            continue;
        };
        page.raw("<li").attr("data-value", value.to_string()).attr("data-verdict", reading.effective().as_str());
        page.raw("><i></i><span class=\"").raw(HEIGHTS[height(value.get(), least, most)]).raw("\"></span></li>");
    }
    page.raw("</ol></div>\n");
}

/// How far above the bottom a value stands. One value alone stands in the middle.
fn height(value: f64, least: f64, most: f64) -> usize {
    // halves, because the difference of two numbers may not be one
    let share = (value / 2.0 - least / 2.0) / (most / 2.0 - least / 2.0);
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.5 };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and the room")]
    let height = (share * ROOM).round() as usize;
    height
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stands_between_the_ends_whatever_the_numbers_are() {
        assert_eq!([1.0, 2.0, 3.0].map(|value| height(value, 1.0, 3.0)), [0, 12, 24]);
        assert_eq!(height(5.0, 5.0, 5.0), 12);
        assert_eq!([f64::MIN, 0.0, f64::MAX].map(|value| height(value, f64::MIN, f64::MAX)), [0, 12, 24]);
        assert_eq!(height(5e-324, 0.0, 5e-324), 12, "too near to be told apart");
    }
}
