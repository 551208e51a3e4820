import Testing
@testable import MPinCryptography

@Suite struct MessageTests {
    /// SplitMix64, so that a failure can be repeated.
    struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var value = state
            value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
            value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
            return value ^ (value >> 31)
        }
    }

    /// Every decoder of this module, with a right value.
    private static func decoders() throws -> [(name: String, right: [UInt8], decode: ([UInt8]) throws -> [UInt8])] {
        let scene = try Scene()
        let exchange = try scene.exchange()
        let share = scene.masters[0]
        return [
            ("U", exchange.commitment.encoded, { try MPinCommitment(encoded: $0).encoded }),
            ("V", exchange.response.encoded, { try MPinResponse(encoded: $0).encoded }),
            ("y", exchange.challenge.encoded, { try MPinChallenge(encoded: $0).encoded }),
            ("token", scene.token.encoded, { try MPinToken(encoded: $0, digits: 4).encoded }),
            (
                "client share", share.clientKeyShare(for: scene.identity).encoded,
                { try MPinClientKeyShare(encoded: $0).encoded }
            ),
            ("server share", share.serverKeyShare().encoded, { try MPinServerKeyShare(encoded: $0).encoded }),
            ("server key", scene.serverKey.encoded, { try MPinServerKey(encoded: $0).encoded }),
        ]
    }

    @Test func `what is written is read, and nothing shorter or longer`() throws {
        for (name, right, decode) in try Self.decoders() {
            #expect(try decode(right) == right, "\(name)")
            for wrong in [[], Array(right.dropLast()), right + [0], [0] + right] {
                #expect(throws: MPinCryptographyError.self, "\(name)") { try decode(wrong) }
            }
        }
    }

    @Test func `mutated bytes never stop a decoder, and what it accepts it writes the same way`() throws {
        var generator = Generator(state: 50)
        for (name, right, decode) in try Self.decoders() {
            for _ in 0..<400 {
                var bytes = right
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    let index = Int.random(in: bytes.indices, using: &generator)
                    bytes[index] ^= UInt8.random(in: 1 ... .max, using: &generator)
                }
                do {
                    #expect(try decode(bytes) == bytes, "\(name)")
                } catch is MPinCryptographyError {}
            }
        }
    }

    @Test func `a refusal names the field and no rule that was broken`() throws {
        let scene = try Scene()
        let infinity = [4] + [UInt8](repeating: 0, count: 96)
        let order3 = [4] + [UInt8](repeating: 0, count: 95) + [2]
        for wrong in [
            [], infinity, order3, [3] + scene.token.encoded.dropFirst(), Array(scene.token.encoded.dropLast()),
        ] {
            let refusal = #expect(throws: MPinCryptographyError.self) { try MPinCommitment(encoded: wrong) }
            #expect(refusal?.description == "mpin.point_invalid (U)")
        }
    }

    @Test func `zero and numbers from r on are no challenge`() {
        let zero = [UInt8](repeating: 0, count: 32)
        for wrong in [zero, [UInt8](repeating: 0xff, count: 32), Array(zero.dropLast()), zero + [1]] {
            #expect(throws: MPinCryptographyError(.challengeInvalid)) { try MPinChallenge(encoded: wrong) }
        }
    }
}
