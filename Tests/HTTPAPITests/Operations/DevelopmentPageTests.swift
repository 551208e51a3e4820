import Foundation
import HummingbirdTesting
import IdentityService
import Testing

@testable import HTTPAPI

/// The page of a development service, and the one name that browsers use for it.
@Suite(.timeLimit(.minutes(5))) struct DevelopmentPageTests {
    private static let person = DevelopmentPerson(
        company: "harbour.example", employeeId: "anna", email: "anna@harbour.example", role: "security admin",
        answers: [.init("Which \"book\" & why?", "<script>alert(1)</script>")], passphrase: "it's o'clock")

    /// Sends a request with a host to a service on a port of its own, and returns the reply.
    private func ask(
        _ path: String, host: String, method: String = "GET", people: [DevelopmentPerson]? = [person],
        mails: MailDirectory? = nil
    ) async throws -> String {
        var configuration = HTTPConfiguration(port: 0, publicURL: "http://localhost:8080")
        configuration.servesPages = true
        configuration.sendsBrowsersToPublicURL = true
        configuration.developmentMail = mails
        if let people { configuration.developmentPeople = { people } }
        return try await API.with(configuration: configuration, live: true) { api in
            let port = try #require(api.client.port)
            let fields = "Host: \(host)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            let request = "\(method) \(path) HTTP/1.1\r\n\(fields)"
            return try await RawConnection(port: port).exchange([request]).text
        }
    }

    @Test func `shows people with their answers, and escapes everything`() async throws {
        let text = try await ask("/dev", host: "localhost:8080")
        #expect(text.hasPrefix("HTTP/1.1 200"), "\(text)")
        #expect(text.contains("anna at harbour.example"))
        #expect(text.contains("security admin, <span translate=\"no\">anna@harbour.example</span>"))
        #expect(text.contains("Which &quot;book&quot; &amp; why?"))
        #expect(text.contains("<strong translate=\"no\">&lt;script&gt;alert(1)&lt;/script&gt;</strong>"))
        #expect(text.contains("it&#39;s o&#39;clock"))
        #expect(!text.contains("<script>"))
    }

    @Test(arguments: ["evil.example", "localhost.evil.example:8080"])
    func `is shown by a name of this machine only`(host: String) async throws {
        #expect(try await ask("/dev", host: host).hasPrefix("HTTP/1.1 404"))
    }

    @Test func `is only there with people`() async throws {
        #expect(try await ask("/dev", host: "localhost:8080", people: nil).hasPrefix("HTTP/1.1 404"))
    }

    @Test func `lists mails with their links`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let id = UUID(), mails = MailDirectory(path: folder.path)
        let mail = """
            From: tenure@localhost\r
            To: <anna@harbour.example>\r
            Subject: =?utf-8?B?QmVzdMOkdGlnZW4=?=\r
            \r
            --part\r
            Content-Type: text/plain; charset=utf-8\r
            \r
            Open the link:\r
            http://localhost:8080/verify-email/1?expires=3D2&key=3Dk\r
            --part--\r

            """
        try Data(mail.utf8).write(to: folder.appendingPathComponent("\(id.uuidString.lowercased()).eml"))
        let summary = try #require(mails.summary(id))
        #expect(summary.recipient == "anna@harbour.example" && summary.subject == "Bestätigen")
        #expect(summary.links == ["http://localhost:8080/verify-email/1?expires=2&key=k"])
        let text = try await ask("/dev", host: "localhost:8080", mails: mails)
        #expect(text.contains("href=\"/dev/mail/\(id.uuidString.lowercased())\""))
        #expect(text.contains("href=\"http://localhost:8080/verify-email/1?expires=2&amp;key=k\""))
    }

    @Test(arguments: [
        ("/consent/a?token=a%20b", "127.0.0.1:8080"), ("/authorize?client_id=x", "[::1]:8080"),
        ("/logout", "127.0.0.1:8080"), ("/consent/a", "localhost:9090"),
    ])
    func `browsers are sent to the public name, for which they keep keys`(path: String, host: String) async throws {
        let text = try await ask(path, host: host)
        #expect(text.hasPrefix("HTTP/1.1 307"), "\(text)")
        #expect(text.lowercased().contains("location: http://localhost:8080\(path.lowercased())\r\n"), "\(text)")
    }

    @Test(arguments: [
        ("/consent/a", "localhost:8080", "GET"), ("/consent/a", "LOCALHOST:8080", "GET"),
        ("/healthz", "127.0.0.1:8080", "GET"),
        ("/consent/a", "127.0.0.1:8080", "POST"), ("/consent/a", "evil.example", "GET"),
        ("/oauth/userinfo", "127.0.0.1:8080", "GET"),
    ])
    func `nothing else is redirected`(path: String, host: String, method: String) async throws {
        #expect(try await !ask(path, host: host, method: method).hasPrefix("HTTP/1.1 307"))
    }
}
