import Canonical
import Crypto
import Foundation
import Testing

@testable import Credentials

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
