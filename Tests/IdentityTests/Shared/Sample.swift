import Canonical
@testable import Identity
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Values that are the same on every run.
enum Sample {
    static func uuid(_ number: UInt8) -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number))
    }

    static func id<Subject>(_ number: UInt8) -> Identifier<Subject> { Identifier(uuid(number)) }

    static func key(_ number: UInt8) -> PublicKeyBytes {
        guard let key = PublicKeyBytes([4] + [UInt8](repeating: number, count: 64)) else {
            Issue.record("65 bytes that start with 4 are a key")
            return key(number)
        }
        return key
    }

    /// Bytes with the form of a passkey's evidence: flags at byte 36, counter at the next four.
    static func evidence(flags: UInt8 = 0x05, counter: UInt8 = 0) throws -> SignatureBytes {
        let rest = [UInt8](repeating: 9, count: 160)
        return try #require(
            SignatureBytes([2, 1, 0, 37] + [UInt8](repeating: 8, count: 32) + [flags, 0, 0, 0, counter] + rest))
    }

    static func passkey(
        credential: UInt8 = 1, handle: UInt8 = 2, isBackupEligible: Bool = false, counter: UInt8 = 0
    ) throws -> PasskeyFacts {
        let flags: UInt8 = isBackupEligible ? 0x0d : 0x05
        return PasskeyFacts(
            rpID: "id.example.com", credentialID: [credential], userHandle: try bytes32(handle),
            isBackupEligible: isBackupEligible, isBackedUp: false, counter: Int(counter),
            aaguid: [UInt8](repeating: 0, count: 16), challenge: Array("tenure/v1/challenge\n{}".utf8),
            evidence: try evidence(flags: flags, counter: counter))
    }

    static func signature(_ number: UInt8) throws -> SignatureBytes {
        try #require(SignatureBytes([UInt8](repeating: number, count: 64)))
    }

    static func bytes32(_ number: UInt8) throws -> Bytes32 {
        try #require(Bytes32([UInt8](repeating: number, count: 32)))
    }

    static func fingerprint(_ number: UInt8) throws -> KeyFingerprint {
        try #require(KeyFingerprint([UInt8](repeating: number, count: 32)))
    }

    static func statement(by key: PublicKeyBytes) throws -> SignedStatement {
        SignedStatement(key: key, statement: Array("tenure/v1/test\n{}".utf8), signature: try signature(7))
    }

    static let start = Timestamp(microseconds: 1_700_000_000_000_000)

    static func recorded<Event>(
        _ event: Event, at time: Timestamp = start, position: Int64 = 2
    ) -> Recorded<Event> {
        Recorded(event, id: uuid(UInt8(truncatingIfNeeded: position)), time: time, position: position, version: 1)
    }
}

/// SplitMix64: a small generator with a seed, so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// "Seals" a text by writing pointer and text side by side, so that golden files are the same on every run and a
/// member sealed for another place is refused.
struct FakeCoder: PersonalDataCoder {
    var erased: Set<UUID> = []

    func seal(_ personal: Personal, at pointer: String) throws -> JSONValue {
        let text = try #require(personal.text)
        return .object(["k": .uuid(personal.owner), "c": .bytes(Array("\(pointer)|\(text)".utf8))])
    }

    func open(_ value: JSONValue, at pointer: String) throws -> Personal {
        var reader = try ObjectReader(value, at: pointer)
        let owner = try reader.uuid("k")
        let text = String(decoding: try reader.bytes("c"), as: UTF8.self)
        try reader.finish()
        guard text.hasPrefix(pointer + "|") else {
            throw JSONError(code: .invalidValue, pointer: pointer, reason: "sealed for another place")
        }
        return Personal(owner: owner, text: erased.contains(owner) ? nil : String(text.dropFirst(pointer.count + 1)))
    }
}
