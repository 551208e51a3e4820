import Canonical
import Crypto
import Foundation
import Hogweed
import Testing

@testable import Credentials

/// Whoever was shown a decoy before must be shown the same one, whichever multiplication makes it.
@Suite struct HogweedDecoyTests {
    static let generators: [any GeneratorMultiplication] = [CryptoMultiplication(), HogweedMultiplication()]
    private let key: DecoyKey

    init() throws { key = try DecoyKey(bytes: [UInt8](repeating: 0x0d, count: 32)) }

    private func decoy(_ employee: String, _ parts: Decoy.Parts, _ generator: any GeneratorMultiplication) throws
        -> Decoy
    {
        try key.decoy(
            company: Array("acme".utf8), employee: Array(employee.utf8), parts: parts, generator: generator)
    }

    @Test(arguments: generators) func `the golden decoy is the same`(generator: any GeneratorMultiplication) throws {
        let decoy = try decoy("bob", .all, generator)
        let golden = try Self.golden()
        #expect(golden["decoy.context"] == Hex.encode(decoy.sealed.context.bytes))
        #expect(golden["decoy.seed"] == Hex.encode(decoy.seed.bytes))
        #expect(golden["decoy.copies"] == Hex.encode(Array(decoy.sealed.answerCopies.joined())))
        let questions = decoy.questions.map(\.text).joined(separator: "\n")
        #expect(golden["decoy.questions"] == Hex.encode(Array(questions.utf8)))
    }

    /// The hash was made before there was a second multiplication.
    @Test(arguments: generators) func `the keys of decoys are what they were`(
        generator: any GeneratorMultiplication
    ) throws {
        var hash = SHA256()
        for index in 0..<64 { hash.update(data: try decoy("employee \(index)", [], generator).publicKeys.bytes) }
        let expected = "77258eec09af2d31e95cf1b438878674fa3cb5e22d2fdc82292b750111e3c015"
        #expect(Hex.encode(Array(hash.finalize())) == expected)
    }

    @Test func `decoys of many names are the same byte for byte`() throws {
        for index in 0..<256 {
            let employee = "\(UUID())", app = index % 2 == 0 ? UUID() : nil
            let both = try Self.generators.map { generator in
                try key.decoy(
                    company: Array("company \(index)".utf8), employee: Array(employee.utf8), hiddenFrom: app,
                    generator: generator)
            }
            let one = both[0], other = both[1]
            #expect(one.publicKeys == other.publicKeys, "\(employee)")
            #expect(one.sealed == other.sealed && one.seed.bytes == other.seed.bytes, "\(employee)")
            #expect(one.recordHash == other.recordHash)
            #expect(one.questions.map(\.text) == other.questions.map(\.text))
        }
    }

    @Test func `the keys fit the seed: what it evaluates is proved under them`() throws {
        for index in 0..<8 {
            let decoy = try decoy("employee \(index)", [], HogweedMultiplication()), keys = try decoy.seed.keys()
            #expect(decoy.publicKeys.answers == keys.answers.publicKey)
            #expect(decoy.publicKeys.passphrase == keys.passphrase.publicKey)
            #expect(try OPRFPublicKey(bytes: decoy.publicKeys.answers.bytes) == decoy.publicKeys.answers)
        }
    }

    /// The vectors are those of the tests of `Credentials`.
    private static func golden() throws -> [String: String] {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = tests.appendingPathComponent("CredentialsTests/vectors/keys.hex")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
        return Dictionary(
            uniqueKeysWithValues: try lines.map { line in
                let parts = line.components(separatedBy: " = ")
                return (parts[0], try #require(parts.last))
            })
    }
}
