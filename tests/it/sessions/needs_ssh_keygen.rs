//! The verbs that sign where they do what they are for.

#[test]
#[ignore = "needs ssh-keygen"]
fn readings_for_other_programs() {
    let team = crate::trust::Team::with_policy(crate::trust::SIGNED);
    team.key("ann");
    insta::assert_snapshot!(team.s.session(
        "yatsu-hook export in-toto
         yatsu-hook eval n --pass
         yatsu-hook export in-toto
         yatsu-hook export in-toto n --sign --signing-key ../home/keys/ann | sed 's/\"sig\":\"[^\"]*/\"sig\":\"SIG/; s/SHA256:[^\"]*/SHA256:KEY/; s/\"payload\":\"[^\"]*/\"payload\":\"PAYLOAD/'
         yatsu-hook export in-toto nowhere",
    ));
}

#[test]
#[ignore = "needs ssh-keygen"]
fn a_reading_that_its_measurer_signs() {
    let team = crate::trust::Team::with_policy(crate::trust::SIGNED);
    team.key("ann");
    insta::assert_snapshot!(team.s.session(
        "yatsu-hook sign n --key ../home/keys/ann
         yatsu-hook eval n --pass
         yatsu-hook sign n --key ../home/keys/ann | sed 's/SHA256:[^ ]*/SHA256:KEY/'
         yatsu-hook sign n --key ../home/keys/ann
         yatsu-hook show n | sed 's/SHA256:[^ ,]*/SHA256:KEY/'",
    ));
}
