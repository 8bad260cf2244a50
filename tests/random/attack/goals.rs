//! The deeds about goals. There is one contract, with a file that always exists as its criterion; so only the trust in
//! the readings decides whether the goal is reached.

use super::desk::Desk;
use super::seen::has_contract;
use crate::support::sha256;

/// The content hash of the contract.
pub(super) const CONTRACT: &str = "6e1e46d9ba765ffb403969d3b611872cca699dcec349eb6948ac947b6b4ecaa6";

const TEXT: &str = "goal_contract:\n  version: 1\n  goal_text: enough\n  acceptance_criteria:\n    - id: AC1\n      kind: artifact_exists\n      artifactPattern: src/a.rs\n";

/// A scenario file with the contract.
pub(super) fn agreed(file: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(file).replacen("---\n", &format!("---\n{TEXT}"), 1).into_bytes()
}

impl Desk<'_> {
    /// Adds a contract to a node.
    pub(super) fn agree(&mut self) {
        if let Some(dir) = self.node() {
            self.agree_at(&dir);
        }
    }

    fn agree_at(&mut self, dir: &str) {
        let path = self.scenario_file(dir);
        let Some(file) = self.state.get(&path).filter(|file| !has_contract(file)) else { return };
        self.state.insert(path, agreed(file));
    }

    /// Reaches a goal and claims it: everything is measured and fresh.
    pub(super) fn complete(&mut self) {
        let Some(dir) = self.node() else { return };
        self.agree_at(&dir);
        self.measure_all(&dir);
        let line = self.claim(CONTRACT);
        self.append(&dir, &[line]);
    }

    /// Claims a goal without a measurement, with the right contract or another one.
    pub(super) fn claim_falsely(&mut self) {
        let Some(dir) = self.node() else { return };
        self.agree_at(&dir);
        let contract = if self.dice.roll(4) == 0 { sha256(b"another") } else { CONTRACT.to_owned() };
        let line = self.claim(&contract);
        self.append(&dir, &[line]);
    }

    fn claim(&mut self, contract: &str) -> Vec<u8> {
        let (readings, ts) = (sha256(b"readings"), self.ts());
        format!(
            "{{\"decision\":\"complete\",\"contract\":\"{contract}\",\"readings\":\"{readings}\",\"by\":\"ann\",\"ts\":\"{ts}\"}}"
        )
        .into_bytes()
    }
}
