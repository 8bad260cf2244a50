//! `signature-unknown`: a change adds a signature that does not hold.

use crate::trust::{SIGNED, Team};

/// The output with keys and times left out.
fn shown(team: &Team) -> String {
    team.s.session("yatsu-hook check --from HEAD~1 --to HEAD 2>&1 | sed 's/SHA256:[^ ,]*/SHA256:KEY/'")
}

mod needs_ssh_keygen {
    use super::*;

    #[test]
    #[ignore = "needs ssh-keygen"]
    fn a_signature_by_a_key_that_nobody_admitted_is_named_and_one_by_a_known_key_is_not() {
        let team = Team::with_policy(SIGNED);
        team.signed_pass(&["eve"]);
        insta::assert_snapshot!(shown(&team));
        team.edit("changed");
        team.signed_pass(&["ann"]);
        assert!(!shown(&team).contains("signature-"));
    }
}
