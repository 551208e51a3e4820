import Canonical
import TenureAPI
import Testing

extension CallerScene {
    /// A body that the operation reads, so that a refusal is about the caller; `nil` for none.
    ///
    /// A decision changes something: one that already holds needs no authority.
    func body(of endpoint: Endpoint) throws -> JSONValue? {
        guard endpoint.method != "GET" else { return nil }
        if let body = try bodyAboutPeople(of: endpoint) ?? mpinBody(of: endpoint) { return body }
        let signature: JSONValue = .string(Base64.encode([UInt8](repeating: 1, count: 64)))
        let last = endpoint.template.text.split(separator: "/").last.map(String.init) ?? ""
        return switch last {
        case "key": ["keyProof": signature]
        case "answers": ["answers": .array((1...3).map { ["questionId": .string("AAA\($0)"), "answer": "x"] })]
        case "passphrase": ["passphrase": "correct horse battery staple"]
        case "evaluations": ["elements": .array([["slot": 255, "element": "AgAA"]])]
        case "proof": ["userSignature": "AQID"]
        case "refusal", "revocation": ["reason": "lost"]
        case "cancellation" where endpoint == .cancelRecovery: ["reason": "lost"]
        case "policy": ["approval": "admin"]
        case "invitations": ["companyEmployeeId": "invited", "subjectSalt": salt]
        case "refresh": ["refreshToken": .string(refreshToken)]
        case "tokens": ["resource": "https://resource.example"]
        case "{appId}" where endpoint.method == "PUT": ["roles": .array(["ACCESS"])]
        case "current", "sessions", "email-verification": nil
        default: endpoint.method == "DELETE" ? nil : [:]
        }
    }

    private static let passkeyAnswer: JSONValue = [
        "credentialId": "AQ", "authenticatorData": "AQ", "clientDataJSON": "e30", "signature": "AQ", "userHandle": "AQ",
    ]

    private var salt: JSONValue { .string(Base64.encode([UInt8](repeating: 1, count: 32))) }

    /// The same of an operation whose body names somebody.
    private func bodyAboutPeople(of endpoint: Endpoint) throws -> JSONValue? {
        let named = try #require(members[.own])
        return switch endpoint {
        case .startRegistration: Person("another", at: Self.company).registration(Device())
        case .startLogin, .startChange, .startRecovery, .startReturn: named.person.login(Device())
        case .setCredentials, .recoverCredentials: named.person.credentials
        case .changeCredentials:
            ["currentPassphrase": .string(named.person.passphrase ?? ""), "credentials": named.person.credentials]
        case .answerPasskeyLogin: ["challenge": "AQ", "answer": Self.passkeyAnswer]
        case .presentPasskey:
            [
                "challenge": "AQ", "creation": ["authenticatorData": "AQ", "clientDataJSON": "e30"],
                "answer": Self.passkeyAnswer,
            ]
        case .changeRole: ["role": "admin", "fingerprints": .array([.string(named.device.fingerprint)])]
        case .reclaimEmail: ["email": .string(named.person.email), "reason": "a reason"]
        default: nil
        }
    }

    /// The same of an operation of M-Pin.
    private func mpinBody(of endpoint: Endpoint) throws -> JSONValue? {
        let identity = try #require(identities[endpoint] ?? identities[.verifyMPin])
        let userID: JSONValue = .string(identity.userId), regOTT: JSONValue = .string(identity.regOTT)
        return switch endpoint {
        case .startMPin: ["userId": "somebody else"]
        case .restartMPin: ["userId": userID, "regOTT": regOTT]
        case .activateMPin: ["activateKey": .string(String(repeating: "0", count: 64))]
        case .startMPinProof: ["mpin_id": .string(identity.mpinId), "U": .string(Self.point)]
        case .proveMPin: ["mpin_id": .string(identity.mpinId), "V": .string(Self.point)]
        case .redeemMPinProof, .logInByMPin: ["authOTT": .string(String(repeating: "A", count: 43))]
        case .linkMPin: ["regOTT": regOTT]
        case .issueMPinActivation: ["userId": "somebody new", "subjectSalt": salt]
        case .changeMPinPolicy: ["enabled": false]
        default: nil
        }
    }

    /// The generator of the group of proofs, which is a point that every call accepts.
    private static let point =
        "04" + "17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb"
        + "08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1"
}
