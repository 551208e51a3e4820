import Canonical

package enum FlowPurpose: String, Sendable, Hashable, CaseIterable, MemberValue {
    /// Registering an employee.
    case registration
    case login
    case change
    /// Returning as the security admin.
    case returning = "return"
}

/// Whether an attempt's device has an authorized key of that user. Each kind has a budget of its own.
package enum DeviceKind: String, Sendable, Hashable, CaseIterable, MemberValue {
    /// The device has an authorized key of that user.
    case known
    /// Any other device, including a stranger's.
    case unknown
}

/// A valid proof, with everything needed to verify it from one ledger alone.
package struct CredentialValidation: Sendable, Equatable {
    package var employeeID: EmployeeID
    package var userID: UserID
    /// The credentials that were used.
    package var credentialID: CredentialID
    /// The user key that the right answers or passphrase unlocked.
    package var userKey: PublicKeyBytes
    package var employeeKey: PublicKeyBytes
    package var purpose: FlowPurpose
    /// Where the secret was evaluated: by the service or by the client.
    package var mode: ValidationMode
    /// The challenge: the exact bytes that were signed.
    package var challenge: [UInt8]
    /// The device's signature over the challenge.
    package var deviceSignature: SignatureBytes
    /// The user key's signature over its own tag and the challenge.
    package var userSignature: SignatureBytes
    /// The salt of the challenge's subject commitment, encrypted under the employee's key.
    package var subjectSalt: Personal

    package init(
        employeeID: EmployeeID, userID: UserID, credentialID: CredentialID, userKey: PublicKeyBytes,
        employeeKey: PublicKeyBytes, purpose: FlowPurpose, mode: ValidationMode, challenge: [UInt8],
        deviceSignature: SignatureBytes, userSignature: SignatureBytes, subjectSalt: Personal
    ) {
        self.employeeID = employeeID
        self.userID = userID
        self.credentialID = credentialID
        self.userKey = userKey
        self.employeeKey = employeeKey
        self.purpose = purpose
        self.mode = mode
        self.challenge = challenge
        self.deviceSignature = deviceSignature
        self.userSignature = userSignature
        self.subjectSalt = subjectSalt
    }
}

extension CredentialValidation: FlatObject {
    /// The members of `AnswersValidated` and `PassphraseValidated`.
    package static let members = EventMembers<CredentialValidation>(
        "CredentialValidation", CredentialValidation.init,
        Member("employeeId", \.employeeID), Member("userId", \.userID), Member("credentialId", \.credentialID),
        Member("userKey", \.userKey, .point), Member("employeeKey", \.employeeKey), Member("purpose", \.purpose),
        Member("mode", \.mode), Member("challenge", \.challenge, .bytes(EventLimits.challenge)),
        Member("deviceSignature", \.deviceSignature), Member("userSignature", \.userSignature, .raw),
        Member("subjectSalt", \.subjectSalt))
}

/// The passphrase unlocked the user key.
package struct PassphraseValidated: EventPayload {
    /// The proof and its signatures.
    package var validation: CredentialValidation

    package static let members = EventMembers<PassphraseValidated>(
        "PassphraseValidated", PassphraseValidated.init, Member(inline: \.validation))

    package init(validation: CredentialValidation) { self.validation = validation }
}

/// Three right answers unlocked the user key.
package struct AnswersValidated: EventPayload {
    /// The proof and its signatures.
    package var validation: CredentialValidation

    package static let members = EventMembers<AnswersValidated>(
        "AnswersValidated", AnswersValidated.init, Member(inline: \.validation))

    package init(validation: CredentialValidation) { self.validation = validation }
}
