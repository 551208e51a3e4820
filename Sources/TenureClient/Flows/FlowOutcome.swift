import Canonical
public import Credentials
public import TenureAPI

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
    /// Who is in.
    public let employee: EmployeeSummaryResponse
    /// The position in the company's ledger; reads may wait for it.
    public let position: Int64?
}

/// A key that waits for somebody with authority.
public struct PendingAuthorization: Sendable {
    private let client: TenureClient
    /// Whose key it is.
    public let account: AccountName
    /// The key, which the person shows to whoever authorizes it.
    public let publicKey: EmployeePublicKey
    /// The position in the company's ledger.
    public let position: Int64?

    init(client: TenureClient, account: AccountName, publicKey: EmployeePublicKey, position: Int64?) {
        self.client = client
        self.account = account
        self.publicKey = publicKey
        self.position = position
    }

    /// The padded base64 of the 65-byte point, as ``TenureClient/authorize(employeePublicKey:companyName:companyEmployeeId:as:)``
    /// takes it.
    public var employeePublicKey: String { Base64.encode(publicKey.bytes) }

    /// The fingerprint in groups of four, to be read out and compared.
    public var readableFingerprint: String { Fingerprint.readable(publicKey.fingerprint) }

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
