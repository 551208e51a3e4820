import Canonical
import Credentials
import ErrorCodes
import FoundationEssentials
import Identity

/// A valid proof: both signatures over the bytes that the device signed first.
struct FlowProof: Sendable {
    /// The kind of secret that was proved.
    enum Kind: String, CaseIterable, MemberValue {
        case answers
        case passphrase
    }
    let kind: Kind
    let mode: ValidationMode
    let userKey: PublicKeyBytes
    let challenge: [UInt8]
    let deviceSignature: SignatureBytes
    let userSignature: SignatureBytes

    /// Signs the challenge that the device signed, with the user key that was just unlocked in this process.
    ///
    /// - Throws: `flow.wrong_step` if the device has not signed.
    init(_ kind: Kind, opened key: UserKey, in state: FlowState) throws {
        guard let proved = state.proved else { throw ServiceError(.flowWrongStep) }
        let challenge = try Challenge(kept: proved.challenge)
        try self.init(kind, .direct, key.publicKey, try key.sign(validationOf: challenge), state)
    }

    /// Takes a signature that a client made with the user key and that was verified.
    init(_ kind: Kind, signedBy key: UserPublicKey, _ signature: Signature, in state: FlowState) throws {
        try self.init(kind, .blind, key, signature, state)
    }

    /// Takes a signature that the user key made in this process when it was open, before the device signed.
    init(_ kind: Kind, signedBefore key: UserPublicKey, _ signature: Signature, in state: FlowState) throws {
        try self.init(kind, .direct, key, signature, state)
    }

    private init(
        _ kind: Kind, _ mode: ValidationMode, _ key: UserPublicKey, _ signature: Signature, _ state: FlowState
    ) throws {
        guard let proved = state.proved, let device = SignatureBytes(proved.signature),
            let userKey = PublicKeyBytes(key.bytes), let user = SignatureBytes(signature.bytes)
        else { throw ServiceError(.flowWrongStep) }
        self.kind = kind
        self.mode = mode
        self.userKey = userKey
        challenge = proved.challenge
        deviceSignature = device
        userSignature = user
    }

    /// The event that carries the proof.
    func event(of state: FlowState, employee: EmployeeID) throws -> any EventPayload {
        let validation = CredentialValidation(
            employeeID: employee, userID: UserID(state.userId), credentialID: CredentialID(state.credentialId),
            userKey: userKey, employeeKey: try state.deviceKey, purpose: try state.purpose.kind.event, mode: mode,
            challenge: challenge, deviceSignature: deviceSignature, userSignature: userSignature,
            subjectSalt: Personal(employee, Base64URL.encode(state.subjectSalt)))
        switch kind {
        case .answers: return AnswersValidated(validation: validation)
        case .passphrase: return PassphraseValidated(validation: validation)
        }
    }
}

extension FlowProof.Kind {
    /// The error code of a wrong secret of this kind.
    var refusal: ErrorCode {
        switch self {
        case .answers: .answersIncorrect
        case .passphrase: .passphraseIncorrect
        }
    }
}

extension FlowState {
    /// The device key as events carry it.
    ///
    /// - Throws: `employee.key_invalid`.
    var deviceKey: PublicKeyBytes {
        get throws {
            guard let key = PublicKeyBytes(employeePublicKey) else { throw ServiceError(.employeeKeyInvalid) }
            return key
        }
    }

    /// The device key's fingerprint.
    var fingerprint: KeyFingerprint {
        get throws {
            let key = try EmployeePublicKey(kept: employeePublicKey)
            guard let fingerprint = KeyFingerprint(hex: key.fingerprint) else {
                throw ServiceError(.employeeKeyInvalid)
            }
            return fingerprint
        }
    }
}

extension AuthenticationMethods {
    /// A device key and a secret.
    static func credential(_ kind: FlowProof.Kind) -> AuthenticationMethods {
        switch kind {
        case .answers: AuthenticationMethods(values: ["pop", "kba", "mfa"])
        case .passphrase: AuthenticationMethods(values: ["pop", "pwd", "mfa"])
        }
    }
}
