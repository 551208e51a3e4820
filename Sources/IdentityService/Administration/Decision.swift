public import Canonical
public import FoundationEssentials

/// The reply to an administrative decision.
public enum Decision: Sendable, Equatable {
    /// The decision holds. `position` is `nil` if it already held and nothing was appended.
    case done(EmployeeSummary?, position: Int64?)
    /// The caller's device key must sign these bytes. The same call with `statement` and `signature` performs the
    /// decision.
    case signatureRequired(statement: [UInt8])
}

/// A statement with its signature, as an approver submits it.
public struct SubmittedStatement: Sendable, Equatable {
    /// The exact bytes that were signed.
    public var statement: [UInt8]
    /// The signature, DER or 64 raw bytes.
    public var signature: [UInt8]

    /// Each parameter sets the property of the same name.
    public init(statement: [UInt8], signature: [UInt8]) {
        self.statement = statement
        self.signature = signature
    }
}

/// The policy of a tenant.
public struct PolicyView: Sendable, Equatable {
    /// `automatic`, `application` or `securityAdmin`.
    public var keyAuthorization: String
    /// `automatic` or `admin`.
    public var approval: String
    /// Whether only the blind mode is accepted.
    public var blindOnly: Bool
    /// Whether users may allow questions beside a passphrase.
    public var questionsWithPassphrase: Bool
    /// `open` or `invited`.
    public var registrationMode: String
    /// The hours between the start of a recovery and new credentials.
    public var recoveryDelayHours: Int
    /// The hours after which an admin's session ends.
    public var adminSessionHours: Int
    /// The version for `ETag` and `If-Match`, which counts the events of the tenant's stream.
    public var version: Int

    /// Each parameter sets the property of the same name.
    public init(
        keyAuthorization: String, approval: String, blindOnly: Bool, questionsWithPassphrase: Bool,
        registrationMode: String = "open", recoveryDelayHours: Int = 24, adminSessionHours: Int = 1, version: Int
    ) {
        self.keyAuthorization = keyAuthorization
        self.approval = approval
        self.blindOnly = blindOnly
        self.questionsWithPassphrase = questionsWithPassphrase
        self.registrationMode = registrationMode
        self.recoveryDelayHours = recoveryDelayHours
        self.adminSessionHours = adminSessionHours
        self.version = version
    }
}

/// The members of a policy that a call changes; `nil` leaves a member as it is.
public struct PolicyInput: Sendable, Equatable {
    /// See ``PolicyView/keyAuthorization``.
    public var keyAuthorization: String?
    /// See ``PolicyView/approval``.
    public var approval: String?
    /// See ``PolicyView/blindOnly``.
    public var blindOnly: Bool?
    /// See ``PolicyView/questionsWithPassphrase``.
    public var questionsWithPassphrase: Bool?
    /// See ``PolicyView/registrationMode``.
    public var registrationMode: String?
    /// See ``PolicyView/recoveryDelayHours``.
    public var recoveryDelayHours: Int?
    /// See ``PolicyView/adminSessionHours``.
    public var adminSessionHours: Int?

    /// Each parameter sets the property of the same name.
    public init(
        keyAuthorization: String? = nil, approval: String? = nil, blindOnly: Bool? = nil,
        questionsWithPassphrase: Bool? = nil, registrationMode: String? = nil, recoveryDelayHours: Int? = nil,
        adminSessionHours: Int? = nil
    ) {
        self.keyAuthorization = keyAuthorization
        self.approval = approval
        self.blindOnly = blindOnly
        self.questionsWithPassphrase = questionsWithPassphrase
        self.registrationMode = registrationMode
        self.recoveryDelayHours = recoveryDelayHours
        self.adminSessionHours = adminSessionHours
    }
}

/// One event as the read API returns it: the entry, with its personal members decrypted while the key exists.
public struct EventView: Sendable, Equatable {
    /// The position in the tenant's ledger.
    public var position: Int64
    /// The event's id.
    public var eventId: UUID
    /// The permanent type name.
    public var type: String
    /// The stream, `kind/uuid`.
    public var stream: String
    /// The version in its stream, from 1.
    public var streamVersion: Int
    /// When it was recorded.
    public var time: Timestamp
    /// The employee who acted.
    public var actor: UUID?
    /// The app through which they acted.
    public var app: UUID?
    /// The request.
    public var requestId: String?
    /// The payload. A personal member is its text, or the string `[erased]`.
    public var data: JSONValue
}

/// One page of a list.
public struct Page<Item: Sendable>: Sendable {
    /// The items.
    public var items: [Item]
    /// The cursor of the next page, if there is one.
    public var next: Int64?

    /// Each parameter sets the property of the same name.
    public init(items: [Item], next: Int64?) {
        self.items = items
        self.next = next
    }
}
