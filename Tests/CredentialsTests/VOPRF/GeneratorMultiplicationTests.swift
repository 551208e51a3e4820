import Foundation
import Testing

@testable import Credentials

@Suite struct GeneratorMultiplicationTests {
    @Test func `the default takes the scalars that a VOPRF key takes and gives its public half`() throws {
        let order = try hex(EvaluationGuardTests.order)
        var next = order, last = order
        next[47] += 1
        last[47] -= 1
        let zero = [UInt8](repeating: 0, count: 48)
        let good =
            [zero.dropLast() + [1], zero.dropLast() + [2], last] + (0..<16).map { _ in Randomness.system.bytes(48) }
        for scalar in good {
            let key = try OPRFKey(privateBytes: SecretBytes(scalar))
            #expect(CryptoMultiplication().compressedPoint(of: scalar) == key.publicKey.bytes)
        }
        let bad = [zero, order, next, [UInt8](repeating: 0xff, count: 48), [], Array(last.dropLast()), [0] + last]
        for scalar in bad {
            expect(.secretInvalid) { _ = try OPRFKey(privateBytes: SecretBytes(scalar)) }
            #expect(CryptoMultiplication().compressedPoint(of: scalar) == nil)
        }
    }

    @Test func `a decoy asks the multiplication that it was given, twice, and not at all for keys that are known`()
        throws
    {
        let generator = Recorder { CryptoMultiplication().compressedPoint(of: $0) }
        let usual = try decoy(), decoy = try decoy(generator)
        #expect(generator.asked.count == 2)
        #expect(decoy.publicKeys == usual.publicKeys && decoy.sealed == usual.sealed)
        let again = try self.decoy(generator, keys: decoy.publicKeys)
        #expect(generator.asked.count == 2)
        #expect(again.publicKeys == decoy.publicKeys)
    }

    @Test func `a scalar that the multiplication refuses is followed by the next`() throws {
        let refused = Mutable(0)
        let generator = Recorder { scalar in
            let isRefused = refused.change { $0 += 1 } % 2 == 1
            return isRefused ? nil : CryptoMultiplication().compressedPoint(of: scalar)
        }
        let keys = try decoy(generator).publicKeys, asked = generator.asked
        #expect(Set(asked).count == 4)
        #expect(keys.answers.bytes == CryptoMultiplication().compressedPoint(of: try #require(asked.dropFirst().first)))
        #expect(keys.passphrase.bytes == CryptoMultiplication().compressedPoint(of: try #require(asked.last)))
        #expect(try keys.answers != decoy().publicKeys.answers)
    }

    @Test(arguments: [[], [UInt8](repeating: 2, count: 48), [4] + [UInt8](repeating: 1, count: 48)])
    func `what has not the form of a point is no key, and no reason to try the next scalar`(point: [UInt8]) throws {
        let generator = Recorder { _ in point }
        expect(.keyInvalid) { _ = try decoy(generator) }
        #expect(generator.asked.count == 1)
    }

    private func decoy(
        _ generator: any GeneratorMultiplication = CryptoMultiplication(), keys: DecoyPublicKeys? = nil
    ) throws -> Decoy {
        try DecoyKey(bytes: [UInt8](repeating: 0x0d, count: 32))
            .decoy(company: Array("acme".utf8), employee: Array("bob".utf8), keys: keys, generator: generator)
    }
}

/// Keeps the scalars it was asked for and answers as it was told.
private struct Recorder: GeneratorMultiplication {
    private let seen = Mutable<[[UInt8]]>([])
    private let answer: @Sendable ([UInt8]) -> [UInt8]?

    init(_ answer: @escaping @Sendable ([UInt8]) -> [UInt8]?) { self.answer = answer }

    var asked: [[UInt8]] { seen.change { _ in } }

    func compressedPoint(of scalar: [UInt8]) -> [UInt8]? {
        seen.change { $0.append(scalar) }
        return answer(scalar)
    }
}

private final class Mutable<Value: Sendable>: @unchecked Sendable {
    // The lock guards the value, and nothing else touches it.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    /// Changes the value and returns the new one.
    @discardableResult func change(_ body: (inout Value) -> Void) -> Value {
        lock.lock()
        defer { lock.unlock() }
        body(&value)
        return value
    }
}
