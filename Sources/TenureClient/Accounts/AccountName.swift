import Canonical
import Crypto
import Text

/// Which employee of which company at which service: what device keys and sessions are kept under.
///
/// Two names that the service takes for one are one here too: company and employee are compared in canonical form.
public struct AccountName: Sendable, Hashable, CustomStringConvertible {
    /// The service, as the app was told to reach it.
    public let issuer: String
    /// The company's name as entered.
    public let companyName: String
    /// The employee's id as entered.
    public let companyEmployeeId: String
    /// Lower-case hex SHA-256 over the three in canonical form; 64 characters that are safe in a file's name.
    public let identifier: String

    /// Names an account.
    public init(issuer: String, companyName: String, companyEmployeeId: String) {
        self.issuer = issuer
        self.companyName = companyName
        self.companyEmployeeId = companyEmployeeId
        // Every part is preceded by its length, so that no two triples are the same bytes.
        let parts = [issuer, Self.canonical(companyName), Self.canonical(companyEmployeeId)].map { Array($0.utf8) }
        let bytes = parts.flatMap { part in Array("\(part.count):".utf8) + part }
        identifier = Hex.encode(Array(SHA256.hash(data: bytes)))
    }

    /// A text without a canonical form stays as it is; the service refuses it anyway.
    private static func canonical(_ text: String) -> String { (try? CanonicalText(name: text).string) ?? text }

    /// Accounts are equal when their identifiers are.
    public static func == (left: AccountName, right: AccountName) -> Bool { left.identifier == right.identifier }

    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }

    /// Employee and company.
    public var description: String { "\(companyEmployeeId) of \(companyName)" }
}
