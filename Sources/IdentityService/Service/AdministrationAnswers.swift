public import Canonical
public import FoundationEssentials

/// A company as reads show it.
public struct CompanyView: Sendable, Equatable {
    /// The name as first entered.
    public var companyName: String
    /// When the first employee registered.
    public var foundedAt: Timestamp
    /// How many employees are not cancelled.
    public var employees: Int64
    /// The domain, once the operator confirmed it.
    public var confirmedDomain: String?
    /// The position in the company's ledger that this view has reached.
    public var position: Int64
}

/// An employee as reads show one.
public struct EmployeeView: Sendable, Equatable {
    /// The summary that answers carry too.
    public var summary: EmployeeSummary
    /// The e-mail as first entered; `nil` once erased or reclaimed.
    public var email: String?
    /// Whether the e-mail belongs to the company.
    public var isCompanyOwnedEmail: Bool
    /// When the employee registered.
    public var registeredAt: Timestamp
    /// The device keys, oldest first; `nil` in lists.
    public var keys: [EmployeeKeyView]?
}

/// A device key as reads show it.
public struct EmployeeKeyView: Sendable, Equatable {
    /// Lower-case hex SHA-256 of the X9.63 point.
    public var fingerprint: String
    /// The 65-byte X9.63 point.
    public var employeePublicKey: [UInt8]
    /// `pending`, `authorized`, `refused`, `revoked` or `expired`.
    public var state: String
    /// When the key was presented.
    public var presentedAt: Timestamp
    /// When it was authorized, refused or revoked.
    public var decidedAt: Timestamp?
}

/// The security admin and the event that proves it.
public struct SecurityAdminView: Sendable, Equatable {
    /// The employee.
    public var employee: EmployeeSummary
    /// The event id of the proving event.
    public var eventId: UUID
    /// Its position in the company's ledger.
    public var position: Int64
    /// Since when.
    public var since: Timestamp
}

/// A key that waits, with the bytes to sign.
public struct PendingAuthorizationView: Sendable, Equatable {
    /// The employee.
    public var employee: EmployeeSummary
    /// The key.
    public var key: EmployeeKeyView
    /// When the key stops waiting.
    public var expiresAt: Timestamp
    /// Where in the company's ledger it was presented.
    public var position: Int64
    /// The exact bytes that an approver signs; `nil` where the caller cannot sign (an app vouches itself).
    public var statement: [UInt8]?
}

/// The answer to a decision about a key, a status or the policy.
public enum Decision: Sendable, Equatable {
    /// It is done (or was done before, when nothing was appended now and `position` is `nil`).
    case done(EmployeeSummary?, position: Int64?)
    /// The caller's employee key has to sign these bytes; the same call with `statement` and `signature` performs it.
    case signatureRequired(statement: [UInt8])
}

/// A statement with its signature, as an approver hands it in.
public struct SignedStatement: Sendable, Equatable {
    /// The exact bytes that were signed.
    public var statement: [UInt8]
    /// The signature, DER or 64 raw bytes.
    public var signature: [UInt8]

    /// Pairs a statement with its signature.
    public init(statement: [UInt8], signature: [UInt8]) {
        self.statement = statement
        self.signature = signature
    }
}

/// The policy of a company.
public struct PolicyView: Sendable, Equatable {
    /// `automatic`, `application` or `securityAdmin`.
    public var keyAuthorization: String
    /// `automatic` or `admin`.
    public var approval: String
    /// Whether only the blind mode is accepted.
    public var blindOnly: Bool
    /// Whether users may allow questions beside a passphrase.
    public var questionsWithPassphrase: Bool
    /// The version for `ETag` and `If-Match`: how often the company's stream changed.
    public var version: Int

    /// Describes a policy.
    public init(
        keyAuthorization: String, approval: String, blindOnly: Bool, questionsWithPassphrase: Bool, version: Int
    ) {
        self.keyAuthorization = keyAuthorization
        self.approval = approval
        self.blindOnly = blindOnly
        self.questionsWithPassphrase = questionsWithPassphrase
        self.version = version
    }
}

/// The members of a policy that a call changes; `nil` leaves one as it is.
public struct PolicyChange: Sendable, Equatable {
    /// See ``PolicyView/keyAuthorization``.
    public var keyAuthorization: String?
    /// See ``PolicyView/approval``.
    public var approval: String?
    /// See ``PolicyView/blindOnly``.
    public var blindOnly: Bool?
    /// See ``PolicyView/questionsWithPassphrase``.
    public var questionsWithPassphrase: Bool?

    /// Describes a change.
    public init(
        keyAuthorization: String? = nil, approval: String? = nil, blindOnly: Bool? = nil,
        questionsWithPassphrase: Bool? = nil
    ) {
        self.keyAuthorization = keyAuthorization
        self.approval = approval
        self.blindOnly = blindOnly
        self.questionsWithPassphrase = questionsWithPassphrase
    }
}

/// One event as reads show it: the entry with its personal members opened where the key exists.
public struct EventView: Sendable, Equatable {
    /// The position in the company's ledger.
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
    /// The payload; a personal member is its text, or the string `[erased]`.
    public var data: JSONValue
}

/// One page of a list.
public struct Page<Item: Sendable>: Sendable {
    /// The items.
    public var items: [Item]
    /// The cursor of the next page, when there is one.
    public var next: Int64?

    /// Makes a page.
    public init(items: [Item], next: Int64?) {
        self.items = items
        self.next = next
    }
}

/// One open session of an employee.
public struct SessionView: Sendable, Equatable {
    /// The session.
    public var sessionId: UUID
    /// The fingerprint of the key that opened it.
    public var fingerprint: String
    /// When it was opened.
    public var createdAt: Timestamp
    /// When its refresh token ends.
    public var expiresAt: Timestamp
    /// Whether it is the caller's own.
    public var isCurrent: Bool
}
