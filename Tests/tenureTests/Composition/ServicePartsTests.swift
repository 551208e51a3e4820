import Foundation
import IdentityService
import Testing

@testable import tenure

/// What a service is made of, by its settings.
@Suite struct ServicePartsTests {
    private func parts(_ more: [String: String] = [:]) async throws -> ServiceParts {
        let key = Data(repeating: 7, count: 32).base64EncodedString()
        let needed = [
            "TENURE_DATABASE_URL": "postgresql://tenure_app@/tenure?host=/nowhere",
            "TENURE_READER_DATABASE_URL": "postgresql://tenure_reader@/tenure?host=/nowhere",
            "TENURE_MASTER_KEYS": #"{"current":1,"keys":{"1":"\#(key)"}}"#,
        ]
        return try ServiceParts(
            await Settings(flags: [:], environment: needed.merging(more) { _, new in new }, file: nil))
    }

    @Test func `connections are as many as are asked for, or follow the machine within bounds`() async throws {
        let asked = try await parts(["TENURE_DATABASE_CONNECTIONS": "24"])
        #expect(asked.assembly.maximumConnections == 24)
        let unasked = try await parts()
        #expect((8...16).contains(unasked.assembly.maximumConnections))
    }

    @Test(arguments: ["3", "1001", "many"])
    func `a number of connections that cannot serve is refused`(text: String) async throws {
        await #expect(throws: CommandFailure.self) {
            _ = try await parts(["TENURE_DATABASE_CONNECTIONS": text])
        }
    }
}
