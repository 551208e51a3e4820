import Canonical
import Crypto
import Foundation
import Testing
@testable import Credentials

@Suite struct SignatureTests {
    static let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
    let device: EmployeeKey
    let challenge: Challenge
    let raw: [UInt8]

    init() throws {
        device = try EmployeeKey.generate(.seeded("signature"))
        challenge = try Challenge(ChallengeTests.fields(device.publicKey))
        raw = try device.sign(challenge).bytes
    }

    private func der(_ raw: [UInt8]) throws -> [UInt8] {
        Array(try P256.Signing.ECDSASignature(rawRepresentation: raw).derRepresentation)
    }

    @Test func `raw and DER signatures are stored as the same raw bytes`() throws {
        #expect(try challenge.verifyKeyProof(raw).bytes == raw)
        #expect(try challenge.verifyKeyProof(der(raw)).bytes == raw)
    }

    /// (r, n − s) verifies as well: a signature can be written in two ways, so it identifies nothing.
    @Test func `a signature with the other s value verifies and is stored unchanged`() throws {
        let order = try hex(Self.order)
        var borrow = 0
        var flipped = raw
        for index in (0..<32).reversed() {
            let digit = Int(order[index]) - Int(raw[32 + index]) - borrow
            borrow = digit < 0 ? 1 : 0
            flipped[32 + index] = UInt8(truncatingIfNeeded: digit)
        }
        #expect(flipped != raw)
        #expect(try challenge.verifyKeyProof(flipped).bytes == flipped)
        #expect(try challenge.verifyKeyProof(der(flipped)).bytes == flipped)
    }

    @Test func `changed, short, long and degenerate signatures are refused`() throws {
        var bad: [[UInt8]] = [
            [], Array(raw.dropLast()), raw + [0], [UInt8](repeating: 0, count: 64),
            Array(raw[..<32]) + [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32) + raw[32...],
            [UInt8](repeating: 0xff, count: 64), try hex(Self.order) + raw[32...], raw[..<32] + (try hex(Self.order)),
            try der(raw) + [0], Array(try der(raw).dropLast()), [UInt8](repeating: 0x30, count: 1_000_000),
        ]
        for index in raw.indices {
            var changed = raw
            changed[index] ^= 1
            bad.append(changed)
        }
        let encoded = try der(raw)
        for index in encoded.indices {
            var changed = encoded
            changed[index] ^= 1
            bad.append(changed)
        }
        for proof in bad { expect(.signatureInvalid) { _ = try challenge.verifyKeyProof(proof) } }
    }

    @Test func `a signature by another key is refused`() throws {
        let other = try EmployeeKey.generate(.seeded("other"))
        expect(.signatureInvalid) { _ = try challenge.verifyKeyProof(other.sign(challenge).bytes) }
    }

    @Test func `a public key is 65 bytes on the curve`() throws {
        let good = device.publicKey.bytes
        #expect(try EmployeePublicKey(bytes: good) == device.publicKey)
        var offCurve = good
        offCurve[64] ^= 1
        let compressed = [2 + good[64] % 2] + good[1...32]
        let bad: [[UInt8]] = [
            [], [0], Array(good.dropLast()), good + [0], offCurve, Array(compressed), Array(good.dropFirst()),
            [4] + [UInt8](repeating: 0, count: 64), [4] + [UInt8](repeating: 0xff, count: 64),
            [6 + good[64] % 2] + good.dropFirst(), [5] + good.dropFirst(),
        ]
        for key in bad { expect(.keyInvalid) { _ = try EmployeePublicKey(bytes: key) } }
    }

    @Test func `a fingerprint is the lower-case SHA-256 of the point`() throws {
        let key = device.publicKey
        #expect(key.fingerprint == Hex.encode(Array(SHA256.hash(data: key.bytes))))
        #expect(key.fingerprint.count == 64)
        #expect(key.fingerprint == key.fingerprint.lowercased())
    }

    @Test func `a private key round-trips`() throws {
        #expect(try EmployeeKey(privateBytes: device.privateBytes).publicKey == device.publicKey)
        for bad in [[], [UInt8](repeating: 0, count: 32), try hex(Self.order), [UInt8](repeating: 1, count: 33)] {
            expect(.secretInvalid) { _ = try EmployeeKey(privateBytes: bad) }
        }
    }

    @Test func `a refused private key is generated again`() throws {
        let stream = SeededStream("again")
        let asked = SeededStream("count")
        let random = Randomness { count in
            // The first draw is zeros, which no curve takes as a scalar.
            asked.bytes(1) == SeededStream("count").bytes(1) ? [UInt8](repeating: 0, count: count) : stream.bytes(count)
        }
        #expect(try UserKey.generate(random).publicKey.bytes.count == 65)
    }
}

enum OpenSSLCommand {
    static let path = "/usr/bin/openssl"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }
}

/// What a client without this library does: `openssl dgst -sha256 -sign` over the decoded challenge.
@Suite(.enabled(if: OpenSSLCommand.isInstalled, "the openssl command is not installed")) struct OpenSSLTests {

    private func inTemporaryDirectory(_ body: (URL) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try body(directory)
    }

    /// Runs the command in `directory` and returns its exit code.
    private func openssl(_ arguments: [String], in directory: URL) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: OpenSSLCommand.path)
        process.arguments = arguments
        process.currentDirectoryURL = directory
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    @Test func `a challenge signed by the openssl command verifies`() throws {
        try inTemporaryDirectory { directory in
            #expect(
                try openssl(
                    ["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "key.pem"], in: directory) == 0)
            #expect(
                try openssl(
                    ["ec", "-in", "key.pem", "-pubout", "-outform", "DER", "-out", "public.der"], in: directory)
                    == 0)
            let point = Array(try Data(contentsOf: directory.appendingPathComponent("public.der")).suffix(65))
            let challenge = try Challenge(ChallengeTests.fields(EmployeePublicKey(bytes: point)))
            try Data(challenge.bytes).write(to: directory.appendingPathComponent("challenge"))
            for _ in 0..<8 {
                #expect(
                    try openssl(
                        ["dgst", "-sha256", "-sign", "key.pem", "-out", "signature", "challenge"], in: directory) == 0)
                let proof = Array(try Data(contentsOf: directory.appendingPathComponent("signature")))
                #expect(try challenge.verifyKeyProof(proof).bytes.count == 64)
            }
        }
    }

    @Test func `our signature verifies with the openssl command, and not over other bytes`() throws {
        try inTemporaryDirectory { directory in
            let device = try EmployeeKey.generate()
            let challenge = try Challenge(ChallengeTests.fields(device.publicKey))
            let signature = try P256.Signing.ECDSASignature(rawRepresentation: device.sign(challenge).bytes)
            let key = try P256.Signing.PublicKey(x963Representation: device.publicKey.bytes)
            try Data(key.pemRepresentation.utf8).write(to: directory.appendingPathComponent("public.pem"))
            try signature.derRepresentation.write(to: directory.appendingPathComponent("signature"))
            try Data(challenge.bytes).write(to: directory.appendingPathComponent("challenge"))
            try Data(challenge.bytes + [0x0a]).write(to: directory.appendingPathComponent("other"))
            let verify = ["dgst", "-sha256", "-verify", "public.pem", "-signature", "signature"]
            #expect(try openssl(verify + ["challenge"], in: directory) == 0)
            #expect(try openssl(verify + ["other"], in: directory) != 0)
        }
    }
}

@Suite struct AppAuthorityKeyTests {
    @Test func `the key depends on both secret and salt`() throws {
        let secret = Array(UInt8(0)..<32)
        let salt = Array(UInt8(100)..<116)
        let key = try AppAuthorityKey(appSecret: secret, appSalt: salt)
        #expect(try AppAuthorityKey(appSecret: secret, appSalt: salt).publicKey == key.publicKey)
        #expect(try AppAuthorityKey(appSecret: secret, appSalt: salt + [1]).publicKey != key.publicKey)
        #expect(try AppAuthorityKey(appSecret: secret + [0], appSalt: salt).publicKey != key.publicKey)
        // Pinned: the public half is in events.
        if !Vectors.isWriting {
            #expect(key.publicKey.bytes == (try Vectors.read("keys.hex"))["app.authority.public"])
        }
    }

    @Test func `short secrets and salts are refused`() {
        expect(.secretInvalid) {
            _ = try AppAuthorityKey(
                appSecret: [UInt8](repeating: 1, count: 15), appSalt: [UInt8](repeating: 1, count: 16))
        }
        expect(.secretInvalid) {
            _ = try AppAuthorityKey(
                appSecret: [UInt8](repeating: 1, count: 16), appSalt: [UInt8](repeating: 1, count: 7))
        }
    }

    @Test func `an app's statement verifies with the public half`() throws {
        let key = try AppAuthorityKey(appSecret: Array(0..<32), appSalt: Array(0..<16))
        let statement = try StatementTests.keyStatement(.authorize, signer: StatementKey(key.publicKey))
        try statement.verify(key.sign(statement))
        let other = try AppAuthorityKey(appSecret: Array(1..<33), appSalt: Array(0..<16))
        expect(.signatureInvalid) { try statement.verify(other.sign(statement)) }
    }
}
