pub fn lines() -> Vec<&'static str> {
    vec!["cup", "tea"]
}
