import Canonical
import Credentials
import ErrorCodes
import FoundationEssentials
import TenureAPI

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
        case answers
        /// The passphrase, or answers if the user allows both.
        case passphrase
        /// The device's signature over the challenge of the account that the person picks.
        case account
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

    /// What a flow is for, with what only such a flow has.
    enum Purpose: Sendable, Equatable {
        case registration(Registration)
        case login(Account)
        /// A log-in by an address; with the accounts to pick from, once the secret was proved.
        case address(Account, AddressLogin)
        /// A change of credentials; with the proof of the old secret, once it was given in blind mode.
        case change(Account, PendingChange? = nil)
        /// A recovery; with the approvals, once two people have given them for the flow's device key.
        case recovery(Account, ApprovedRecovery? = nil)
        case returning(Account)
    }

    /// The person who registers.
    struct Registration: Sendable, Equatable {
        /// The address as entered; empty after the flow.
        var email: String
        var isCompanyOwnedEmail: Bool
        /// A new id, which challenges name, so that the start does not reveal whether the e-mail belongs to a user. A
        /// new user's credential gets that id.
        var namedCredentialId: UUID
        /// Whether the address belongs to a user.
        var userExists = false
        /// The invitation with which the registration was started.
        var invitation: UUID?
        /// Whether the registration is to join a tenant or to found one.
        var intent: RegistrationRequest.Intent?
    }

    /// The account that somebody named, whether or not it exists.
    struct Account: Sendable, Equatable {
        /// Whether the flow runs on a decoy.
        var isDecoy: Bool
        /// The public keys of this name's decoy, whether or not the employee exists.
        var decoyKeys: [UInt8]?
        /// The colleague whose streams a step reads for a decoy.
        var standIn: StandIn?
        /// Whether the tenant was hidden from the app when the flow began.
        var isHidden = false
    }

    /// The making of new credentials.
    struct SetUp: Sendable, Equatable {
        /// The seed of their VOPRF keys, 32 bytes. A commit keeps it; otherwise it ends with this row.
        var seed: [UInt8]
        /// The number of evaluations.
        var evaluations = 0
    }

    var id: UUID
    var purpose: Purpose
    var step: Step
    var appId: UUID
    var tenantId: UUID
    var companyName: String
    var companyEmployeeId: String
    var employeePublicKey: [UInt8]
    /// The employee who logs in, or the id reserved for the one to be registered.
    var employeeId: UUID
    /// The challenged user, or the id reserved for the new one.
    var userId: UUID
    /// The challenged credential, or the id reserved for the new one.
    var credentialId: UUID
    /// Whether questions may be answered instead of the passphrase.
    var questionsAllowed = false
    var challenge: [UInt8] = []
    var subjectSalt = randomBytes(32)
    var proved: ProvedKey?
    var charges: [Charge] = []
    var expiresAt: Timestamp
    /// What stands for the network of the caller who started the flow; `nil` if the app is counted as a whole.
    var network: [UInt8]?
    /// The secret half of the handle. The service stores it only inside the encrypted row.
    var secret = randomBytes(secretLength)
    /// The new credentials that the flow waits for.
    var setUp: SetUp?
    /// The blind attempt that was charged and has no proof yet.
    var attempt: BlindAttempt?
}

extension FlowState.Purpose {
    var kind: FlowKind {
        switch self {
        case .registration: .registration
        case .login: .login
        case .address: .address
        case .change: .change
        case .recovery: .recovery
        case .returning: .returning
        }
    }

    /// The purpose of a flow about an account that is named; `nil` for any other.
    init?(_ kind: FlowKind, about account: FlowState.Account) {
        switch kind {
        case .registration, .address: return nil
        case .login: self = .login(account)
        case .change: self = .change(account)
        case .recovery: self = .recovery(account)
        case .returning: self = .returning(account)
        }
    }

    /// Without personal data and secrets.
    fileprivate var finished: Self {
        switch self {
        case .registration(var person):
            person.email = ""
            return .registration(person)
        case .login(let account): return .login(account.finished)
        case .address(let account, _): return .address(account.finished, AddressLogin(address: ""))
        case .change(let account, _): return .change(account.finished)
        case .recovery(let account, _): return .recovery(account.finished)
        case .returning(let account): return .returning(account.finished)
        }
    }
}

extension FlowState.Account {
    fileprivate var finished: Self { Self(isDecoy: isDecoy, isHidden: isHidden) }
}

extension FlowState {
    /// The person who registers; `nil` in every other flow.
    var registration: Registration? { if case .registration(let person) = purpose { person } else { nil } }

    /// The account that somebody named; `nil` in a registration.
    var account: Account? {
        switch purpose {
        case .registration: nil
        case .login(let account), .address(let account, _), .change(let account, _), .recovery(let account, _),
            .returning(let account):
            account
        }
    }

    /// The address of a log-in by one, and what is known of its accounts; `nil` in every other flow.
    var address: AddressLogin? { if case .address(_, let login) = purpose { login } else { nil } }

    /// Whether the flow runs on a decoy.
    var isDecoy: Bool { account?.isDecoy ?? false }

    /// The credential that challenges name.
    var namedCredentialId: UUID { registration?.namedCredentialId ?? credentialId }

    /// The person who registers.
    ///
    /// - Throws: `flow.wrong_step` for another flow.
    func registering() throws(ServiceError) -> Registration {
        guard let registration else { throw ServiceError(.flowWrongStep) }
        return registration
    }

    /// The state that remains of a flow after its outcome, without personal data.
    var finished: FlowState {
        var state = self
        state.purpose = purpose.finished
        state.step = .done
        state.companyName = ""
        state.companyEmployeeId = ""
        state.challenge = []
        state.subjectSalt = []
        state.proved = nil
        state.setUp = nil
        state.attempt = nil
        return state
    }
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
            "id": .string(id.lowercased), "purpose": .string(purpose.kind.rawValue), "step": .string(step.rawValue),
            "app": .string(appId.lowercased), "tenant": .string(tenantId.lowercased),
            "company": .string(companyName), "employee": .string(companyEmployeeId),
            "owned": .bool(registration?.isCompanyOwnedEmail ?? false),
            "key": .string(Base64URL.encode(employeePublicKey)),
            "employeeId": .string(employeeId.lowercased), "userId": .string(userId.lowercased),
            "credentialId": .string(credentialId.lowercased),
            "namedCredentialId": .string(namedCredentialId.lowercased), "decoy": .bool(isDecoy),
            "user": .bool(registration?.userExists ?? !isDecoy), "questions": .bool(questionsAllowed),
            "challenge": .string(Base64URL.encode(challenge)), "salt": .string(Base64URL.encode(subjectSalt)),
            "expires": .string(expiresAt.description), "secret": .string(Base64URL.encode(secret)),
            "charges": .array(
                charges.map {
                    .array([.string($0.id.lowercased), .integer(Int64($0.version)), .bool($0.wasKnownDevice)])
                }),
        ]
        members.merge(purpose.members) { common, _ in common }
        if let setUp {
            members["seed"] = .string(Base64URL.encode(setUp.seed))
            members["evaluated"] = .integer(Int64(setUp.evaluations))
        }
        if let network { members["network"] = .string(Base64URL.encode(network)) }
        if let attempt {
            members["attempt"] = .array([.integer(Int64(attempt.first.byte)), .bool(attempt.isSpent)])
        }
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
        guard let kind = FlowKind(rawValue: try reader.string("purpose")),
            let step = Step(rawValue: try reader.string("step"))
        else { throw ServiceError(.flowExpired) }
        self.step = step
        appId = try reader.uuid("app")
        tenantId = try reader.uuid("tenant")
        companyName = try reader.string("company")
        companyEmployeeId = try reader.string("employee")
        employeePublicKey = try reader.bytes("key")
        employeeId = try reader.uuid("employeeId")
        userId = try reader.uuid("userId")
        credentialId = try reader.uuid("credentialId")
        purpose = try Purpose(kind, reading: &reader)
        questionsAllowed = try reader.bool("questions")
        challenge = try reader.bytes("challenge")
        subjectSalt = try reader.bytes("salt")
        expiresAt = try reader.timestamp("expires")
        secret = try reader.bytes("secret")
        charges = try reader.array("charges").map(Self.charge)
        network = try reader.optionalBytes("network")
        proved = try reader.optionalObject("proved").map { object in
            var object = object
            let proved = ProvedKey(challenge: try object.bytes("challenge"), signature: try object.bytes("signature"))
            try object.finish()
            return proved
        }
        let evaluations = Int(try reader.optionalInteger("evaluated") ?? 0)
        setUp = try reader.optionalBytes("seed").map { SetUp(seed: $0, evaluations: evaluations) }
        attempt = try reader.optionalValue("attempt").map(Self.attempt)
        try reader.finish()
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

extension FlowState.Purpose {
    /// The members that not every flow has.
    fileprivate var members: [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        switch self {
        case .registration(let person):
            if !person.email.isEmpty { members["email"] = .string(person.email) }
            if let invitation = person.invitation { members["invitation"] = .string(invitation.lowercased) }
            if let intent = person.intent { members["intent"] = .string(intent.rawValue) }
        case .address(_, let login): members["address"] = login.json
        case .change(_, let pending): members["change"] = pending?.json
        case .recovery(_, let approved): members["recovery"] = approved?.json
        case .login, .returning: break
        }
        switch self {
        case .registration: break
        case .login(let account), .address(let account, _), .change(let account, _), .recovery(let account, _),
            .returning(let account):
            if let keys = account.decoyKeys { members["decoyKeys"] = .string(Base64URL.encode(keys)) }
            if let standIn = account.standIn { members["standIn"] = standIn.json }
            if account.isHidden { members["hidden"] = .bool(true) }
        }
        return members
    }

    fileprivate init(_ kind: FlowKind, reading reader: inout ObjectReader) throws {
        let named = try reader.uuid("namedCredentialId"), isDecoy = try reader.bool("decoy")
        let isOwned = try reader.bool("owned"), userExists = try reader.bool("user")
        guard kind != .registration else {
            // An intent that this version does not know must not be ignored.
            let intent = try reader.optionalString("intent").map { name in
                guard let intent = RegistrationRequest.Intent(rawValue: name) else { throw ServiceError(.flowExpired) }
                return intent
            }
            self = .registration(
                FlowState.Registration(
                    email: try reader.optionalString("email") ?? "", isCompanyOwnedEmail: isOwned,
                    namedCredentialId: named, userExists: userExists,
                    invitation: try reader.optionalUUID("invitation"), intent: intent))
            return
        }
        let account = FlowState.Account(
            isDecoy: isDecoy, decoyKeys: try reader.optionalBytes("decoyKeys"),
            standIn: try reader.optionalValue("standIn").map { try StandIn(json: $0) },
            isHidden: try reader.optionalBool("hidden") ?? false)
        switch kind {
        case .change:
            self = .change(account, try reader.optionalObject("change").map { try PendingChange(reading: $0) })
        case .recovery:
            self = .recovery(account, try reader.optionalObject("recovery").map { try ApprovedRecovery(reading: $0) })
        case .returning: self = .returning(account)
        case .address: self = .address(account, try AddressLogin(reading: try reader.object("address")))
        case .login, .registration: self = .login(account)
        }
    }
}

/// What a person who registers means to do. A typing error in the tenant's name then neither founds nor joins one.
package enum RegistrationIntent: String, Sendable, CaseIterable {
    /// Join a tenant that exists.
    case join
    /// Found a tenant that does not exist.
    case found
}

/// A change of credentials in blind mode, between the proof of the old secret and the new record.
struct PendingChange: Sendable, Equatable {
    /// The id of the new credential.
    var credentialId: UUID
    /// The kind of secret that was proved.
    var kind: FlowProof.Kind
    /// The old user key's signature over the flow's challenge, 64 bytes.
    var userSignature: [UInt8]

    init(credentialId: UUID = UUID(), kind: FlowProof.Kind, userSignature: [UInt8]) {
        self.credentialId = credentialId
        self.kind = kind
        self.userSignature = userSignature
    }

    /// The plaintext in the flow's row.
    var json: JSONValue {
        .object([
            "credential": .string(credentialId.lowercased), "passphrase": .bool(kind == .passphrase),
            "signature": .string(Base64URL.encode(userSignature)),
        ])
    }

    /// Decodes the value that ``json`` encodes.
    init(reading object: ObjectReader) throws {
        var object = object
        credentialId = try object.uuid("credential")
        kind = try object.bool("passphrase") ? .passphrase : .answers
        userSignature = try object.bytes("signature")
        try object.finish()
    }
}

/// An approved recovery, between the device's proof and the new credentials.
struct ApprovedRecovery: Sendable, Equatable {
    /// The id of the new credential.
    var credentialId: UUID
    /// The hash of the event that opened the recovery, 32 bytes.
    var opened: [UInt8]
    /// The hash of the event that confirmed it, 32 bytes; zeros if a single admin's decision suffices.
    var confirmed: [UInt8]

    /// The value in place of a confirmation that is not needed.
    static let noConfirmation = [UInt8](repeating: 0, count: 32)

    init(credentialId: UUID = UUID(), opened: [UInt8], confirmed: [UInt8]) {
        self.credentialId = credentialId
        self.opened = opened
        self.confirmed = confirmed
    }

    /// The authority for the new record.
    var authority: SetUpAuthority { .recovered(firstApproval: opened, secondApproval: confirmed) }

    /// The plaintext in the flow's row.
    var json: JSONValue {
        .object([
            "credential": .string(credentialId.lowercased), "opened": .string(Base64URL.encode(opened)),
            "confirmed": .string(Base64URL.encode(confirmed)),
        ])
    }

    /// Decodes the value that ``json`` encodes.
    init(reading object: ObjectReader) throws {
        var object = object
        credentialId = try object.uuid("credential")
        opened = try object.bytes("opened", count: 32)
        confirmed = try object.bytes("confirmed", count: 32)
        try object.finish()
    }
}
