import Testing

@testable import Credentials

/// Each proof here makes the library's verification trap when it is reached; that this suite ends is half the test.
@Suite struct EvaluationGuardTests {
    static let order =
        "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973"

    let privateBytes: [UInt8]
    let key: OPRFKey
    let blinded: BlindedInput
    let honest: [UInt8]
    let order: [UInt8]

    init() throws {
        privateBytes = try hex(RFC9497Tests.privateKey)
        key = try OPRFKey(privateBytes: SecretBytes(privateBytes))
        blinded = try BlindedInput(VOPRFInput(slot: .passphrase, bytes: [1, 2, 3]), for: key.publicKey)
        honest = try key.evaluate(blinded: blinded.element)
        order = try hex(Self.order)
    }

    private static func scalar(_ small: UInt8) -> [UInt8] { [UInt8](repeating: 0, count: 47) + [small] }

    /// left − right for big-endian numbers of one length, left not less than right.
    private static func minus(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        var borrow = 0
        var result = left
        for index in left.indices.reversed() {
            let digit = Int(left[index]) - Int(right[index]) - borrow
            borrow = digit < 0 ? 1 : 0
            result[index] = UInt8(truncatingIfNeeded: digit)
        }
        return result
    }

    private func refused(_ evaluation: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
        expect(.evaluationInvalid, sourceLocation: sourceLocation) { _ = try blinded.finalize(evaluation) }
    }

    @Test func `an honest proof is accepted`() throws {
        #expect(try blinded.finalize(honest).count == 48)
    }

    @Test func `a proof of zeros is refused`() {
        let zero = Self.scalar(0)
        refused(Array(honest[..<49]) + zero + zero)
        refused(Array(honest[..<49]) + order + order)
        refused(Array(honest[..<49]) + zero + order)
    }

    @Test func `a proof made with the private key to give the point at infinity is refused`() {
        // c = 1 and s = n − k: s·G + c·k·G is the point at infinity.
        refused(Array(honest[..<49]) + Self.scalar(1) + Self.minus(order, privateBytes))
    }

    @Test func `a proof for an element that is a known multiple of the blinded one is refused`() {
        // D = C, c = 1 and s = n − 1: s·C + c·D is the point at infinity.
        refused(blinded.element + Self.scalar(1) + Self.minus(order, Self.scalar(1)))
    }

    @Test func `a scalar of zero or not below the order is refused`() {
        for bad in [Self.scalar(0), order, [UInt8](repeating: 0xff, count: 48)] {
            refused(Array(honest[..<49]) + bad + Array(honest[97...]))
            refused(Array(honest[..<97]) + bad)
        }
    }

    @Test func `any changed byte of an evaluation is refused`() {
        for index in honest.indices {
            var changed = honest
            changed[index] ^= 0x01
            refused(changed)
        }
    }

    @Test func `an evaluation of another size is refused`() {
        for count in [0, 1, 48, 49, 97, 144] { refused(Array(honest.prefix(count))) }
        refused(honest + [0])
    }

    @Test func `an evaluation by another key or of another element is refused`() throws {
        let other = try OPRFSeed(bytes: [UInt8](repeating: 7, count: 32)).keys().answers
        refused(try other.evaluate(blinded: blinded.element))
        let second = try BlindedInput(VOPRFInput(slot: .passphrase, bytes: [1, 2, 3]), for: key.publicKey)
        refused(try key.evaluate(blinded: second.element))
    }

    @Test func `random evaluations are refused and never trap`() {
        let stream = SeededStream("evaluations")
        for _ in 0..<200 {
            refused(Array(honest[..<49]) + stream.bytes(96))
            refused(stream.bytes(145))
        }
    }
}
