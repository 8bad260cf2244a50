pub fn wrap() -> u32 {
    2
}
