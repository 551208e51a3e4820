import Canonical
import Crypto
import Text

/// The name of an account: service, tenant and employee. Device keys and sessions are stored under it.
///
/// Tenant and employee are compared in canonical form, so two names that are equal to the service are equal here.
public struct AccountName: Sendable, Hashable, CustomStringConvertible {
    /// The address of the service, as configured in the app.
    public let issuer: String
    /// The tenant's name as entered.
    public let companyName: String
    /// The employee's id as entered.
    public let companyEmployeeId: String
    /// The SHA-256 of the three parts in canonical form: 64 lower-case hex digits, safe in a file name.
    public let identifier: String

    /// Names an account.
    public init(issuer: String, companyName: String, companyEmployeeId: String) {
        self.issuer = issuer
        self.companyName = companyName
        self.companyEmployeeId = companyEmployeeId
        // Each part is prefixed with its length, so that no two names have the same bytes.
        let parts = [issuer, Self.canonical(companyName), Self.canonical(companyEmployeeId)].map { Array($0.utf8) }
        let bytes = parts.flatMap { part in Array("\(part.count):".utf8) + part }
        identifier = Hex.encode(Array(SHA256.hash(data: bytes)))
    }

    /// Returns the canonical form. A text that has none is returned unchanged; the service refuses it anyway.
    private static func canonical(_ text: String) -> String { (try? CanonicalText(name: text).string) ?? text }

    /// Compares the identifiers.
    public static func == (left: AccountName, right: AccountName) -> Bool { left.identifier == right.identifier }

    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }

    /// The employee and the tenant.
    public var description: String { "\(companyEmployeeId) of \(companyName)" }
}
