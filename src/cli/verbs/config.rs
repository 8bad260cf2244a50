//! `config show` and `config check`.

use crate::app::query::settings;
use crate::cli::Exit;
use crate::cli::args::view::ConfigArgs;
use crate::cli::call::Call;
use crate::cli::global::Stream;
use crate::error::Result;
use crate::report::{self, config as config_text};

pub(super) fn config(call: Call<'_>, args: ConfigArgs) -> Result<Exit> {
    let settings = settings::settings(&call.repo()?)?;
    let style = call.global.style(Stream::Out);
    call.answer(|out| match args {
        _ if call.is_machine() => report::write_json(&settings, out),
        ConfigArgs::Show => config_text::write_settings(&settings, out),
        ConfigArgs::Check => config_text::write_warnings(&settings, &style, out),
    })
}
