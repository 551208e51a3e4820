package import Canonical

/// What is fixed of a passkey when it is presented, and the assertion that proves it.
///
/// With attestation `none` a creation is signed by nobody. So the facts are those of an assertion over the flow's
/// challenge.
package struct PasskeyFacts: FlatObject, MemberValue, Hashable {
    /// The relying party's id, a host name.
    package var rpID: String
    /// The id of the credential, 1 to 1,023 bytes.
    package var credentialID: [UInt8]
    /// What the authenticator holds as the user's id: random, and the same for each passkey of the account.
    package var userHandle: Bytes32
    /// Whether the authenticator may copy the key to other devices. It never changes.
    package var isBackupEligible: Bool
    /// Whether the key was copied at the presentation.
    package var isBackedUp: Bool
    /// The number of signatures that the authenticator counted, or 0.
    package var counter: Int
    /// The model of the authenticator, 16 bytes.
    package var aaguid: [UInt8]
    /// The flow's challenge.
    package var challenge: [UInt8]
    /// The assertion over the challenge.
    package var evidence: SignatureBytes

    package static let members = MemberTable<PasskeyFacts, Void>(
        "PasskeyFacts", PasskeyFacts.init,
        Member("rpId", \.rpID), Member("credentialId", \.credentialID, .bytes(1...1_023)),
        Member("userHandle", \.userHandle), Member("backupEligible", \.isBackupEligible),
        Member("backedUp", \.isBackedUp), Member("counter", \.counter, .passkeyCounter),
        Member("aaguid", \.aaguid, .bytes(16...16)), Member("challenge", \.challenge, .bytes(EventLimits.challenge)),
        Member("evidence", \.evidence, .passkey))

    package init(
        rpID: String, credentialID: [UInt8], userHandle: Bytes32, isBackupEligible: Bool, isBackedUp: Bool,
        counter: Int, aaguid: [UInt8], challenge: [UInt8], evidence: SignatureBytes
    ) {
        (self.rpID, self.credentialID, self.userHandle) = (rpID, credentialID, userHandle)
        (self.isBackupEligible, self.isBackedUp, self.counter) = (isBackupEligible, isBackedUp, counter)
        (self.aaguid, self.challenge, self.evidence) = (aaguid, challenge, evidence)
    }
}

/// A passkey answered the challenge of a log-in that named no account.
package struct PasskeyValidated: EventPayload {
    package var employeeID: EmployeeID
    package var fingerprint: KeyFingerprint
    package var flow: FlowID
    /// The exact bytes of the challenge, whose nonce is used up by this event.
    package var challenge: [UInt8]
    /// The assertion over the challenge.
    package var evidence: SignatureBytes

    package static let members = EventMembers<PasskeyValidated>(
        "PasskeyValidated", PasskeyValidated.init,
        Member("employeeId", \.employeeID), Member("fingerprint", \.fingerprint), Member("flow", \.flow),
        Member("challenge", \.challenge, .bytes(EventLimits.challenge)), Member("evidence", \.evidence, .passkey))

    package init(
        employeeID: EmployeeID, fingerprint: KeyFingerprint, flow: FlowID, challenge: [UInt8], evidence: SignatureBytes
    ) {
        (self.employeeID, self.fingerprint, self.flow) = (employeeID, fingerprint, flow)
        (self.challenge, self.evidence) = (challenge, evidence)
    }

    /// Whether the authenticator counts its signatures.
    package var isCounted: Bool { evidence.passkeyCounter ?? 0 > 0 }
}

/// A passkey's authenticator says for the first time that the key is copied to other devices, or no longer.
package struct PasskeyBackupChanged: EventPayload {
    package var employeeID: EmployeeID
    package var fingerprint: KeyFingerprint
    package var backedUp: Bool

    package static let members = EventMembers<PasskeyBackupChanged>(
        "PasskeyBackupChanged", PasskeyBackupChanged.init,
        Member("employeeId", \.employeeID), Member("fingerprint", \.fingerprint), Member("backedUp", \.backedUp))
}

/// A passkey that counts its signatures signed something that another stream holds.
///
/// That is a log-in with a secret, the end of a wait, a first secret, or a statement.
package struct PasskeyCounted: EventPayload {
    package var employeeID: EmployeeID
    package var fingerprint: KeyFingerprint
    /// The counter of the assertion.
    package var counter: Int

    package static let members = EventMembers<PasskeyCounted>(
        "PasskeyCounted", PasskeyCounted.init,
        Member("employeeId", \.employeeID), Member("fingerprint", \.fingerprint),
        Member("counter", \.counter, .passkeyCounter))
}

/// A passkey counted no further than before, as a copy of its authenticator would.
package struct PasskeyCounterRepeated: EventPayload {
    package var employeeID: EmployeeID
    package var fingerprint: KeyFingerprint
    /// The counter of the assertion.
    package var counter: Int
    /// The highest counter of assertions that were recorded more than two minutes before.
    package var previous: Int

    package static let members = EventMembers<PasskeyCounterRepeated>(
        "PasskeyCounterRepeated", PasskeyCounterRepeated.init,
        Member("employeeId", \.employeeID), Member("fingerprint", \.fingerprint),
        Member("counter", \.counter, .passkeyCounter), Member("previous", \.previous, .passkeyCounter))
}

extension MemberKind<Int> {
    /// What an authenticator counts: 32 bits.
    fileprivate static var passkeyCounter: MemberKind { .integer(0...4_294_967_295) }
}

extension MemberKind<SignatureBytes> {
    /// The evidence of a passkey.
    static var passkey: MemberKind {
        .bytes(
            Value.evidenceCounts, "the evidence of a passkey is expected",
            parse: { Value($0).flatMap { $0.isOfPasskey ? $0 : nil } }, bytes: \.bytes)
    }
}

extension SignatureBytes {
    /// The counter of a passkey's evidence, which lies at a fixed place; `nil` for another signature.
    package var passkeyCounter: Int? {
        isOfPasskey ? bytes[37..<41].reduce(0) { $0 << 8 | Int($1) } : nil
    }

    /// Whether a passkey's evidence says that the key is copied (BS); `nil` for another signature.
    package var isBackedUp: Bool? { isOfPasskey ? bytes[36] & 0x10 != 0 : nil }
}
