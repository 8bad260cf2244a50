//! Findings in, bytes out: human, JSON, SARIF, workflow commands. Formats, and neither counts, filters nor decides.
