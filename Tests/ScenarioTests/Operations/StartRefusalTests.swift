import Foundation
import Keys
import TestSupport
import Testing

/// A start that fails tells the operator in a sentence why.
@Suite(.onServer)
struct `A start that cannot succeed` {
    private func serve(
        _ database: TestDatabase, _ files: TemporaryFiles, _ more: [String: String]
    ) async throws -> (status: Int32, words: String) {
        let own = [
            "TENURE_DATABASE_URL": database.url(as: .application),
            "TENURE_READER_DATABASE_URL": database.url(as: .reader), "SWIFT_BACKTRACE": "enable=no",
            "TENURE_MASTER_KEY_FILE": files.path("master.json"),
            "TENURE_OPERATOR_KEY_FILE": files.path("operator.key"), "TENURE_LISTEN_PORT": "0",
        ]
        let end = try await ChildProcess(
            "tenure", ["serve"], environment: own.merging(more) { _, new in new }, keepsErrors: true
        ).finish()
        return (end.status, end.lines.joined(separator: "\n"))
    }

    @Test func `names the port that is taken, the address that is foreign, and the file that is missing`() async throws
    {
        try await TestDatabase.with { database in
            let files = try TemporaryFiles()
            defer { files.remove() }
            let absent = try await serve(database, files, [:])
            #expect(absent.status == 1 && absent.words.contains("tenure key init"), "\(absent)")
            let made = try await ChildProcess(
                "tenure", ["key", "init"], environment: ["TENURE_MASTER_KEY_FILE": files.path("master.json")]
            ).finish()
            #expect(made.status == 0)

            let port = try #require(TakenPort())
            let taken = try await serve(database, files, ["TENURE_LISTEN_PORT": "\(port.number)"])
            #expect(taken.status == 69, "\(taken)")
            #expect(
                taken.words.contains("tenure: another program listens on port \(port.number) of 127.0.0.1"), "\(taken)")
            let foreign = try await serve(
                database, files,
                [
                    "TENURE_LISTEN_HOST": "192.0.2.1", "TENURE_CLEAR_TEXT_ALLOWED": "true",
                    "TENURE_PUBLIC_URL": "https://id.example",
                ])
            #expect(foreign.status == 64 && foreign.words.contains("no address 192.0.2.1"), "\(foreign)")
            let slash = try await serve(database, files, ["TENURE_PUBLIC_URL": "https://id.example/"])
            #expect(slash.status == 64 && slash.words.contains("Write https://id.example"), "\(slash)")
            let pair = ["TENURE_TLS_CERTIFICATE_FILE": files.path("none"), "TENURE_TLS_KEY_FILE": files.path("none")]
            let certificate = try await serve(database, files, pair)
            #expect(certificate.status == 64 && certificate.words.contains("No such file"), "\(certificate)")
        }
    }
}
