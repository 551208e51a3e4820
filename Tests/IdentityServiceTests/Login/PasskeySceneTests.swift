import Canonical
import Crypto
import CryptoExtras
import Identity
import Testing

@testable import Credentials
@testable import IdentityService

/// By which key a log-in by a passkey is verified.
@Suite struct PasskeySceneTests {
    private static func authenticator() -> (authenticator: [UInt8], client: [UInt8]) {
        OddAssertion().parts([1, 2, 3])
    }

    private static func evidence(_ algorithm: KeyAlgorithm, _ signature: [UInt8]) throws -> DeviceEvidence {
        let (authenticator, client) = authenticator()
        let number: UInt8 = algorithm == .es256 ? 1 : 2
        return try DeviceEvidence(bytes: try OddAssertion.evidence(authenticator, client, number, signature).bytes)
    }

    /// Somebody's key of each algorithm.
    private static func keys() throws -> [PublicKeyBytes] {
        let rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048).publicKey.getKeyPrimitives()
        return [try SigningKeyPair().key, try #require(PublicKeyBytes(Array(rsa.modulus)))]
    }

    @Test func `whosever the credential is, one key of the proof's algorithm verifies it`() throws {
        let keys = try Self.keys()
        for algorithm in KeyAlgorithm.allCases {
            for found in [nil] + keys {
                let key = try PasskeyScene.verifier(algorithm, found)
                #expect(key.algorithm == algorithm)
                let isOwn = found?.isPoint == (algorithm == .es256)
                #expect((key.bytes == found?.bytes) == isOwn, "\(algorithm)")
            }
        }
        #expect(
            try PasskeyScene.verifier(.es256, nil).bytes == PasskeyScene.verifier(.es256, keys[1]).bytes)
    }

    /// Everybody knows the private key of the base point: its signature verifies, so the check is made to its end.
    @Test func `a proof for a credential that nobody has is verified like any other`() throws {
        let nobody = try P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 0, count: 31) + [1])
        let key = try PasskeyScene.verifier(.es256, nil), (authenticator, client) = Self.authenticator()
        #expect(Array(nobody.publicKey.x963Representation) == key.bytes)
        let signed = try nobody.signature(for: authenticator + Array(SHA256.hash(data: client)))
        try Self.evidence(.es256, Array(signed.rawRepresentation)).verify(over: [1, 2, 3], by: key)
        for algorithm in KeyAlgorithm.allCases {
            let wrong = [UInt8](repeating: 1, count: algorithm == .es256 ? 64 : 256)
            let error = #expect(throws: CredentialsError.self) {
                try Self.evidence(algorithm, wrong).verify(
                    over: [1, 2, 3], by: try PasskeyScene.verifier(algorithm, nil))
            }
            #expect(error?.code == .signatureInvalid)
        }
    }
}
