import Canonical
import Testing
@testable import Credentials

@Suite struct SealedCopyTests {
    let fixture: Fixture
    let slot = CopySlot.answers(AnswerSubset.all[0])
    let output = SecretBytes([UInt8](repeating: 0x42, count: 48))
    let copy: [UInt8]

    init() throws {
        fixture = try Fixture.both.get()
        copy = try SealedCopy.seal(
            fixture.new.userKey, under: output, slot: slot, context: fixture.context, random: .seeded("copy"))
    }

    @Test func `a copy has 60 bytes and opens to the sealed key`() throws {
        #expect(copy.count == 60)
        let key = try SealedCopy.open(copy, under: output, slot: slot, context: fixture.context)
        #expect(key.publicKey == fixture.context.userPublicKey)
        #expect(key.secret == fixture.new.userKey.secret)
    }

    @Test func `a copy with any byte changed, or of another size, does not open`() {
        for index in stride(from: 0, to: 60, by: 7) {
            var changed = copy
            changed[index] ^= 0x80
            expect(.cannotOpen) {
                _ = try SealedCopy.open(changed, under: output, slot: slot, context: fixture.context)
            }
        }
        for other in [[], Array(copy.dropLast()), copy + [0]] {
            expect(.cannotOpen) {
                _ = try SealedCopy.open(other, under: output, slot: slot, context: fixture.context)
            }
        }
    }

    @Test func `a copy does not open with another output or slot`() {
        expect(.cannotOpen) {
            _ = try SealedCopy.open(
                copy, under: SecretBytes([UInt8](repeating: 0x43, count: 48)), slot: slot, context: fixture.context)
        }
        expect(.cannotOpen) {
            _ = try SealedCopy.open(
                copy, under: output, slot: .answers(AnswerSubset.all[1]), context: fixture.context)
        }
        expect(.cannotOpen) {
            _ = try SealedCopy.open(copy, under: output, slot: .passphrase, context: fixture.context)
        }
    }

    /// The copy is made for another public key than the one in the context: AES-GCM is satisfied, the check is not.
    @Test func `a copy of another key than its context names does not open`() throws {
        let other = try UserKey.generate(.seeded("other"))
        let foreign = try SealedCopy.seal(
            other, under: output, slot: slot, context: fixture.context, random: .seeded("foreign"))
        expect(.cannotOpen) {
            _ = try SealedCopy.open(foreign, under: output, slot: slot, context: fixture.context)
        }
    }

    @Test func `a change of any byte of the context changes the additional data or is refused`() throws {
        let bytes = fixture.context.bytes
        #expect(bytes.count == 289)
        let original = fixture.context.associatedData(for: slot)
        var read = 0
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 0x01
            guard let context = try? OpeningContext(bytes: changed) else { continue }
            read += 1
            #expect(context.associatedData(for: slot) != original)
            #expect(context.bytes == changed)
        }
        // Ids, flags and some keys can be changed to something that still reads; suite, rules and point forms cannot.
        #expect((100..<300).contains(read))
    }

    @Test func `a copy does not open in a context that differs in one field`() throws {
        let bytes = fixture.context.bytes
        // One byte of credential id, user id, flags (blind-only set) and the last question id.
        for offset in [2, 18, 208, 288] {
            let context = try OpeningContext(bytes: changed(bytes, at: offset))
            expect(.cannotOpen) { _ = try SealedCopy.open(copy, under: output, slot: slot, context: context) }
        }
        // User key, answers key, passphrase key and cost: the presence byte of the passphrase key is at 148.
        for (offset, key) in [
            (34, try EmployeeKey.generate(.seeded("u")).publicKey.bytes), (99, try hex(RFC9497Tests.publicKey)),
            (149, try hex(RFC9497Tests.publicKey)), (198, [1, 15, 8, 1]), (198, [1, 14, 8, 2]),
        ] {
            let context = try OpeningContext(bytes: replacing(bytes, at: offset, with: key))
            expect(.cannotOpen) { _ = try SealedCopy.open(copy, under: output, slot: slot, context: context) }
        }
    }

    private func changed(_ bytes: [UInt8], at index: Int) -> [UInt8] {
        var result = bytes
        result[index] ^= 0x01
        return result
    }

    private func replacing(_ bytes: [UInt8], at index: Int, with other: [UInt8]) -> [UInt8] {
        Array(bytes[..<index]) + other + Array(bytes[(index + other.count)...])
    }
}

@Suite struct ScryptParametersTests {
    @Test func `only parameters in the published range are accepted`() {
        for log2N in UInt8.min ... .max {
            for r in [UInt8(0), 1, 7, 8, 9, 255] {
                for p in [UInt8(0), 1, 2, 3, 4, 255] {
                    let accepted = (try? ScryptParameters(log2N: log2N, r: r, p: p)) != nil
                    #expect(accepted == ((14...17).contains(log2N) && r == 8 && (1...3).contains(p)))
                }
            }
        }
        #expect(ScryptParameters.standard.bytes == [1, 15, 8, 1])
    }

    /// Computed with another implementation of scrypt.
    @Test(arguments: [
        (UInt8(14), UInt8(1), "f04d94e3f81e05e9c291d6b0a63d21ef021b8877185917c63bcd8c518358b0ed"),
        (UInt8(17), UInt8(3), "9d70b30fc464dc84e4aec984437e3b114043a7b090e57a62cc7e8b6daea8919a"),
    ]) func `the cheapest and the most expensive parameters match another implementation`(
        _ log2N: UInt8, _ p: UInt8, _ expected: String
    ) throws {
        let stretched = try ScryptParameters(log2N: log2N, p: p)
            .stretch(SecretBytes(Array("output".utf8)), salt: [UInt8](repeating: 0x73, count: 32))
        #expect(Hex.encode(stretched.bytes) == expected)
    }
}
