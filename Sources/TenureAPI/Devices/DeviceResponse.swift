public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A device key as shown to its owner.
public struct DeviceResponse: Sendable, Equatable, ResponseObject {
    /// The authority that authorized a key.
    public struct Authorizer: Sendable, Equatable {
        /// `founding`, `policy`, `app`, `employee` or `operator`.
        public var kind: String
        /// The id of the authorizing employee, or `nil` if erased or if no employee authorized the key.
        public var companyEmployeeId: String?
        /// The id of the authorizing app.
        public var appId: UUID?

        package init(kind: String, companyEmployeeId: String? = nil, appId: UUID? = nil) {
            self.kind = kind
            self.companyEmployeeId = companyEmployeeId
            self.appId = appId
        }
    }

    /// Lower-case hex SHA-256 of the X9.63 point.
    public var fingerprint: String
    /// The comparison words of the fingerprint, as pages and terminals show them.
    public var words: String
    /// The 65-byte X9.63 point; padded base64 on the wire.
    public var employeePublicKey: [UInt8]
    /// The name that the owner gave the device; `nil` without one.
    public var name: String?
    /// `pending`, `authorized`, `refused`, `revoked` or `expired`.
    public var state: String
    /// Whether the caller's session was opened with this key.
    public var isCurrent: Bool
    /// The time when the key was last presented.
    public var presentedAt: Timestamp
    /// The time when the key was authorized.
    public var authorizedAt: Timestamp?
    /// The app through which the key was last presented.
    public var presentedBy: Presenter?
    /// The time when the key was refused or revoked.
    public var endedAt: Timestamp?
    /// The time when an open session last obtained tokens with the key.
    public var lastUsedAt: Timestamp?
    /// The authority that authorized the key.
    public var authorizedBy: Authorizer?

    package init(
        fingerprint: String, words: String = "", employeePublicKey: [UInt8], name: String? = nil, state: String,
        isCurrent: Bool, presentedAt: Timestamp, presentedBy: Presenter? = nil,
        authorizedAt: Timestamp? = nil, endedAt: Timestamp? = nil, lastUsedAt: Timestamp? = nil,
        authorizedBy: Authorizer? = nil
    ) {
        self.fingerprint = fingerprint
        self.words = words.isEmpty ? FingerprintWords(hex: fingerprint).text : words
        self.employeePublicKey = employeePublicKey
        self.name = name
        self.state = state
        self.isCurrent = isCurrent
        self.presentedAt = presentedAt
        self.presentedBy = presentedBy
        self.authorizedAt = authorizedAt
        self.endedAt = endedAt
        self.lastUsedAt = lastUsedAt
        self.authorizedBy = authorizedBy
    }

    /// The members on the wire.
    public static let members = WireMembers<DeviceResponse>(
        "DeviceResponse", DeviceResponse.init, Member("fingerprint", \.fingerprint), Member("words", \.words),
        Member("employeePublicKey", \.employeePublicKey, .base64), Member(optional: "name", \.name),
        Member("state", \.state), Member("isCurrent", \.isCurrent), Member("presentedAt", \.presentedAt),
        Member(optional: "presentedBy", \.presentedBy), Member(optional: "authorizedAt", \.authorizedAt),
        Member(optional: "endedAt", \.endedAt), Member(optional: "lastUsedAt", \.lastUsedAt),
        Member(optional: "authorizedBy", \.authorizedBy))
}

extension DeviceResponse {
    /// The app through which a device presented its key.
    public struct Presenter: Sendable, Equatable, ResponseObject {
        /// The app.
        public var appId: UUID
        /// The name that the operator gave it.
        public var name: String?

        package init(appId: UUID, name: String? = nil) {
            self.appId = appId
            self.name = name
        }

        /// The members on the wire.
        public static let members = WireMembers<Presenter>(
            "DeviceResponse.Presenter", Presenter.init, Member("appId", \.appId), Member(optional: "name", \.name))
    }
}

extension DeviceResponse.Authorizer: ResponseObject {
    /// The members on the wire.
    public static let members = WireMembers<DeviceResponse.Authorizer>(
        "DeviceResponse.Authorizer", DeviceResponse.Authorizer.init, Member("kind", \.kind),
        Member(optional: "companyEmployeeId", \.companyEmployeeId), Member(optional: "appId", \.appId))
}

/// The caller's device keys, with notices for the owner of the account.
public struct DevicesResponse: Sendable, Equatable, ResponseObject {
    /// The device keys, oldest first.
    public var items: [DeviceResponse]
    /// Notices for the owner of the account. Absent on the wire if there are none.
    public var notices: [NoticeResponse]

    package init(items: [DeviceResponse], notices: [NoticeResponse] = []) {
        self.items = items
        self.notices = notices
    }

    /// The members on the wire.
    public static let members = WireMembers<DevicesResponse>(
        "DevicesResponse", DevicesResponse.init, Member("items", \.items, .list()),
        Member(optional: "notices", \.notices, .list(), absent: []))
}

/// A device key as shown to admins and apps.
public struct EmployeeKeyResponse: Sendable, Equatable, ResponseObject {
    /// Lower-case hex SHA-256 of the X9.63 point.
    public var fingerprint: String
    /// The comparison words of the fingerprint, as pages and terminals show them.
    public var words: String
    /// The 65-byte X9.63 point; padded base64 on the wire.
    public var employeePublicKey: [UInt8]
    /// `pending`, `authorized`, `refused`, `revoked` or `expired`.
    public var state: String
    /// The time when the key was presented.
    public var presentedAt: Timestamp
    /// The time when the key was authorized, refused or revoked.
    public var decidedAt: Timestamp?

    package init(
        fingerprint: String, words: String = "", employeePublicKey: [UInt8], state: String, presentedAt: Timestamp,
        decidedAt: Timestamp? = nil
    ) {
        self.fingerprint = fingerprint
        self.words = words.isEmpty ? FingerprintWords(hex: fingerprint).text : words
        self.employeePublicKey = employeePublicKey
        self.state = state
        self.presentedAt = presentedAt
        self.decidedAt = decidedAt
    }

    /// The members on the wire.
    public static let members = WireMembers<EmployeeKeyResponse>(
        "EmployeeKeyResponse", EmployeeKeyResponse.init, Member("fingerprint", \.fingerprint), Member("words", \.words),
        Member("employeePublicKey", \.employeePublicKey, .base64), Member("state", \.state),
        Member("presentedAt", \.presentedAt), Member(optional: "decidedAt", \.decidedAt))
}

/// A pending device key, with the bytes to sign for its authorization.
public struct PendingAuthorizationResponse: Sendable, Equatable, ResponseObject {
    /// The employee who owns the key.
    public var employee: EmployeeSummaryResponse
    /// The key.
    public var key: EmployeeKeyResponse
    /// The time when the key stops being pending.
    public var expiresAt: Timestamp
    /// The position in the ledger at which the key was presented. Send it as `after` to list later keys.
    public var position: Int64
    /// The exact bytes that an approver signs, or `nil` for callers who cannot sign.
    public var statement: [UInt8]?
    /// The name of the device, for admins; `nil` without one.
    public var deviceName: String?

    package init(
        employee: EmployeeSummaryResponse, key: EmployeeKeyResponse, expiresAt: Timestamp, position: Int64,
        statement: [UInt8]? = nil, deviceName: String? = nil
    ) {
        self.employee = employee
        self.key = key
        self.expiresAt = expiresAt
        self.position = position
        self.statement = statement
        self.deviceName = deviceName
    }

    /// The members on the wire.
    public static let members = WireMembers<PendingAuthorizationResponse>(
        "PendingAuthorizationResponse", PendingAuthorizationResponse.init, Member("employee", \.employee),
        Member("key", \.key), Member("expiresAt", \.expiresAt), Member("position", \.position, .number()),
        Member(optional: "statement", \.statement, .base64), Member(optional: "deviceName", \.deviceName))
}
