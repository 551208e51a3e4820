public import Canonical
import Crypto

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A UUID typed by what it names, so that an employee's id is never taken for a tenant's.
public struct Identifier<Subject>: Sendable, Hashable, CustomStringConvertible {
    /// The 16 bytes.
    public let uuid: UUID

    /// Wraps a UUID.
    public init(_ uuid: UUID) { self.uuid = uuid }

    /// Parses 36 lower-case characters (RFC 9562 §4); `nil` for any other spelling.
    public init?(text: String) {
        guard let uuid = UUID(lowercased: text) else { return nil }
        self.uuid = uuid
    }

    /// The UUID as 36 lower-case characters.
    public var description: String { uuid.lowercased }

    /// The identifier as events contain it.
    public var json: JSONValue { .uuid(uuid) }
}

extension Identifier: MemberValue {
    /// A string of 36 lower-case characters.
    public static var memberKind: MemberKind<Self> {
        MemberKind(UUID.memberKind.description) { (json, place) throws(JSONError) in
            Self(try json.uuid(at: place))
        } write: { (id, _) in
            id.json
        }
    }
}

/// The subject of ids of credentials.
public enum CredentialSubject {}
/// The subject of ids of flows.
public enum FlowSubject {}
/// The subject of ids of sessions.
public enum SessionSubject {}
/// The subject of ids of app secrets.
public enum SecretSubject {}
/// The subject of ids of grants of clients.
public enum GrantSubject {}
/// The subject of ids of browser sessions.
public enum BrowserSessionSubject {}
/// The subject of ids of recoveries.
public enum RecoverySubject {}
/// The subject of ids of returns.
public enum ReturnSubject {}
/// The subject of ids of invitations.
public enum InvitationSubject {}
/// The subject of ids of charges.
public enum ChargeSubject {}
/// The subject of ids of activations.
public enum MPinActivationSubject {}

/// The id of a tenant and of its ledger.
public typealias TenantID = Identifier<Tenant>
/// The id of an employee and of the key of their personal data.
public typealias EmployeeID = Identifier<Employee>
/// The id of a user and of the key of their personal data.
public typealias UserID = Identifier<User>
/// The id of a user's credentials.
public typealias CredentialID = Identifier<CredentialSubject>
/// The id of a flow.
public typealias FlowID = Identifier<FlowSubject>
/// The id of a session.
public typealias SessionID = Identifier<SessionSubject>
/// The id of an app.
public typealias AppID = Identifier<App>
/// The id of an app's secret.
public typealias SecretID = Identifier<SecretSubject>
/// The id of a client's grant.
public typealias GrantID = Identifier<GrantSubject>
/// The id of a browser session.
public typealias BrowserSessionID = Identifier<BrowserSessionSubject>
/// The id of a recovery.
public typealias RecoveryID = Identifier<RecoverySubject>
/// The id of the return of a security admin.
public typealias ReturnID = Identifier<ReturnSubject>
/// The id of an invitation.
public typealias InvitationID = Identifier<InvitationSubject>
/// The id of a charge.
public typealias ChargeID = Identifier<ChargeSubject>
/// The id of an M-Pin identity and of the key of its personal data.
public typealias MPinIdentityID = Identifier<MPinIdentity>
/// The id of an activation and of the key of its personal data.
public typealias MPinActivationID = Identifier<MPinActivationSubject>

/// A P-256 public key as its X9.63 point: 65 bytes, the first of them 4 (SEC 1 §2.3.3).
///
/// Code that uses a key checks that the point is on the curve.
public struct PublicKeyBytes: Sendable, Hashable {
    /// The number of bytes.
    public static let count = 65
    /// The point, uncompressed.
    public let bytes: [UInt8]

    /// Returns `nil` for anything but 65 bytes that start with 4.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count, bytes.first == 4 else { return nil }
        self.bytes = Array(bytes)
    }
}

/// An ECDSA P-256 signature: the raw 64 bytes r ‖ s. It is malleable, so it never serves as an identifier.
public struct SignatureBytes: Sendable, Hashable {
    /// The number of bytes.
    public static let count = 64
    /// r ‖ s.
    public let bytes: [UInt8]

    /// Returns `nil` for any number of bytes but 64.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        self.bytes = Array(bytes)
    }
}

/// A salt or a digest of exactly 32 bytes.
public struct Bytes32: Sendable, Hashable {
    /// The number of bytes.
    public static let count = 32
    /// The bytes.
    public let bytes: [UInt8]

    /// Returns `nil` for any number of bytes but 32.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        self.bytes = Array(bytes)
    }
}

/// The fingerprint of a public key: the SHA-256 of its 65 bytes, shown as 64 lower-case hexadecimal digits.
public struct KeyFingerprint: Sendable, Hashable, CustomStringConvertible {
    /// The 32 bytes of the hash.
    public let bytes: [UInt8]

    /// Returns `nil` for any number of bytes but 32.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        self.bytes = Array(bytes)
    }

    /// The fingerprint of a device key.
    public init(of key: PublicKeyBytes) { bytes = Array(SHA256.hash(data: key.bytes)) }

    /// Parses 64 lower-case hexadecimal digits; `nil` for any other spelling.
    public init?(hex: String) {
        guard let bytes = Hex.decode(hex) else { return nil }
        self.init(bytes)
    }

    /// The fingerprint as 64 lower-case hexadecimal digits.
    public var description: String { Hex.encode(bytes) }
}

extension PublicKeyBytes: MemberValue {
    /// The point in unpadded base64url.
    public static let memberKind = MemberKind<Self>.bytes(
        count...count, "an uncompressed point of 65 bytes is expected", parse: { Self($0) }, bytes: \.bytes)
}

extension SignatureBytes: MemberValue {
    /// The bytes in unpadded base64url.
    public static let memberKind = MemberKind<Self>.bytes(
        count...count, "64 bytes are expected", parse: { Self($0) }, bytes: \.bytes)
}

extension Bytes32: MemberValue {
    /// The bytes in unpadded base64url.
    public static let memberKind = MemberKind<Self>.bytes(
        count...count, "32 bytes are expected", parse: { Self($0) }, bytes: \.bytes)
}

extension KeyFingerprint: MemberValue {
    /// A string of 64 lower-case hexadecimal digits.
    public static let memberKind = MemberKind<Self>.text(
        .string(format: "fingerprint"), "64 lower-case hexadecimal digits are expected", parse: { Self(hex: $0) },
        text: \.description)
}
