package import Canonical

/// A passkey of a person without a secret signed that its owner registers in another company.
///
/// It lies in the user's directory, so that neither company reads the name of the other one.
package struct JoinedByPasskey: EventPayload {
    package var userID: UserID
    /// The passkey, a device key of the account that the challenge names first.
    package var key: PublicKeyBytes
    /// The exact bytes of the challenge, which names both accounts and the new device key.
    package var challenge: [UInt8]
    /// The assertion over the challenge.
    package var evidence: SignatureBytes

    package static let members = EventMembers<JoinedByPasskey>(
        "JoinedByPasskey", JoinedByPasskey.init,
        Member("userId", \.userID), Member("key", \.key),
        Member("challenge", \.challenge, .bytes(EventLimits.challenge)), Member("evidence", \.evidence, .passkey))

    package init(userID: UserID, key: PublicKeyBytes, challenge: [UInt8], evidence: SignatureBytes) {
        (self.userID, self.key) = (userID, key)
        (self.challenge, self.evidence) = (challenge, evidence)
    }
}

extension User {
    /// The command that registers somebody in another company by a passkey.
    package struct JoinByPasskey: Sendable, Equatable {
        package var event: JoinedByPasskey
        /// The account of the passkey, and the rules of its company.
        package var signer: Employee.State
        package var policy: TenantPolicy
        package var time: Timestamp

        package init(_ event: JoinedByPasskey, by signer: Employee.State, _ policy: TenantPolicy, at time: Timestamp) {
            (self.event, self.signer, self.policy, self.time) = (event, signer, policy, time)
        }
    }

    /// Whoever knows a secret proves it. Of others a passkey signs that opens sessions in its own company.
    ///
    /// - Throws: ``Rejection/notPermitted``.
    static func decide(_ state: State, _ join: JoinByPasskey) throws(Rejection) -> [UserEvent] {
        guard state.id == join.event.userID, state.credentials?.isSecretless == true,
            join.signer.account?.user == join.event.userID, join.signer.account?.status == .active,
            join.signer.standing(of: join.event.key, at: join.time) == .authorized,
            let passkey = join.signer.keys[join.event.key]?.passkey, !passkey.isStopped(by: join.policy)
        else { throw .notPermitted }
        return [.joinedByPasskey(join.event)]
    }
}
