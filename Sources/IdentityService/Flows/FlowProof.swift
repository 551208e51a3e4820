import Canonical
import Credentials
import FoundationEssentials
import Identity

/// A right challenge: both signatures over the bytes that the device signed first.
struct FlowProof: Sendable {
    /// Which secret was right.
    enum Kind: Sendable {
        case answers
        case passphrase
    }
    let kind: Kind
    let mode: Identity.CredentialMode
    let userKey: PublicKeyBytes
    let challenge: [UInt8]
    let deviceSignature: SignatureBytes
    let userSignature: SignatureBytes

    /// Signs the challenge that the device signed with the user key that has just been opened here.
    init(_ kind: Kind, opened key: UserKey, in state: FlowState) throws {
        guard let proved = state.proved else { throw ServiceError(.flowWrongStep) }
        let challenge = try Challenge(kept: proved.challenge)
        try self.init(kind, .direct, key.publicKey, try key.sign(validationOf: challenge), state)
    }

    /// Takes the signature that a client made with the user key, and that was verified.
    init(_ kind: Kind, signedBy key: UserPublicKey, _ signature: Signature, in state: FlowState) throws {
        try self.init(kind, .blind, key, signature, state)
    }

    private init(
        _ kind: Kind, _ mode: Identity.CredentialMode, _ key: UserPublicKey, _ signature: Signature, _ state: FlowState
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

    /// The event that carries it.
    func event(of state: FlowState, employee: EmployeeID) throws -> any EventPayload {
        let validation = CredentialValidation(
            employeeID: employee, userID: UserID(state.userId), credentialID: CredentialID(state.credentialId),
            userKey: userKey, employeeKey: try state.deviceKey, purpose: try state.purpose.event, mode: mode,
            challenge: challenge, deviceSignature: deviceSignature, userSignature: userSignature,
            subjectSalt: Personal(employee, Base64URL.encode(state.subjectSalt)))
        switch kind {
        case .answers: return AnswersValidated(validation: validation)
        case .passphrase: return PassphraseValidated(validation: validation)
        }
    }
}

extension FlowProof.Kind {
    /// The code of a wrong secret of this kind.
    var refusal: ServiceError.Code {
        switch self {
        case .answers: .answersIncorrect
        case .passphrase: .passphraseIncorrect
        }
    }
}

extension FlowPurpose {
    /// The purpose as validations name it; a recovery has none, because no secret is proved in it.
    var event: Identity.FlowPurpose {
        get throws(ServiceError) {
            switch self {
            case .registration: return .registration
            case .login: return .login
            case .change: return .change
            case .recovery: throw ServiceError(.flowWrongStep)
            }
        }
    }
}

extension FlowState {
    /// The device key as events carry it.
    var deviceKey: PublicKeyBytes {
        get throws {
            guard let key = PublicKeyBytes(employeePublicKey) else { throw ServiceError(.employeeKeyInvalid) }
            return key
        }
    }

    /// The device key's fingerprint.
    var fingerprint: Fingerprint {
        get throws {
            guard let fingerprint = Fingerprint(hex: try EmployeePublicKey(kept: employeePublicKey).fingerprint) else {
                throw ServiceError(.employeeKeyInvalid)
            }
            return fingerprint
        }
    }

    /// What stays of a flow that had its outcome: nothing of the person.
    var finished: FlowState {
        var state = self
        state.step = .done
        state.companyName = ""
        state.companyEmployeeId = ""
        state.email = nil
        state.challenge = []
        state.subjectSalt = []
        state.proved = nil
        state.seed = nil
        state.setUpEvaluations = 0
        state.attempt = nil
        state.decoyKeys = nil
        state.standIn = nil
        state.change = nil
        state.recovery = nil
        return state
    }
}
