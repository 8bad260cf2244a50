pub fn price(name: &str) -> u32 {
    match name {
        "cup" => 9,
        _ => 4,
    }
}
