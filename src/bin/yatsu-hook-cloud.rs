//! The same program as `yatsu-hook`, under the name by which that one finds it for work on a bucket.

fn main() -> std::process::ExitCode {
    yatsu_hook::cli::main()
}
