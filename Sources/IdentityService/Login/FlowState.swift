import Canonical
import Credentials
import ErrorCodes
import FoundationEssentials

/// The state of a flow in progress: everything the next step needs, encrypted in one short-lived row.
///
/// It is not an event. It claims nothing, and an abandoned flow leaves nothing behind.
struct FlowState: Sendable, Equatable {
    /// The input that the flow waits for.
    enum Step: String, Sendable {
        /// The device's signature.
        case key
        /// New credentials.
        case credentials
        /// Answers.
        case answers
        /// The passphrase, or answers if the user allows both.
        case passphrase
        /// No further input: the flow had its one terminal outcome.
        case done
    }

    /// A challenge and the device's signature over it.
    struct ProvedKey: Sendable, Equatable {
        var challenge: [UInt8]
        var signature: [UInt8]
    }

    /// One charged attempt of this flow: the stream `attempt/<id>` and its version.
    struct Charge: Sendable, Equatable {
        var id: UUID
        var version: Int
        /// Whether a known device's budget was charged: a device can become known or unknown while its flow goes on.
        var wasKnownDevice: Bool
    }

    var id: UUID
    var purpose: FlowKind
    var step: Step
    var appId: UUID
    var tenantId: UUID
    var companyName: String
    var companyEmployeeId: String
    var email: String?
    var isCompanyOwnedEmail: Bool
    var employeePublicKey: [UInt8]
    /// The employee who logs in, or the id reserved for the one to be registered.
    var employeeId: UUID
    /// The challenged user, or the id reserved for the new one.
    var userId: UUID
    /// The challenged credential, or the id reserved for the new one.
    var credentialId: UUID
    /// The credential that challenges name. A registration names a new id, so its start does not reveal whether the
    /// e-mail belongs to a user. A new user's credential gets that id.
    var namedCredentialId: UUID
    /// Whether the flow runs on a decoy.
    var isDecoy: Bool
    /// The public keys of this name's decoy, whether or not the employee exists; `nil` in a registration.
    var decoyKeys: [UInt8]?
    /// The colleague whose streams a step reads for a decoy.
    var standIn: StandIn?
    /// Whether the tenant was hidden from the app when the flow began.
    var isHidden = false
    /// Whether the user exists already.
    var userExists: Bool
    /// Whether questions may be answered instead of the passphrase.
    var questionsAllowed: Bool
    var challenge: [UInt8]
    var subjectSalt: [UInt8]
    var proved: ProvedKey?
    var charges: [Charge]
    var expiresAt: Timestamp
    /// The secret half of the handle. The service stores it only inside the encrypted row.
    var secret = randomBytes(secretLength)
    /// The seed of the VOPRF keys of new credentials, 32 bytes. A commit keeps it; otherwise it ends with this row.
    var seed: [UInt8]?
    /// The number of evaluations made for new credentials.
    var setUpEvaluations = 0
    /// The blind attempt that was charged and has no proof yet.
    var attempt: BlindAttempt?
    /// A change of credentials whose old secret was proved in blind mode.
    var change: PendingChange?
    /// The invitation with which the registration was started.
    var invitation: UUID?
    /// Whether the registration is to join a tenant or to found one.
    var intent: RegistrationIntent?
    /// A recovery for the flow's device key that two people approved.
    var recovery: ApprovedRecovery?
}

extension FlowState {
    /// The length of ``secret`` in bytes.
    static let secretLength = 16
    /// The lifetime of a flow: ten minutes.
    static let lifetime: Duration = .seconds(600)
    /// The time in which the device must sign: two minutes (credentials.md section 4).
    static let challengeLifetime: Duration = .seconds(120)
}

/// The row's plaintext: canonical JSON, encrypted under the flows key before it is stored.
extension FlowState {
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(id.lowercased), "purpose": .string(purpose.rawValue), "step": .string(step.rawValue),
            "app": .string(appId.lowercased), "tenant": .string(tenantId.lowercased),
            "company": .string(companyName), "employee": .string(companyEmployeeId),
            "owned": .bool(isCompanyOwnedEmail), "key": .string(Base64URL.encode(employeePublicKey)),
            "employeeId": .string(employeeId.lowercased), "userId": .string(userId.lowercased),
            "credentialId": .string(credentialId.lowercased),
            "namedCredentialId": .string(namedCredentialId.lowercased), "decoy": .bool(isDecoy),
            "user": .bool(userExists), "questions": .bool(questionsAllowed),
            "challenge": .string(Base64URL.encode(challenge)), "salt": .string(Base64URL.encode(subjectSalt)),
            "expires": .string(expiresAt.description), "secret": .string(Base64URL.encode(secret)),
            "charges": .array(
                charges.map {
                    .array([.string($0.id.lowercased), .integer(Int64($0.version)), .bool($0.wasKnownDevice)])
                }),
        ]
        if let decoyKeys { members["decoyKeys"] = .string(Base64URL.encode(decoyKeys)) }
        if let standIn { members["standIn"] = standIn.json }
        if isHidden { members["hidden"] = .bool(true) }
        if let seed {
            members["seed"] = .string(Base64URL.encode(seed))
            members["evaluated"] = .integer(Int64(setUpEvaluations))
        }
        if let attempt {
            members["attempt"] = .array([.integer(Int64(attempt.first.byte)), .bool(attempt.isSpent)])
        }
        if let change { members["change"] = change.json }
        if let recovery { members["recovery"] = recovery.json }
        if let invitation { members["invitation"] = .string(invitation.lowercased) }
        if let intent { members["intent"] = .string(intent.rawValue) }
        if let email { members["email"] = .string(email) }
        if let proved {
            members["proved"] = .object([
                "challenge": .string(Base64URL.encode(proved.challenge)),
                "signature": .string(Base64URL.encode(proved.signature)),
            ])
        }
        return .object(members)
    }

    /// Decodes the value that ``json`` encodes.
    init(json: JSONValue) throws {
        var reader = try ObjectReader(json)
        id = try reader.uuid("id")
        guard let purpose = FlowKind(rawValue: try reader.string("purpose")),
            let step = Step(rawValue: try reader.string("step"))
        else { throw ServiceError(.flowExpired) }
        self.purpose = purpose
        self.step = step
        appId = try reader.uuid("app")
        tenantId = try reader.uuid("tenant")
        companyName = try reader.string("company")
        companyEmployeeId = try reader.string("employee")
        email = try reader.optionalString("email")
        isCompanyOwnedEmail = try reader.bool("owned")
        employeePublicKey = try reader.bytes("key")
        employeeId = try reader.uuid("employeeId")
        userId = try reader.uuid("userId")
        credentialId = try reader.uuid("credentialId")
        namedCredentialId = try reader.uuid("namedCredentialId")
        isDecoy = try reader.bool("decoy")
        userExists = try reader.bool("user")
        questionsAllowed = try reader.bool("questions")
        challenge = try reader.bytes("challenge")
        subjectSalt = try reader.bytes("salt")
        expiresAt = try reader.timestamp("expires")
        secret = try reader.bytes("secret")
        charges = try reader.array("charges").map(Self.charge)
        proved = try reader.optionalObject("proved").map { object in
            var object = object
            let proved = ProvedKey(challenge: try object.bytes("challenge"), signature: try object.bytes("signature"))
            try object.finish()
            return proved
        }
        decoyKeys = try reader.optionalBytes("decoyKeys")
        standIn = try reader.optionalValue("standIn").map { try StandIn(json: $0) }
        isHidden = try reader.optionalBool("hidden") ?? false
        seed = try reader.optionalBytes("seed")
        setUpEvaluations = Int(try reader.optionalInteger("evaluated") ?? 0)
        attempt = try reader.optionalValue("attempt").map(Self.attempt)
        change = try reader.optionalObject("change").map { try PendingChange(reading: $0) }
        recovery = try reader.optionalObject("recovery").map { try ApprovedRecovery(reading: $0) }
        invitation = try reader.optionalUUID("invitation")
        intent = try reader.optionalString("intent").map(Self.intent)
        try reader.finish()
    }

    /// An intent that this version does not know must not be ignored.
    private static func intent(_ name: String) throws -> RegistrationIntent {
        guard let intent = RegistrationIntent(rawValue: name) else { throw ServiceError(.flowExpired) }
        return intent
    }

    private static func attempt(_ value: JSONValue) throws -> BlindAttempt {
        guard case .array(let parts) = value, parts.count == 2, case .integer(let byte) = parts[0],
            case .bool(let isSpent) = parts[1], let byte = UInt8(exactly: byte), let first = CopySlot(byte: byte)
        else { throw ServiceError(.flowExpired) }
        return BlindAttempt(first: first, isSpent: isSpent)
    }

    private static func charge(_ value: JSONValue) throws -> Charge {
        guard case .array(let parts) = value, parts.count == 3, case .string(let id) = parts[0],
            case .integer(let version) = parts[1], case .bool(let known) = parts[2], let id = UUID(uuidString: id)
        else { throw ServiceError(.flowExpired) }
        return Charge(id: id, version: Int(version), wasKnownDevice: known)
    }
}

/// One attempt in blind mode, between its charge and its proof.
///
/// A charge buys the evaluation of one subset of the answers and, once, of the other nine subsets of the same attempt.
/// For a passphrase it buys one evaluation. Nothing more is evaluated for the charge, whatever is requested and however
/// often.
struct BlindAttempt: Sendable, Equatable {
    /// The two kinds of evaluation requests within a flow.
    enum Request: Sendable, Equatable {
        /// A new attempt, which is charged.
        case first(CopySlot)
        /// The other nine subsets of the attempt that was charged.
        case rest
    }

    /// The element that was evaluated first.
    var first: CopySlot
    /// Whether the charge pays for no further evaluation.
    var isSpent: Bool

    /// An attempt that has just been charged.
    init(first: CopySlot) {
        self.first = first
        isSpent = first == .passphrase
    }

    init(first: CopySlot, isSpent: Bool) {
        self.first = first
        self.isSpent = isSpent
    }

    /// Classifies a request by its slots.
    ///
    /// - Parameter current: The flow's attempt that has no proof yet.
    /// - Throws: `request.invalid` for anything but one slot or nine different subsets; `flow.wrong_step` for nine
    ///   subsets that no charge has paid for, or that were evaluated already.
    static func request(_ slots: [CopySlot], current: BlindAttempt?) throws(ServiceError) -> Request {
        if slots.count == 1 { return .first(slots[0]) }
        guard slots.count == AnswerSubset.all.count - 1, Set(slots).count == slots.count, !slots.contains(.passphrase)
        else {
            throw ServiceError(
                .requestInvalid, members: [.init(pointer: "/elements", detail: "send one element, or the other nine")])
        }
        guard let current, !current.isSpent, !slots.contains(current.first) else { throw ServiceError(.flowWrongStep) }
        return .rest
    }

    /// The kind of secret that the attempt is about.
    var kind: FlowProof.Kind { first == .passphrase ? .passphrase : .answers }
}
