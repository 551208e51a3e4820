public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The caller's account, session and app.
public struct MeResponse: Sendable, Equatable, ResponseObject {
    /// The caller's session.
    public struct Session: Sendable, Equatable {
        /// The id of the session.
        public var sessionId: UUID
        /// The fingerprint of the device key that opened the session.
        public var fingerprint: String
        /// The comparison words of the fingerprint, as pages and terminals show them.
        public var words: String
        /// The role of the session: `employee` if its device key does not carry the account's role.
        public var role: String
        /// The time when the session was opened.
        public var createdAt: Timestamp
        /// The time when the session ends unless refreshed, or at the latest.
        public var expiresAt: Timestamp

        package init(
            sessionId: UUID, fingerprint: String, words: String = "", role: String, createdAt: Timestamp,
            expiresAt: Timestamp
        ) {
            self.sessionId = sessionId
            self.fingerprint = fingerprint
            self.words = words.isEmpty ? FingerprintWords(hex: fingerprint).text : words
            self.role = role
            self.createdAt = createdAt
            self.expiresAt = expiresAt
        }
    }

    /// The app that opened the session.
    public struct App: Sendable, Equatable {
        /// The id of the app.
        public var appId: UUID
        /// The name that the operator gave it.
        public var name: String

        package init(appId: UUID, name: String) {
            self.appId = appId
            self.name = name
        }
    }

    /// The permanent id of the tenant.
    public var tenantId: UUID
    /// The permanent id of the account.
    public var employeeId: UUID
    /// The tenant's name as first entered.
    public var companyName: String
    /// The employee's id as first entered; `nil` once erased.
    public var companyEmployeeId: String?
    /// `registered`, `active` or `cancelled`.
    public var status: String
    /// `securityAdmin`, `admin` or `employee`.
    public var role: String
    /// Whether it is verified that the owner of the account reads the mails to its address.
    public var emailVerified: Bool
    /// The caller's session.
    public var session: Session
    /// The app that opened the session.
    public var app: App
    /// Notices for the owner of the account.
    public var notices: [NoticeResponse]

    package init(
        tenantId: UUID, employeeId: UUID, companyName: String, companyEmployeeId: String?, status: String, role: String,
        emailVerified: Bool = false, session: Session, app: App, notices: [NoticeResponse] = []
    ) {
        self.tenantId = tenantId
        self.employeeId = employeeId
        self.companyName = companyName
        self.companyEmployeeId = companyEmployeeId
        self.status = status
        self.role = role
        self.emailVerified = emailVerified
        self.session = session
        self.app = app
        self.notices = notices
    }

    /// The members on the wire.
    public static let members = WireMembers<MeResponse>(
        "MeResponse", MeResponse.init, Member("tenantId", \.tenantId), Member("employeeId", \.employeeId),
        Member("companyName", \.companyName), Member(optional: "companyEmployeeId", \.companyEmployeeId),
        Member("status", \.status), Member("role", \.role),
        Member("emailVerified", \.emailVerified, .flag, absent: false), Member("session", \.session),
        Member("app", \.app), Member("notices", \.notices, .list()))
}

extension MeResponse.Session: ResponseObject {
    /// The members on the wire.
    public static let members = WireMembers<MeResponse.Session>(
        "MeResponse.Session", MeResponse.Session.init, Member("sessionId", \.sessionId),
        Member("fingerprint", \.fingerprint), Member("words", \.words),
        Member("role", \.role), Member("createdAt", \.createdAt), Member("expiresAt", \.expiresAt))
}

extension MeResponse.App: ResponseObject {
    /// The members on the wire.
    public static let members = WireMembers<MeResponse.App>(
        "MeResponse.App", MeResponse.App.init, Member("appId", \.appId), Member("name", \.name))
}
