//! The three-way merge of a ledger.
