import Canonical
import Credentials
import TenureAPI

/// How a flow ends.
public enum FlowOutcome: Sendable {
    /// The employee is in.
    case success(Admission)
    /// Credentials were right; somebody with authority has to authorize this device's key first.
    case authorizationPending(PendingAuthorization)
}

/// What a successful flow gives.
public struct Admission: Sendable {
    /// The session.
    public let session: EmployeeSession
    /// The company's name as first entered.
    public let companyName: String
    /// The employee's id as first entered.
    public let companyEmployeeId: String
    /// `registered` (not approved yet), `active` or `cancelled`.
    public let status: String
    /// `securityAdmin`, `admin` or `employee`.
    public let role: String
    /// The fingerprint of this device's key.
    public let fingerprint: String
    /// The position in the company's ledger; reads may wait for it.
    public let position: Int64?
    /// Whether the credentials have to be changed before another device can be added: too many wrong attempts were made
    /// from unknown devices.
    public let credentialsChangeRequired: Bool

    init(
        _ session: EmployeeSession, _ employee: EmployeeSummaryResponse, fingerprint: String, position: Int64?,
        credentialsChangeRequired: Bool
    ) {
        self.session = session
        companyName = employee.companyName
        companyEmployeeId = employee.companyEmployeeId ?? session.account.companyEmployeeId
        status = employee.status
        role = employee.role
        self.fingerprint = fingerprint
        self.position = position
        self.credentialsChangeRequired = credentialsChangeRequired
    }
}

/// A key that waits for somebody with authority.
public struct PendingAuthorization: Sendable {
    private let client: TenureClient
    /// Whose key it is.
    public let account: AccountName
    /// The padded base64 of the key's 65-byte point, as
    /// ``TenureClient/authorize(employeePublicKey:companyName:companyEmployeeId:as:)`` takes it.
    public let employeePublicKey: String
    /// The key's fingerprint, which the person shows to whoever authorizes it: 64 lower-case hex digits.
    public let fingerprint: String
    /// The position in the company's ledger.
    public let position: Int64?

    init(client: TenureClient, account: AccountName, publicKey: EmployeePublicKey, position: Int64?) {
        self.client = client
        self.account = account
        employeePublicKey = Base64.encode(publicKey.bytes)
        fingerprint = publicKey.fingerprint
        self.position = position
    }

    /// The fingerprint in groups of four, to be read out and compared.
    public var readableFingerprint: String { Fingerprint.readable(fingerprint) }

    /// Begins the login that follows the authorization.
    public func logIn() async throws -> LoginStep {
        try await client.login(companyName: account.companyName, companyEmployeeId: account.companyEmployeeId)
    }
}

/// Fingerprints as people compare them.
public enum Fingerprint {
    /// Hex digits in groups of four.
    public static func readable(_ fingerprint: String) -> String {
        let digits = Array(fingerprint)
        return stride(from: 0, to: digits.count, by: 4)
            .map { String(digits[$0..<min($0 + 4, digits.count)]) }.joined(separator: " ")
    }
}
