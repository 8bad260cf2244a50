//! The only code that writes data. Purpose: evidence and ledger lines that are there whole or not at all.
