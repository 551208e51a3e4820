import Canonical
import Crypto
import Foundation
import Testing

@testable import Credentials

@Suite struct DeviceEvidenceTests {
    private static let rpID = "example.com"
    private static let origin = "https://example.com"
    private let message = Array("message".utf8)
    private let key = P256.Signing.PrivateKey()

    private var publicKey: EmployeePublicKey { EmployeePublicKey(validated: CheckedKey(key.publicKey)) }

    /// An assertion by `key` with the right flags, unless others are given.
    private func evidence(flags: UInt8 = 0x05, origin: String = origin, rpID: String = rpID) throws -> DeviceEvidence {
        let challenge = Base64URL.encode(Array(SHA256.hash(data: message)))
        let client = Array(#"{"type":"webauthn.get","challenge":"\#(challenge)","origin":"\#(origin)"}"#.utf8)
        let data = Array(SHA256.hash(data: Array(rpID.utf8))) + [flags, 0, 0, 0, 0]
        let signature = try key.signature(for: data + Array(SHA256.hash(data: client)))
        return .passkey(
            try PasskeyAssertion(
                algorithm: .es256, authenticatorData: data, clientDataJSON: client,
                signature: Array(signature.derRepresentation)))
    }

    private func identity(eligible: Bool = false) -> PasskeyIdentity {
        PasskeyIdentity(rpID: Self.rpID, credentialID: [1], isBackupEligible: eligible)
    }

    @Test func `only an origin in force is accepted, byte for byte`() throws {
        try evidence().check(identity(), origins: ["https://other.example", Self.origin])
        for origin in [
            "https://badexample.com", "https://example.com:8443", "http://example.com", "https://example.com/",
            "https://example.com.evil.test", "https://EXAMPLE.com", "https://sub.example.com", "null",
        ] {
            let other = try evidence(origin: origin)
            try other.verify(over: message, by: publicKey)
            #expect(throws: CredentialsError(.originUnknown), "\(origin)") {
                try other.check(identity(), origins: [Self.origin])
            }
        }
        #expect(throws: CredentialsError(.originUnknown)) { try evidence().check(identity(), origins: []) }
    }

    @Test func `another relying party and a changed eligibility are refused`() throws {
        for rpID in ["badexample.com", "sub.example.com", "example.co"] {
            #expect(throws: CredentialsError(.evidenceInvalid, field: "rpId")) {
                try evidence(rpID: rpID).check(identity(), origins: [Self.origin])
            }
        }
        #expect(throws: CredentialsError(.evidenceInvalid, field: "backupEligible")) {
            try evidence(flags: 0x0d).check(identity(), origins: [Self.origin])
        }
        #expect(throws: CredentialsError(.evidenceInvalid, field: "backupEligible")) {
            try evidence().check(identity(eligible: true), origins: [Self.origin])
        }
        try evidence(flags: 0x0d).check(identity(eligible: true), origins: [Self.origin])
        try evidence(flags: 0x1d).check(identity(eligible: true), origins: [Self.origin])
    }

    @Test func `evidence of the other kind is refused`() throws {
        let signature = Signature(try key.signature(for: message))
        try DeviceEvidence.signature(signature).check(nil, origins: [])
        #expect(throws: CredentialsError(.evidenceKind)) {
            try DeviceEvidence.signature(signature).check(identity(), origins: [Self.origin])
        }
        #expect(throws: CredentialsError(.evidenceKind)) { try evidence().check(nil, origins: [Self.origin]) }
    }

    @Test func `a signature keeps its form`() throws {
        let signature = Signature(try key.signature(for: message))
        let evidence = try DeviceEvidence(bytes: signature.bytes)
        #expect(evidence == .signature(signature))
        #expect(evidence.bytes == signature.bytes)
        try evidence.verify(over: message, by: publicKey)
    }

    @Test func `a new credential in an assertion is refused`() throws {
        let challenge = Base64URL.encode(Array(SHA256.hash(data: message)))
        let client = Array(#"{"type":"webauthn.get","challenge":"\#(challenge)","origin":"x"}"#.utf8)
        let data = Array(SHA256.hash(data: Array(Self.rpID.utf8))) + [0x45, 0, 0, 0, 0] + creation(cose)
        #expect(throws: CredentialsError(.evidenceInvalid, field: "attestedCredential")) {
            try PasskeyAssertion(
                algorithm: .es256, authenticatorData: data, clientDataJSON: client,
                signature: Array(try key.signature(for: message).derRepresentation))
        }
    }

    private var cose: [UInt8] {
        [0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 0x20] + publicKey.bytes[1..<33] + [0x22, 0x58, 0x20]
            + publicKey.bytes[33...]
    }

    private func creation(_ cose: [UInt8], idByteCount: Int = 16) -> [UInt8] {
        [UInt8](repeating: 0, count: 16) + [UInt8(idByteCount >> 8), UInt8(idByteCount & 0xff)]
            + [UInt8](repeating: 7, count: idByteCount) + cose
    }

    private func data(_ flags: UInt8, _ rest: [UInt8]) -> [UInt8] {
        [UInt8](repeating: 3, count: 32) + [flags, 0, 0, 0, 0] + rest
    }

    @Test func `a creation has one of two forms of keys`() throws {
        let valid = try AuthenticatorData(bytes: data(0x45, creation(cose)))
        #expect(valid.credential?.key == publicKey)
        for count in cose.indices {
            #expect(throws: CredentialsError.self) {
                try AuthenticatorData(bytes: data(0x45, creation(Array(cose.prefix(count)))))
            }
        }
        for place in 0..<10 {
            var changed = cose
            changed[place] ^= 1
            #expect(throws: CredentialsError.self) { try AuthenticatorData(bytes: data(0x45, creation(changed))) }
        }
        var offCurve = cose
        offCurve[76] ^= 1
        #expect(throws: CredentialsError(.keyInvalid)) {
            try AuthenticatorData(bytes: data(0x45, creation(offCurve)))
        }
        for idByteCount in [0, 1_024] {
            #expect(throws: CredentialsError.self) {
                try AuthenticatorData(bytes: data(0x45, creation(cose, idByteCount: idByteCount)))
            }
        }
        #expect(throws: CredentialsError(.evidenceInvalid, field: "extensions")) {
            try AuthenticatorData(bytes: data(0x45, creation(cose) + [0xa0]))
        }
        #expect(throws: CredentialsError(.evidenceInvalid)) {
            try AuthenticatorData(bytes: data(0x85, [UInt8](repeating: 0, count: 1_000)))
        }
        _ = try AuthenticatorData(bytes: data(0x85, [UInt8](repeating: 0, count: 987)))
    }

    @Test func `another public key than the one of the creation is refused`() throws {
        let client = Array(#"{"type":"webauthn.create","challenge":"AA","origin":"x"}"#.utf8)
        let bytes = data(0x45, creation(cose))
        _ = try PasskeyCreation(
            authenticatorData: bytes, clientDataJSON: client, publicKey: Array(key.publicKey.derRepresentation))
        let other = Array(P256.Signing.PrivateKey().publicKey.derRepresentation)
        #expect(throws: CredentialsError(.evidenceInvalid, field: "publicKey")) {
            try PasskeyCreation(authenticatorData: bytes, clientDataJSON: client, publicKey: other)
        }
        #expect(throws: CredentialsError(.evidenceInvalid, field: "attestedCredential")) {
            try PasskeyCreation(authenticatorData: data(0x05, []), clientDataJSON: client)
        }
    }

    @Test func `an RSA key has 2,048 bits, is odd, and only a device's`() throws {
        let file = try PasskeyVectorTests.File.read()
        let made = try #require(file.assertions.first { $0.name == "rs256" })
        let modulus: [UInt8] = try #require(Hex.decode(made.key))
        let key = try EmployeePublicKey(bytes: modulus)
        #expect(key.algorithm == .rs256)
        #expect(try StatementKey(bytes: modulus).algorithm == .rs256)
        #expect(throws: CredentialsError(.keyInvalid)) { try UserPublicKey(bytes: modulus) }
        #expect(throws: CredentialsError(.keyInvalid)) { try AppAuthorityPublicKey(bytes: modulus) }
        #expect(throws: CredentialsError(.keyInvalid)) { try OperatorPublicKey(bytes: modulus) }
        #expect(throws: CredentialsError(.keyInvalid)) { try UserPublicKey(kept: modulus) }
        var even = modulus
        even[255] &= 0xfe
        var short = modulus
        short[0] &= 0x7f
        for bytes in [even, short, Array(modulus.prefix(128)), modulus + modulus, [0] + modulus] {
            #expect(throws: CredentialsError(.keyInvalid)) { try EmployeePublicKey(bytes: bytes) }
        }
        let head: [UInt8] = [0xa4, 1, 3, 3, 0x39, 1, 0, 0x20, 0x59, 1, 0], tail: [UInt8] = [0x21, 0x43, 1, 0, 1]
        #expect(
            try AuthenticatorData(bytes: data(0x45, creation(head + modulus + tail))).credential?.key == key)
        for (head, modulus, tail) in [
            (head, modulus, [0x21, 0x41, 3] as [UInt8]), (head, modulus, [0x21, 0x43, 0, 0, 3]), (head, even, tail),
            ([0xa4, 1, 3, 3, 0x39, 1, 0, 0x20, 0x58, 0x80], Array(modulus.prefix(128)), tail),
            ([0xa4, 1, 3, 3, 0x39, 1, 0, 0x20, 0x59, 2, 0], modulus + modulus, tail),
        ] {
            #expect(throws: CredentialsError.self) {
                try AuthenticatorData(bytes: data(0x45, creation(head + modulus + tail)))
            }
        }
    }

    @Test func `a DER signature with a leading zero too many is refused`() throws {
        let made = try #require(try PasskeyVectorTests.File.read().assertions.first { $0.name == "es256" })
        let der: [UInt8] = try #require(Hex.decode(made.signature))
        let authenticatorData: [UInt8] = try #require(Hex.decode(made.authenticatorData))
        let padded = [0x30, der[1] + 1, 0x02, der[3] + 1, 0x00] + der[4...]
        #expect(throws: CredentialsError(.signatureInvalid)) {
            try PasskeyAssertion(
                algorithm: .es256, authenticatorData: authenticatorData,
                clientDataJSON: Array(made.clientDataJSON.utf8), signature: padded)
        }
    }

    @Test func `the challenge of a log-in by a passkey has one form`() throws {
        let fields = PasskeyChallenge.Fields(
            issuer: "Tenure", rpID: "id.example.com", flow: UUID(), nonce: [UInt8](repeating: 5, count: 32), app: "app",
            expires: Timestamp(microseconds: 1_800_000_000_000_000))
        let challenge = try PasskeyChallenge(fields)
        #expect(try PasskeyChallenge(parsing: challenge.bytes) == challenge)
        let text = String(decoding: challenge.bytes, as: UTF8.self)
        #expect(text.hasPrefix("tenure/v2/challenge\n{\"app\":\"app\""))
        #expect(text.contains(#""purpose":"login-passkey","rpId":"id.example.com"}"#))
        #expect(throws: CredentialsError.self) { try AddressChallenge(parsing: challenge.bytes) }
        try challenge.checkExpiry(at: fields.expires.adding(.seconds(-120)))
        #expect(throws: CredentialsError(.expired)) {
            try challenge.checkExpiry(at: fields.expires.adding(.seconds(1)))
        }
        for rpID in ["", "127.0.0.1", "Example.com", "a..b", "-a.example", "[::1]", "https://a.example", "a.example:1"]
        {
            var other = fields
            other.rpID = rpID
            #expect(throws: CredentialsError(.challengeInvalid, field: "rpId"), "\(rpID)") {
                try PasskeyChallenge(other)
            }
        }
        for rpID in ["localhost", "id.example.com", "a-b.1x"] { #expect(rpID.isRelyingPartyID) }
    }
}
