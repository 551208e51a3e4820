import Canonical
import Testing

@testable import Credentials

/// RFC 9497, appendix A.4.2: OPRF(P-384, SHA-384), VOPRF mode, as far as the library's public interface reaches.
///
/// Not reachable: DeriveKeyPair, a fixed blind and a fixed proof scalar. So the private key is taken from the appendix,
/// proofs are verified by using them, and the blinded path must end in the appendix's output whatever the blind.
@Suite struct RFC9497Tests {
    static let privateKey =
        "051646b9e6e7a71ae27c1e1d0b87b4381db6d3595eeeb1adb41579adbf992f4278f9016eafc944edaa2b43183581779d"
    static let publicKey =
        "031d689686c611991b55f1a1d8f4305ccd6cb719446f660a30db61b7aa87b46acf59b7c0d4a9077b3da21c25dd482229a0"

    struct Vector: Sendable {
        let input: String
        let blinded: String
        let evaluated: String
        let output: String
    }

    static let vectors = [
        Vector(
            input: "00",
            blinded:
                "02d338c05cbecb82de13d6700f09cb61190543a7b7e2c6cd4fca56887e564ea82653b27fdad383995ea6d02cf26d0e24d9",
            evaluated:
                "02a7bba589b3e8672aa19e8fd258de2e6aae20101c8d761246de97a6b5ee9cf105febce4327a326255a3c604f63f600ef6",
            output: "3333230886b562ffb8329a8be08fea8025755372817ec969d114d1203d026b4a622beab60220bf19078bca35a529b35c"),
        Vector(
            input: "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a",
            blinded:
                "02f27469e059886f221be5f2cca03d2bdc61e55221721c3b3e56fc012e36d31ae5f8dc058109591556a6dbd3a8c69c433b",
            evaluated:
                "03f16f903947035400e96b7f531a38d4a07ac89a80f89d86a1bf089c525a92c7f4733729ca30c56ce78b1ab4f7d92db8b4",
            output: "b91c70ea3d4d62ba922eb8a7d03809a441e1c3c7af915cbc2226f485213e895942cd0f8580e6d99f82221e66c40d274f"),
    ]

    private func key() throws -> OPRFKey { try OPRFKey(privateBytes: SecretBytes(try hex(Self.privateKey))) }

    @Test func `the public key of the appendix follows from its private key`() throws {
        #expect(Hex.encode(try key().publicKey.bytes) == Self.publicKey)
    }

    @Test(arguments: vectors) func `a blinded element is evaluated to the appendix's element`(_ vector: Vector) throws {
        let evaluation = try key().evaluate(blinded: try hex(vector.blinded))
        #expect(evaluation.count == 145)
        #expect(Hex.encode(evaluation[..<49]) == vector.evaluated)
    }

    @Test(arguments: vectors) func `direct evaluation gives the appendix's output`(_ vector: Vector) throws {
        let input = VOPRFInput(slot: .passphrase, bytes: try hex(vector.input))
        #expect(Hex.encode(try key().evaluator()(input).bytes) == vector.output)
    }

    @Test(arguments: vectors) func `blinding, evaluation and finalization give the same output`(
        _ vector: Vector
    ) throws {
        let key = try key()
        let input = VOPRFInput(slot: .passphrase, bytes: try hex(vector.input))
        for _ in 0..<3 {
            let blinded = try BlindedInput(input, for: key.publicKey)
            #expect(Hex.encode(try blinded.finalize(try key.evaluate(blinded: blinded.element)).bytes) == vector.output)
        }
    }
}
