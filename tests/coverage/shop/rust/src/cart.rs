use crate::{gift::wrap, price::price};

pub fn total(names: &[&str], gift: bool) -> u32 {
    let sum: u32 = names.iter().map(|name| price(name)).sum();
    sum + if gift { wrap() } else { 0 }
}
