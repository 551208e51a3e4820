import Canonical
import Testing
@testable import Keys

@Suite struct KeyWrapTests {
    static let version1: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]

    private var person: KeyWrap {
        get throws {
            KeyWrap(
                purpose: "person", id: try Sample.person.bytes, owner: try Sample.ledger.bytes, version: 3)
        }
    }

    @Test func `the associated data is purpose, id, owner and version with their lengths`() throws {
        let expected =
            "0000000e74656e7572652f76312f7772617000000006706572736f6e000000100123456789ab4cde8f0123456789abcd"
            + "0000001011111111222243338444555555555555000000080000000000000003"
        #expect(Hex.encode(try person.associatedData) == expected)
    }

    @Test func `the wrapped form of a person key never changes`() throws {
        let bytes = try person.wrap(try Sample.wrapped, under: try Sample.wrapping, nonce: try Sample.nonce)
        let expected =
            "a0a1a2a3a4a5a6a7a8a9aaabc6395e0e61ee24984a4cadf82b57eef1409d6b23a682745ba4371cbd43964b3e"
            + "046307e2416a8f7ba7a0260a4209f195"
        #expect(Hex.encode(bytes) == expected)
        #expect(try person.unwrap(bytes, under: try Sample.wrapping) == (try Sample.wrapped))
    }

    @Test(arguments: [
        ("bucket", "a817f51a5b606e651e5ba5c8a94aba3c"), ("purpose", "497991eab5c55777678d8e3d3f945710"),
        ("seed", "4d8229a8c9524b11568d6cfeb69f0013"),
    ])
    func `the wrapped form of each kind of row never changes`(kind: String, tag: String) throws {
        let wrap: KeyWrap =
            switch kind {
            case "bucket": BucketKey.wrap(Bucket(number: 7), epoch: 2, master: 1)
            case "purpose": KeyPurpose.lookup.wrap(master: 1)
            default:
                KeyWrap(
                    purpose: OPRFPurpose.answers.wrapPurpose, id: try Sample.person.bytes,
                    owner: try Sample.ledger.bytes, version: 3)
            }
        let bytes = try wrap.wrap(try Sample.wrapped, under: try Sample.wrapping, nonce: try Sample.nonce)
        #expect(bytes.count == KeyWrap.byteCount)
        #expect(Hex.encode(bytes.suffix(16)) == tag)
    }

    @Test func `a wrapped key opens only in its own place`() throws {
        let wrapping = try Sample.wrapping
        let bytes = try person.wrap(try Sample.wrapped, under: wrapping)
        var moved = try [person, person, person, person, person]
        moved[0].purpose = "oprf/answers"
        moved[1].id[15] ^= 1
        moved[2].owner[0] ^= 1
        moved[3].version = 4
        // The same bytes in sequence, cut elsewhere.
        moved[4].owner.insert(moved[4].id.removeLast(), at: 0)
        for place in moved { #expect(place.unwrap(bytes, under: wrapping) == nil, "\(place)") }
        #expect(try person.unwrap(bytes, under: wrapping) != nil)
    }

    @Test func `a changed, truncated or extended wrap, or another key, does not open`() throws {
        let wrapping = try Sample.wrapping
        let bytes = try person.wrap(try Sample.wrapped, under: wrapping)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 0x01
            #expect(try person.unwrap(changed, under: wrapping) == nil, "byte \(index)")
        }
        for count in 0..<bytes.count { #expect(try person.unwrap(Array(bytes.prefix(count)), under: wrapping) == nil) }
        #expect(try person.unwrap(bytes + [0], under: wrapping) == nil)
        #expect(try person.unwrap(bytes, under: try Sample.wrapped) == nil)
    }

    @Test func `every wrap has a fresh nonce`() throws {
        let wraps = try (0..<100).map { _ in try person.wrap(try Sample.wrapped, under: try Sample.wrapping) }
        #expect(Set(wraps.map { $0.prefix(12) }).count == 100)
    }
}

@Suite struct LengthPrefixedTests {
    @Test func `every part is preceded by its length`() {
        var list = LengthPrefixed(tag: "t")
        list.append([1, 2, 3] as [UInt8])
        list.append("é")
        list.append(number: 258)
        #expect(
            list.bytes == [
                0, 0, 0, 1, 0x74, 0, 0, 0, 3, 1, 2, 3, 0, 0, 0, 2, 0xC3, 0xA9, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 1, 2,
            ])
    }

    @Test func `moving bytes between neighbouring parts changes the encoding`() {
        func list(_ parts: String...) -> [UInt8] {
            var list = LengthPrefixed(tag: "t")
            for part in parts { list.append(part) }
            return list.bytes
        }
        let all = [
            list("ab", "c"), list("a", "bc"), list("abc"), list("abc", ""), list("", "abc"), list("a", "b", "c"),
        ]
        #expect(Set(all).count == all.count)
    }
}

@Suite struct SecretKeyTests {
    @Test func `a key needs exactly 32 bytes`() throws {
        for count in [0, 16, 31, 33, 64] { #expect(SecretKey(bytes: [UInt8](repeating: 1, count: count)) == nil) }
        #expect(try Sample.wrapping.bytes == Array(0..<32))
    }

    @Test func `random keys differ`() {
        #expect(SecretKey() != SecretKey())
        #expect(SecretKey().bytes != [UInt8](repeating: 0, count: 32))
    }

    @Test func `printing a value that holds a key does not show it`() throws {
        let key = try Sample.key(repeatElement(0x5A, count: 32))
        let ring = try Sample.ring
        let masters = try MasterKeys(current: 1, keys: [1: key])
        let values: [Any] = [
            key, PersonKey(id: try Sample.person, key: key), masters, ring, [1: key],
            BucketKey(bucket: Bucket(number: 1), epoch: 1, key: key),
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            for text in [String(describing: value), String(reflecting: value), "\(value)", dumped] {
                #expect(text.contains("redacted"), "\(type(of: value))")
                for secret in ["90", "5a5a", "5A5A", "WlpaWl", "SecureBytes", "SymmetricKey"] {
                    #expect(!text.contains(secret), "\(type(of: value)) shows \(secret)")
                }
            }
        }
    }
}
