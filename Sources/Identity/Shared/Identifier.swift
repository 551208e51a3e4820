package import Canonical
import Crypto
package import FoundationEssentials

/// A UUID typed by what it names, so that an employee's id is never taken for a tenant's.
package struct Identifier<Subject>: Sendable, Hashable, CustomStringConvertible {
    /// The 16 bytes.
    package let uuid: UUID

    package init(_ uuid: UUID) { self.uuid = uuid }

    /// Parses 36 lower-case characters (RFC 9562 §4); `nil` for any other spelling.
    package init?(text: String) {
        guard let uuid = UUID(lowercased: text) else { return nil }
        self.uuid = uuid
    }

    /// Parses 36 characters that somebody enters, in upper or lower case; `nil` for any other text.
    package init?(entered text: String) {
        guard let uuid = UUID(entered: text) else { return nil }
        self.uuid = uuid
    }

    /// The UUID as 36 lower-case characters.
    package var description: String { uuid.lowercased }

    /// The identifier as events contain it.
    package var json: JSONValue { .uuid(uuid) }
}

extension Identifier: MemberValue {
    /// A string of 36 lower-case characters.
    package static var memberKind: MemberKind<Self> {
        MemberKind(UUID.memberKind.description) { (json, place) throws(JSONError) in
            Self(try json.uuid(at: place))
        } write: { (id, _) in
            id.json
        }
    }
}

package enum CredentialSubject {}
package enum FlowSubject {}
package enum SessionSubject {}
package enum SecretSubject {}
package enum GrantSubject {}
package enum BrowserSessionSubject {}
package enum RecoverySubject {}
package enum ReturnSubject {}
package enum InvitationSubject {}
package enum ChargeSubject {}
package enum MPinActivationSubject {}

/// The id of a tenant and of its ledger.
package typealias TenantID = Identifier<Tenant>
/// The id of an employee and of the key of their personal data.
package typealias EmployeeID = Identifier<Employee>
/// The id of a user and of the key of their personal data.
package typealias UserID = Identifier<User>
/// The id of a user's credentials.
package typealias CredentialID = Identifier<CredentialSubject>
package typealias FlowID = Identifier<FlowSubject>
package typealias SessionID = Identifier<SessionSubject>
package typealias AppID = Identifier<App>
/// The id of an app's secret.
package typealias SecretID = Identifier<SecretSubject>
/// The id of a client's grant.
package typealias GrantID = Identifier<GrantSubject>
package typealias BrowserSessionID = Identifier<BrowserSessionSubject>
package typealias RecoveryID = Identifier<RecoverySubject>
/// The id of the return of a security admin.
package typealias ReturnID = Identifier<ReturnSubject>
package typealias InvitationID = Identifier<InvitationSubject>
package typealias ChargeID = Identifier<ChargeSubject>
/// The id of an M-Pin identity and of the key of its personal data.
package typealias MPinIdentityID = Identifier<MPinIdentity>
/// The id of an activation and of the key of its personal data.
package typealias MPinActivationID = Identifier<MPinActivationSubject>

/// A public key: the X9.63 point of P-256, 65 bytes, the first of them 4 (SEC 1 §2.3.3), or the odd modulus of a
/// passkey's RSA key with 2,048 bits, 256 bytes.
///
/// Code that uses a key checks that the point is on the curve. Only a device key may be a modulus.
package struct PublicKeyBytes: Sendable, Hashable {
    package static let count = 65
    package static let modulusCount = 256
    /// The uncompressed point, or the modulus.
    package let bytes: [UInt8]

    /// Returns `nil` for anything but 65 bytes that start with 4, or 256 bytes of a modulus.
    package init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        switch bytes.count {
        case Self.count where bytes[0] == 4: break
        case Self.modulusCount where bytes[0] & 0x80 != 0 && bytes[255] & 1 == 1: break
        default: return nil
        }
        self.bytes = bytes
    }

    /// Whether this is a point, as every key is that no passkey has.
    package var isPoint: Bool { bytes.count == Self.count }
}

/// A signature: the raw 64 bytes r ‖ s of ECDSA P-256, or the evidence of a passkey, which starts with 2
/// (docs/credentials.md). It is malleable, so it never serves as an identifier.
package struct SignatureBytes: Sendable, Hashable {
    package static let count = 64
    /// The numbers of bytes that the evidence of a passkey has.
    package static let evidenceCounts = 150...3_334
    /// r ‖ s, or the evidence.
    package let bytes: [UInt8]

    /// Returns `nil` for bytes that are neither 64 nor have the beginning of a passkey's evidence.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count || (Self.evidenceCounts.contains(bytes.count) && bytes.first == 2) else {
            return nil
        }
        self.bytes = Array(bytes)
    }

    /// Whether this is the evidence of a passkey.
    package var isOfPasskey: Bool { bytes.count != Self.count }
}

/// A salt or a digest of exactly 32 bytes.
package struct Bytes32: Sendable, Hashable {
    package static let count = 32
    package let bytes: [UInt8]

    /// Returns `nil` for any number of bytes but 32.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        self.bytes = Array(bytes)
    }
}

/// The fingerprint of a public key: the SHA-256 of its bytes, shown as 64 lower-case hexadecimal digits.
package struct KeyFingerprint: Sendable, Hashable, CustomStringConvertible {
    /// The 32 bytes of the hash.
    package let bytes: [UInt8]

    /// Returns `nil` for any number of bytes but 32.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        self.bytes = Array(bytes)
    }

    /// The fingerprint of a device key.
    package init(of key: PublicKeyBytes) { bytes = Array(SHA256.hash(data: key.bytes)) }

    /// Parses 64 lower-case hexadecimal digits; `nil` for any other spelling.
    package init?(hex: String) {
        guard let bytes = Hex.decode(hex) else { return nil }
        self.init(bytes)
    }

    /// The fingerprint as 64 lower-case hexadecimal digits.
    package var description: String { Hex.encode(bytes) }
}

extension PublicKeyBytes: MemberValue {
    /// The point or the modulus in unpadded base64url.
    package static let memberKind = MemberKind<Self>.bytes(
        count...modulusCount, "an uncompressed point of 65 bytes, or a modulus of 256, is expected",
        parse: { Self($0) }, bytes: \.bytes)
}

extension MemberKind<PublicKeyBytes> {
    /// A key that no passkey can be.
    static var point: MemberKind {
        .bytes(
            Value.count...Value.count, "an uncompressed point of 65 bytes is expected",
            parse: { Value($0).flatMap { $0.isPoint ? $0 : nil } }, bytes: \.bytes)
    }
}

extension SignatureBytes: MemberValue {
    /// The bytes in unpadded base64url.
    package static let memberKind = MemberKind<Self>.bytes(
        count...evidenceCounts.upperBound, "64 bytes, or the evidence of a passkey, are expected",
        parse: { Self($0) }, bytes: \.bytes)
}

extension MemberKind<SignatureBytes> {
    /// A signature by a key that no passkey can be.
    static var raw: MemberKind {
        .bytes(
            Value.count...Value.count, "64 bytes are expected",
            parse: { Value($0).flatMap { $0.isOfPasskey ? nil : $0 } }, bytes: \.bytes)
    }
}

extension Bytes32: MemberValue {
    /// The bytes in unpadded base64url.
    package static let memberKind = MemberKind<Self>.bytes(
        count...count, "32 bytes are expected", parse: { Self($0) }, bytes: \.bytes)
}

extension KeyFingerprint: MemberValue {
    /// A string of 64 lower-case hexadecimal digits.
    package static let memberKind = MemberKind<Self>.text(
        .string(format: "fingerprint"), "64 lower-case hexadecimal digits are expected", parse: { Self(hex: $0) },
        text: \.description)
}
