import Foundation
import HummingbirdTesting
import IdentityService
import Testing
@testable import HTTPAPI

/// The pages with the mails of a development service.
@Suite(.timeLimit(.minutes(5))) struct DevelopmentMailTests {
    @Test(arguments: [
        ("127.0.0.1", 200), ("localhost:8080", 200), ("[::1]:8080", 200), ("evil.example", 404),
        ("127.0.0.1.evil.example:8080", 404), ("localhost.evil.example", 404), ("[::1].evil.example", 404),
    ]) func `mails are shown by a name of this machine only`(host: String, status: Int) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = HTTPConfiguration(port: 0)
        configuration.developmentMail = MailDirectory(path: folder.path)
        let text = try await API.with(configuration: configuration, live: true) { api in
            let port = try #require(api.client.port)
            let request = "GET /dev/mail HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
            return try await RawConnection(port: port).exchange([request]).text
        }
        #expect(text.hasPrefix("HTTP/1.1 \(status)"), "\(text)")
    }
}
