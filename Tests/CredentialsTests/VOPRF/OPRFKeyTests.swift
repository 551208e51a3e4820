import Canonical
import Testing
@testable import Credentials

@Suite struct OPRFKeyTests {
    @Test func `keys follow from the seed alone and differ by purpose`() throws {
        let seed = try OPRFSeed(bytes: Array(0..<32))
        let keys = try seed.keys()
        #expect(try seed.keys().answers.publicKey == keys.answers.publicKey)
        #expect(keys.answers.publicKey != keys.passphrase.publicKey)
        // Pinned: these bytes are in records.
        let expected = try Vectors.read("keys.hex")
        if Vectors.isWriting == false {
            #expect(keys.answers.publicKey.bytes == expected["oprf.answers.public"])
            #expect(keys.passphrase.publicKey.bytes == expected["oprf.passphrase.public"])
        }
    }

    @Test func `deriving only the public halves gives the same public keys`() throws {
        for _ in 0..<8 {
            let seed = try OPRFSeed.generate(), keys = try seed.keys()
            #expect(try OPRFKey.publicKey(seed: seed, info: Tag.oprfAnswers) == keys.answers.publicKey)
            #expect(try OPRFKey.publicKey(seed: seed, info: Tag.oprfPassphrase) == keys.passphrase.publicKey)
            #expect(try OPRFPublicKey(bytes: keys.answers.publicKey.bytes) == keys.answers.publicKey)
        }
    }

    @Test func `stored points are checked for their form, received ones validated in full`() throws {
        // No point of P-384 has this x, and none of P-256 these coordinates.
        let x = (0...255).first { (try? OPRFPublicKey(bytes: [2] + [UInt8](repeating: UInt8($0), count: 48))) == nil }
        let bytes = [2] + [UInt8](repeating: UInt8(try #require(x)), count: 48)
        expect(.keyInvalid) { _ = try OPRFPublicKey(bytes: bytes) }
        #expect(try OPRFPublicKey(kept: bytes).bytes == bytes)
        expect(.keyInvalid) { _ = try OPRFPublicKey(kept: [4] + bytes.dropFirst()) }
        expect(.keyInvalid) { _ = try OPRFPublicKey(kept: Array(bytes.dropLast())) }
        let point = [4] + [UInt8](repeating: 7, count: 64)
        expect(.keyInvalid) { _ = try EmployeePublicKey(bytes: point) }
        let key = try EmployeePublicKey(kept: point)
        expect(.keyInvalid) { _ = try EmployeePublicKey(kept: Array(point.dropLast())) }
        // Nothing verifies under it.
        let signature = try Signature(raw: [UInt8](repeating: 1, count: 64))
        expect(.signatureInvalid) { try key.verify(signature, over: [1]) }
    }

    @Test func `derivation tries the next output after a refusal`() throws {
        let candidates = try [
            [UInt8](repeating: 0, count: 48), [UInt8](repeating: 0xff, count: 48), hex(EvaluationGuardTests.order),
            [UInt8](repeating: 1, count: 48),
        ]
        var asked: [UInt8] = []
        let key = try ScalarDerivation.firstAccepted(
            { counter in
                asked.append(counter)
                return SecretBytes(candidates[Int(counter)])
            }, accepting: { try? OPRFKey(privateBytes: $0) })
        #expect(asked == [0, 1, 2, 3])
        #expect(key.publicKey.bytes.count == 49)
    }

    @Test func `derivation gives up after 256 refusals`() {
        expect(.secretInvalid) {
            _ = try ScalarDerivation.firstAccepted(
                { _ in SecretBytes([0]) }, accepting: { _ -> OPRFKey? in nil })
        }
    }

    @Test func `a seed has exactly 32 bytes`() throws {
        for count in [0, 31, 33] {
            expect(.secretInvalid) { _ = try OPRFSeed(bytes: [UInt8](repeating: 1, count: count)) }
        }
        #expect(try OPRFSeed(bytes: [UInt8](repeating: 1, count: 32)).bytes.count == 32)
    }

    @Test func `only a compressed point of 49 bytes is evaluated`() throws {
        let key = try OPRFSeed(bytes: Array(0..<32)).keys().answers
        let point = try BlindedInput(VOPRFInput(slot: .passphrase, bytes: [1]), for: key.publicKey).element
        #expect(try key.evaluate(blinded: point).count == 145)
        var crafted: [[UInt8]] = [
            [], [0], Array(point.dropLast()), point + [0], [UInt8](repeating: 0, count: 49),
            [2] + [UInt8](repeating: 0xff, count: 48), [4] + point.dropFirst(),
            [UInt8](repeating: 0, count: 97), [4] + [UInt8](repeating: 0, count: 96),
        ]
        let stream = SeededStream("points")
        // About half of all x are on the curve, so what is accepted must evaluate and nothing may trap.
        for _ in 0..<40 { crafted.append([2] + stream.bytes(48)) }
        for element in crafted.prefix(9) {
            expect(.elementInvalid) { _ = try key.evaluate(blinded: element) }
        }
        var accepted = 0
        for element in crafted.dropFirst(9) where (try? key.evaluate(blinded: element)) != nil { accepted += 1 }
        #expect((1..<40).contains(accepted))
    }

    @Test func `an input above 65,535 bytes is refused before the library sees it`() throws {
        let key = try OPRFSeed(bytes: Array(0..<32)).keys().answers
        let large = VOPRFInput(slot: .passphrase, bytes: [UInt8](repeating: 0x61, count: 65_536))
        expect(.tooLong) { _ = try key.evaluator()(large) }
        expect(.tooLong) { _ = try BlindedInput(large, for: key.publicKey) }
        let largest = VOPRFInput(slot: .passphrase, bytes: [UInt8](repeating: 0x61, count: 65_535))
        #expect(try key.evaluator()(largest).count == 48)
    }

    @Test func `a public key is validated`() throws {
        let good = try hex(RFC9497Tests.publicKey)
        #expect(try OPRFPublicKey(bytes: good).bytes == good)
        for bad in [
            [], Array(good.dropLast()), good + [0], [4] + good.dropFirst(), [2] + [UInt8](repeating: 255, count: 48),
        ] {
            expect(.keyInvalid) { _ = try OPRFPublicKey(bytes: bad) }
        }
    }
}

@Suite struct PublicPointTests {
    @Test func `a scalar gives its VOPRF public key exactly if it is a valid VOPRF key`() throws {
        let order = try hex(EvaluationGuardTests.order)
        var next = order, last = order
        next[47] += 1
        last[47] -= 1
        let zero = [UInt8](repeating: 0, count: 48)
        let good =
            [zero.dropLast() + [1], zero.dropLast() + [2], last] + (0..<16).map { _ in Randomness.system.bytes(48) }
        for scalar in good {
            let key = try OPRFKey(privateBytes: SecretBytes(scalar))
            #expect(OPRFKey.publicPoint(of: scalar) == key.publicKey.bytes)
        }
        let bad = [zero, order, next, [UInt8](repeating: 0xff, count: 48), [], Array(last.dropLast()), [0] + last]
        for scalar in bad {
            expect(.secretInvalid) { _ = try OPRFKey(privateBytes: SecretBytes(scalar)) }
            #expect(OPRFKey.publicPoint(of: scalar) == nil)
        }
    }
}
