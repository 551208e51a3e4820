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

    @Test func `a copy has 60 bytes and opens to the key that was sealed`() throws {
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

    @Test func `another output or another slot does not open a copy`() {
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
    @Test func `a copy that holds another key than the context names does not open`() throws {
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
