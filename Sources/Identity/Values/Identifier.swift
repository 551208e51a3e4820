public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A UUID that names one kind of thing, so that an employee's identifier never passes for a tenant's.
public struct Identifier<Subject>: Sendable, Hashable, CustomStringConvertible {
    /// The 16 bytes.
    public let uuid: UUID

    /// Makes an identifier of a UUID.
    public init(_ uuid: UUID) { self.uuid = uuid }

    /// Reads 36 lower-case characters (RFC 9562 §4); nil for any other spelling.
    public init?(text: String) {
        guard let uuid = UUID(lowercased: text) else { return nil }
        self.uuid = uuid
    }

    /// 36 lower-case characters.
    public var description: String { uuid.lowercased }

    /// The identifier as it stands in an event.
    public var json: JSONValue { .uuid(uuid) }
}

/// Names the credentials of a user.
public enum CredentialSubject {}
/// Names one registration or login on its way.
public enum FlowSubject {}
/// Names a session of an employee.
public enum SessionSubject {}
/// Names a secret of an app.
public enum SecretSubject {}
/// Names one recovery of a user's credentials.
public enum RecoverySubject {}
/// Names one charge of an attempt.
public enum ChargeSubject {}

/// A tenant, and its ledger.
public typealias TenantID = Identifier<Tenant>
/// An employee, and the key of their personal data.
public typealias EmployeeID = Identifier<Employee>
/// A user, and the key of their personal data.
public typealias UserID = Identifier<User>
/// A set of credentials.
public typealias CredentialID = Identifier<CredentialSubject>
/// A registration or login on its way.
public typealias FlowID = Identifier<FlowSubject>
/// A session.
public typealias SessionID = Identifier<SessionSubject>
/// An app.
public typealias AppID = Identifier<App>
/// A secret of an app.
public typealias SecretID = Identifier<SecretSubject>
/// A recovery of a user's credentials.
public typealias RecoveryID = Identifier<RecoverySubject>
/// A charge of one attempt.
public typealias ChargeID = Identifier<ChargeSubject>
