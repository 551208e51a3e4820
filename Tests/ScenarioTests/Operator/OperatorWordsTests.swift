import Keys
import TestSupport
import Testing

/// What a command of the operator says of names that nobody has.
@Suite(.onServer, .sharedWorld)
struct `An operator who mistypes a name` {
    @Test(arguments: [
        (company: "words.example", "There is no such employee (employee.unknown)"),
        (company: "no-words.example", "There is no such company (company.unknown)"),
    ])
    func `is told in words, and the exit code is that of what is not there`(
        company: String, words: String
    ) async throws {
        let world = try sharedWorld()
        if company == "words.example" { _ = try await world.client.found(company) }
        let (status, lines) = try await ChildProcess(
            "tenure", ["company", "succeed", company, "nobody"],
            environment: [
                "TENURE_DATABASE_URL": world.database.url(as: .application),
                "TENURE_MASTER_KEY_FILE": world.keyFile.path, "SWIFT_BACKTRACE": "enable=no",
            ], keepsErrors: true
        ).finish()
        #expect(status == 6)
        #expect(lines.contains { $0.contains(words) }, "\(lines)")
    }
}
