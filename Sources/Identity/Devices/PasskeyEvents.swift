package import Canonical

/// What is known of a passkey: what its authenticator said when it was made, and signed right after that.
///
/// A creation is signed by nobody, so the passkey signs the flow's challenge before it is presented. Backup and counter
/// are those of that signature.
package struct PasskeyFacts: Sendable, Hashable {
    /// The host for which the passkey signs.
    package var rpID: String
    /// The id of the credential, which the authenticator chose: 1 to 1,023 bytes.
    package var credentialID: [UInt8]
    /// The `user.id`: 32 bytes, the same for every passkey of the account.
    package var userHandle: [UInt8]
    /// Whether a sync provider may copy the key, by the authenticator's word. It never changes.
    package var backupEligible: Bool
    /// Whether a sync provider has a copy.
    package var backedUp: Bool
    /// How often the authenticator signed; 0 if it does not count.
    package var counter: UInt32
    /// The model of the authenticator, 16 bytes; zeros if it does not tell.
    package var aaguid: [UInt8]
    /// The challenge: the exact bytes that were signed.
    package var challenge: [UInt8]
    /// What the passkey signed over the challenge.
    package var evidence: SignatureBytes

    package init(
        rpID: String, credentialID: [UInt8], userHandle: [UInt8], backupEligible: Bool, backedUp: Bool,
        counter: UInt32, aaguid: [UInt8], challenge: [UInt8], evidence: SignatureBytes
    ) {
        self.rpID = rpID
        self.credentialID = credentialID
        self.userHandle = userHandle
        self.backupEligible = backupEligible
        self.backedUp = backedUp
        self.counter = counter
        self.aaguid = aaguid
        self.challenge = challenge
        self.evidence = evidence
    }
}

extension PasskeyFacts: FlatObject {
    /// The members of `passkey` in `EmployeeKeyPresented`.
    package static let members = MemberTable<PasskeyFacts, Void>(
        "PasskeyFacts", PasskeyFacts.init,
        Member("rpId", \.rpID, .name), Member("credentialId", \.credentialID, .bytes(EventLimits.passkeyID)),
        Member("userHandle", \.userHandle, .bytes(32...32)), Member("backupEligible", \.backupEligible),
        Member("backedUp", \.backedUp), Member("counter", \.counter, .passkeyCounter),
        Member("aaguid", \.aaguid, .bytes(16...16)),
        Member("challenge", \.challenge, .bytes(EventLimits.challenge)), Member("evidence", \.evidence, .passkey))
}

extension PasskeyFacts: MemberValue {}

extension MemberKind where Value == UInt32 {
    /// The counter of an authenticator.
    fileprivate static var passkeyCounter: MemberKind { .integer(0...Int(UInt32.max)) }
}

/// Somebody logged in with a passkey, whose authenticator verified the person. It takes the challenge once.
package struct PasskeyValidated: EventPayload {
    package var employeeID: EmployeeID
    package var fingerprint: KeyFingerprint
    /// The flow of the challenge.
    package var flow: FlowID
    /// The challenge of purpose `login-passkey`: the exact bytes that were signed.
    package var challenge: [UInt8]
    /// What the passkey signed over the challenge.
    package var evidence: SignatureBytes

    package static let members = EventMembers<PasskeyValidated>(
        "PasskeyValidated", PasskeyValidated.init,
        Member("employeeId", \.employeeID), Member("fingerprint", \.fingerprint), Member("flow", \.flow),
        Member("challenge", \.challenge, .bytes(EventLimits.challenge)), Member("evidence", \.evidence, .passkey))

    package init(
        employeeID: EmployeeID, fingerprint: KeyFingerprint, flow: FlowID, challenge: [UInt8],
        evidence: SignatureBytes
    ) {
        self.employeeID = employeeID
        self.fingerprint = fingerprint
        self.flow = flow
        self.challenge = challenge
        self.evidence = evidence
    }
}

/// A passkey was copied to a sync provider, or is no longer, by the word of its authenticator.
package struct PasskeyBackupChanged: EventPayload {
    package var employeeID: EmployeeID
    package var fingerprint: KeyFingerprint
    package var backedUp: Bool

    package static let members = EventMembers<PasskeyBackupChanged>(
        "PasskeyBackupChanged", PasskeyBackupChanged.init,
        Member("employeeId", \.employeeID), Member("fingerprint", \.fingerprint), Member("backedUp", \.backedUp))

    package init(employeeID: EmployeeID, fingerprint: KeyFingerprint, backedUp: Bool) {
        self.employeeID = employeeID
        self.fingerprint = fingerprint
        self.backedUp = backedUp
    }
}

/// The authenticator of a passkey counted no further: there may be a copy of it.
package struct PasskeyCounterRepeated: EventPayload {
    package var employeeID: EmployeeID
    package var fingerprint: KeyFingerprint
    /// The counter of the log-in.
    package var counter: UInt32
    /// The highest counter of what was appended more than two minutes before.
    package var previous: UInt32

    package static let members = EventMembers<PasskeyCounterRepeated>(
        "PasskeyCounterRepeated", PasskeyCounterRepeated.init,
        Member("employeeId", \.employeeID), Member("fingerprint", \.fingerprint),
        Member("counter", \.counter, .passkeyCounter), Member("previous", \.previous, .passkeyCounter))

    package init(employeeID: EmployeeID, fingerprint: KeyFingerprint, counter: UInt32, previous: UInt32) {
        self.employeeID = employeeID
        self.fingerprint = fingerprint
        self.counter = counter
        self.previous = previous
    }
}
