//! Parse, run, exit.

fn main() -> std::process::ExitCode {
    yatsu_hook::cli::main()
}
