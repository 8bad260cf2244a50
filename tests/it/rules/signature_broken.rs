//! `signature-broken`: a change adds a signature that no key made of its line.

use crate::support::seconds_ahead;
use crate::trust::{ByHand, SIGNED, Team};

/// The output with keys and times left out.
fn shown(team: &Team) -> String {
    team.s.session("yatsu-hook check --from HEAD~1 --to HEAD 2>&1 | sed 's/SHA256:[^ ,]*/SHA256:KEY/'")
}

mod needs_ssh_keygen {
    use super::*;

    #[test]
    #[ignore = "needs ssh-keygen"]
    fn a_signature_for_another_program_is_named_and_one_of_this_line_is_not() {
        let team = Team::with_policy(SIGNED);
        team.s.yatsu(&["eval", "n", "--pass"]).expect(0);
        team.by_hand("ann", 0, &ByHand { namespace: "git", ts: &seconds_ahead(5), ..ByHand::default() });
        team.s.commit("lifted");
        insta::assert_snapshot!(shown(&team));
        team.edit("changed");
        team.signed_pass(&["ann"]);
        assert!(!shown(&team).contains("signature-"));
    }
}
