package import Canonical
import Crypto

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A UUID typed by what it names, so that an employee's id is never taken for a tenant's.
package struct Identifier<Subject>: Sendable, Hashable, CustomStringConvertible {
    /// The 16 bytes.
    package let uuid: UUID

    /// Wraps a UUID.
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

/// The subject of ids of credentials.
package enum CredentialSubject {}
/// The subject of ids of flows.
package enum FlowSubject {}
/// The subject of ids of sessions.
package enum SessionSubject {}
/// The subject of ids of app secrets.
package enum SecretSubject {}
/// The subject of ids of grants of clients.
package enum GrantSubject {}
/// The subject of ids of browser sessions.
package enum BrowserSessionSubject {}
/// The subject of ids of recoveries.
package enum RecoverySubject {}
/// The subject of ids of returns.
package enum ReturnSubject {}
/// The subject of ids of invitations.
package enum InvitationSubject {}
/// The subject of ids of charges.
package enum ChargeSubject {}
/// The subject of ids of activations.
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
/// The id of a browser session.
package typealias BrowserSessionID = Identifier<BrowserSessionSubject>
/// The id of a recovery.
package typealias RecoveryID = Identifier<RecoverySubject>
/// The id of the return of a security admin.
package typealias ReturnID = Identifier<ReturnSubject>
package typealias InvitationID = Identifier<InvitationSubject>
package typealias ChargeID = Identifier<ChargeSubject>
/// The id of an M-Pin identity and of the key of its personal data.
package typealias MPinIdentityID = Identifier<MPinIdentity>
/// The id of an activation and of the key of its personal data.
package typealias MPinActivationID = Identifier<MPinActivationSubject>

/// A public key in its one accepted form: a P-256 key as its X9.63 point, 65 bytes, the first of them 4 (SEC 1 §2.3.3),
/// or the RSA key of a passkey as its modulus of 2,048 bits, 256 bytes; its exponent is always 65,537.
///
/// Code that uses a key checks that the point is on the curve. Only device keys are RSA keys.
package struct PublicKeyBytes: Sendable, Hashable {
    /// The size of a point.
    package static let count = 65
    /// The size of a modulus.
    package static let modulusCount = 256
    /// The point, uncompressed, or the modulus, big-endian.
    package let bytes: [UInt8]

    /// Returns `nil` for anything but 65 bytes that start with 4, or 256 of an odd number whose first bit is set.
    package init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        switch bytes.count {
        case Self.count: guard bytes[0] == 4 else { return nil }
        case Self.modulusCount: guard bytes[0] >= 0x80, bytes[255] & 1 == 1 else { return nil }
        default: return nil
        }
        self.bytes = bytes
    }

    /// Whether it is a P-256 key.
    package var isPoint: Bool { bytes.count == Self.count }
}

/// An ECDSA P-256 signature, the raw 64 bytes r ‖ s, or what a passkey signed, which is longer. It is malleable, so it
/// never serves as an identifier.
///
/// A passkey's bytes are 2 ‖ algorithm (1 ES256, 2 RS256) ‖ size, two bytes, and authenticator data ‖ size and client
/// data ‖ signature, of 64 or 256 bytes. Only device keys make them.
package struct SignatureBytes: Sendable, Hashable {
    /// The size of a raw signature.
    package static let count = 64
    /// The sizes of what a passkey signed: authenticator data has 37 to 1,024 bytes, client data 1 to 2,048.
    package static let passkeyCount = 108...3_334
    package let bytes: [UInt8]

    /// Returns `nil` for bytes of neither form.
    package init?(_ bytes: some Collection<UInt8>) {
        self.bytes = Array(bytes)
        guard self.bytes.count == Self.count || authenticatorData != nil else { return nil }
    }

    /// Whether a passkey made it.
    package var isPasskey: Bool { bytes.count != Self.count }

    /// What the authenticator of a passkey signed besides the client data; `nil` for a raw signature.
    private var authenticatorData: ArraySlice<UInt8>? {
        guard Self.passkeyCount.contains(bytes.count), bytes[0] == 2 else { return nil }
        let size = Int(bytes[2]) << 8 | Int(bytes[3])
        guard (37...1_024).contains(size), case let next = 4 + size, next + 2 < bytes.count else { return nil }
        let clientData = Int(bytes[next]) << 8 | Int(bytes[next + 1])
        let signature = bytes.count - next - 2 - clientData
        switch (bytes[1], signature) {
        case (1, 64), (2, 256): return (1...2_048).contains(clientData) ? bytes[4..<next] : nil
        default: return nil
        }
    }

    /// Whether the authenticator of a passkey says that the key is backed up now; `nil` for a raw signature.
    package var isBackedUp: Bool? { authenticatorData.map { $0[$0.startIndex + 32] & 0x10 != 0 } }

    /// The counter of a passkey's authenticator; `nil` for a raw signature.
    package var counter: UInt32? {
        authenticatorData?.dropFirst(33).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
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
        count...modulusCount, "an uncompressed point of 65 bytes or a modulus of 256 is expected", parse: { Self($0) },
        bytes: \.bytes)
}

extension MemberKind where Value == PublicKeyBytes {
    /// A P-256 key: every key but those of devices.
    static var point: MemberKind {
        .bytes(
            Value.count...Value.count, "an uncompressed point of 65 bytes is expected",
            parse: { $0.count == Value.count ? Value($0) : nil }, bytes: \.bytes)
    }
}

extension SignatureBytes: MemberValue {
    /// The bytes in unpadded base64url.
    package static let memberKind = MemberKind<Self>.bytes(
        count...passkeyCount.upperBound, "64 bytes, or what a passkey signed, are expected", parse: { Self($0) },
        bytes: \.bytes)
}

extension MemberKind where Value == SignatureBytes {
    /// A raw signature: that of every key but those of devices.
    static var raw: MemberKind {
        .bytes(
            Value.count...Value.count, "64 bytes are expected",
            parse: { $0.count == Value.count ? Value($0) : nil }, bytes: \.bytes)
    }

    /// What a passkey signed.
    static var passkey: MemberKind {
        .bytes(
            Value.passkeyCount, "what a passkey signed is expected",
            parse: { Value($0).flatMap { $0.isPasskey ? $0 : nil } }, bytes: \.bytes)
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
