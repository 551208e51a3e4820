import Canonical
import Credentials
public import TenureAPI

/// The outcome of a flow.
public enum FlowOutcome: Sendable {
    /// The flow succeeded and opened a session.
    case success(Admission)
    /// The credentials were correct, but this device's key is pending until somebody with authority authorizes it.
    case authorizationPending(PendingAuthorization)
}

/// The result of a successful flow.
public struct Admission: Sendable {
    /// The session.
    public let session: EmployeeSession
    /// The tenant's name as first entered.
    public let companyName: String
    /// The employee's id as first entered.
    public let companyEmployeeId: String
    /// `registered` (not approved yet), `active` or `cancelled`.
    public let status: String
    /// `securityAdmin`, `admin` or `employee`.
    public let role: String
    /// The fingerprint of this device's key; empty after a log-in by a passkey, which this device may not hold.
    public let fingerprint: String
    /// The position in the tenant's ledger. Pass it as `waitFor` to reads that must include this flow.
    public let position: Int64?
    /// Whether the user must change the credentials before another device can be added, because there were too many
    /// wrong attempts from unknown devices.
    public let credentialsChangeRequired: Bool
    /// Notices for the user, for example about an open recovery of their credentials. Show them.
    public let notices: [NoticeResponse]

    init(
        _ session: EmployeeSession, _ employee: EmployeeSummaryResponse, fingerprint: String, position: Int64?,
        credentialsChangeRequired: Bool, notices: [NoticeResponse]
    ) {
        self.session = session
        companyName = employee.companyName
        companyEmployeeId = employee.companyEmployeeId ?? session.account.companyEmployeeId
        status = employee.status
        role = employee.role
        self.fingerprint = fingerprint
        self.position = position
        self.credentialsChangeRequired = credentialsChangeRequired
        self.notices = notices
    }
}

/// A pending device key.
///
/// ```swift
/// show(pending.words)
/// // Once somebody with authority has compared the fingerprint and authorized the key:
/// let step = try await pending.logIn()
/// ```
public struct PendingAuthorization: Sendable {
    private let client: TenureClient
    /// The account that the key belongs to.
    public let account: AccountName
    /// The padded base64 of the key's 65-byte point. Pass it to
    /// ``TenureClient/authorize(employeePublicKey:companyName:companyEmployeeId:as:)``.
    public let employeePublicKey: String
    /// The key's fingerprint: 64 lower-case hex digits. The person shows it to whoever authorizes the key.
    public let fingerprint: String
    /// The position in the tenant's ledger.
    public let position: Int64?

    init(client: TenureClient, account: AccountName, publicKey: EmployeePublicKey, position: Int64?) {
        self.client = client
        self.account = account
        employeePublicKey = Base64.encode(publicKey.bytes)
        fingerprint = publicKey.fingerprint
        self.position = position
    }

    /// The comparison words of the fingerprint, to read out and compare. Pages show the same.
    public var words: String { FingerprintWords(hex: fingerprint).text }
    /// The fingerprint in groups of four digits, for tools that show no words.
    public var readableFingerprint: String { Fingerprint.readable(fingerprint) }

    /// Starts a log-in, once the key is authorized.
    ///
    /// - Throws: ``TenureClientError``, as ``TenureClient/login(companyName:companyEmployeeId:)``.
    public func logIn() async throws -> LoginStep {
        try await client.login(companyName: account.companyName, companyEmployeeId: account.companyEmployeeId)
    }
}

/// Formats fingerprints for people.
public enum Fingerprint {
    /// Splits hex digits into groups of four.
    public static func readable(_ fingerprint: String) -> String {
        let digits = Array(fingerprint)
        return stride(from: 0, to: digits.count, by: 4)
            .map { String(digits[$0..<min($0 + 4, digits.count)]) }.joined(separator: " ")
    }
}
