import Canonical
import Crypto
import Foundation
import Testing

@testable import Credentials

/// What other programs made and accepted (`vectors/make_passkeys.py`), and what real devices signed.
@Suite struct PasskeyVectorTests {
    struct Creation: Decodable {
        let name: String, algorithm: String, rpId: String
        let key: String, credentialId: String, authenticatorData: String, clientDataJSON: String
        let origin: String?, spki: String?, challenge: String?
    }

    struct Assertion: Decodable {
        let name: String, algorithm: String
        let key: String, authenticatorData: String, clientDataJSON: String, signature: String
        let evidence: String?, refused: String?, rpId: String?, origin: String?

        var parsed: PasskeyAssertion {
            get throws {
                try PasskeyAssertion(
                    algorithm: try #require(KeyAlgorithm(rawValue: algorithm)),
                    authenticatorData: try bytes(authenticatorData), clientDataJSON: Array(clientDataJSON.utf8),
                    signature: try bytes(signature))
            }
        }

        var publicKey: EmployeePublicKey { get throws { try EmployeePublicKey(bytes: try bytes(key)) } }
    }

    struct Devices: Decodable {
        let creations: [Creation], assertions: [Assertion]
    }

    struct File: Decodable {
        let message: String, rpId: String, origin: String
        let creations: [Creation], assertions: [Assertion], refused: [Assertion], devices: Devices

        static func read() throws -> File {
            try JSONDecoder().decode(
                File.self, from: Data(contentsOf: Vectors.directory.appendingPathComponent("passkeys.json")))
        }
    }

    private static func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex)) }

    @Test func `a creation of another program is read with its key`() throws {
        let file = try File.read()
        #expect(file.creations.count == 6)
        for made in file.creations {
            let creation = try PasskeyCreation(
                authenticatorData: try Self.bytes(made.authenticatorData),
                clientDataJSON: Array(made.clientDataJSON.utf8), publicKey: try Self.bytes(try #require(made.spki)))
            let challenge = try Self.bytes(try #require(made.challenge))
            try creation.check(challenge: challenge, rpID: file.rpId, origins: [file.origin])
            #expect(creation.credential.key.bytes == (try Self.bytes(made.key)), "\(made.name)")
            #expect(creation.credential.id == (try Self.bytes(made.credentialId)), "\(made.name)")
            #expect(creation.credential.key.algorithm.rawValue == made.algorithm)
            #expect(throws: CredentialsError(.evidenceInvalid, field: "challenge")) {
                try creation.check(challenge: challenge + [0], rpID: file.rpId, origins: [file.origin])
            }
            #expect(throws: CredentialsError(.originUnknown)) {
                try creation.check(challenge: challenge, rpID: file.rpId, origins: [file.origin + ":8443"])
            }
        }
    }

    @Test func `an assertion that another program accepts is accepted, in its one stored form`() throws {
        let file = try File.read(), message = try Self.bytes(file.message)
        #expect(file.assertions.count == 11)
        for made in file.assertions {
            let evidence = DeviceEvidence.passkey(try made.parsed)
            #expect(evidence.bytes == (try Self.bytes(try #require(made.evidence))), "\(made.name)")
            #expect(try DeviceEvidence(bytes: evidence.bytes) == evidence)
            try evidence.verify(over: message, by: try made.publicKey)
            #expect(throws: CredentialsError.self, "\(made.name)") {
                try evidence.verify(over: message + [0], by: try made.publicKey)
            }
            let proof: DeviceEvidence = try KeyProof.verify(evidence.bytes, over: message, by: try made.publicKey)
            #expect(proof == evidence)
        }
    }

    @Test func `an assertion is refused by the name of what is wrong`() throws {
        let file = try File.read(), message = try Self.bytes(file.message)
        #expect(file.refused.count == 22)
        for made in file.refused {
            #expect(throws: CredentialsError(.evidenceInvalid, field: made.refused), "\(made.name)") {
                try made.parsed.verify(challenge: Array(SHA256.hash(data: message)), by: try made.publicKey)
            }
        }
    }

    @Test func `what real devices made is read`() throws {
        let creations = try File.read().devices.creations
        #expect(creations.count == 6)
        for made in creations {
            let creation = try PasskeyCreation(
                authenticatorData: try Self.bytes(made.authenticatorData),
                clientDataJSON: Array(made.clientDataJSON.utf8), publicKey: try made.spki.map(Self.bytes))
            #expect(creation.credential.key.bytes == (try Self.bytes(made.key)), "\(made.name)")
            #expect(creation.credential.id == (try Self.bytes(made.credentialId)), "\(made.name)")
            #expect(creation.credential.key.algorithm.rawValue == made.algorithm)
            #expect(creation.clientData.ceremony == .create)
            try creation.authenticatorData.require(rpID: made.rpId)
        }
    }

    @Test func `what real devices signed is verified`() throws {
        let assertions = try File.read().devices.assertions
        #expect(assertions.count == 3)
        for made in assertions {
            let assertion = try made.parsed
            let challenge = try #require(Base64URL.decode(assertion.clientData.challenge))
            try assertion.clientData.require(origins: [try #require(made.origin)])
            try assertion.authenticatorData.require(rpID: try #require(made.rpId))
            guard let refused = made.refused else {
                try assertion.verify(challenge: challenge, by: try made.publicKey)
                continue
            }
            #expect(throws: CredentialsError(.evidenceInvalid, field: refused)) {
                try assertion.verify(challenge: challenge, by: try made.publicKey)
            }
        }
    }

    @Test func `no single changed byte of evidence is accepted`() throws {
        let file = try File.read(), message = try Self.bytes(file.message)
        for name in ["es256", "rs256", "rs256 with extension bytes"] {
            let made = try #require(file.assertions.first { $0.name == name })
            let key = try made.publicKey, valid = try Self.bytes(try #require(made.evidence))
            for place in valid.indices {
                var changed = valid
                changed[place] ^= UInt8(1 << (place % 8))
                #expect(throws: CredentialsError.self, "\(name), byte \(place)") {
                    try DeviceEvidence(bytes: changed).verify(over: message, by: key)
                }
            }
            for bytes in [Array(valid.dropLast()), valid + [0], [1] + valid.dropFirst(), []] {
                #expect(throws: CredentialsError.self) { try DeviceEvidence(bytes: bytes) }
            }
        }
    }
}

/// Decodes hexadecimal digits of a vector.
private func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex)) }
