import ArgumentParser
import Testing

@testable import tenure

struct ReplayOptionsTests {
    @Test(arguments: [
        ["--employee", "7"], ["--actor", "7"], ["--from-position", "3"], ["--as-of", "3"], ["--diff", "1", "2"],
        ["--diff", "yesterday"], ["--as-of", "now", "--compare"], ["--follow", "--as-of", "now"], ["--cursor", "f"],
        ["--type", "Nothing"], ["--app", "x"], ["--compare", "--format", "csv"], ["--as-of", "now", "--from", "2h"],
        ["--export", "d", "--import", "d"], ["--export", "d", "--follow"], ["--import", "d", "--as-of", "now"],
        ["--export", "d", "--json"], ["--key", "k"], ["--follow", "--to", "now"],
        ["--company", "c", "--follow", "--to-position", "3"], ["--format", "xml"], ["--diff", "a", "b", "c"],
        ["--company", "c", "--compare", "--type", "EmployeeErased"],
    ])
    func `what makes no sense is refused before anything is read`(arguments: [String]) {
        #expect(throws: (any Error).self) { try Replay.parse(arguments) }
    }

    @Test(arguments: [
        [], ["--company", "c", "--employee", "7", "--actor", "8"], ["--type", "EmployeeErased", "--type", "AppLinked"],
        ["--company", "c", "--diff", "3", "9"], ["--diff", "2026-01-01", "now"], ["--follow", "--cursor", "f"],
        ["--format", "cloudevents", "--from", "2h", "--to", "now"], ["--compare", "--json"],
        ["--export", "d", "--company", "c", "--from", "2h"], ["--import", "d", "--key", "k", "--format", "csv"],
        ["--actor", "00000000-0000-4000-8000-000000000001"],
    ])
    func `what makes sense is taken`(arguments: [String]) throws {
        _ = try Replay.parse(arguments)
    }
}
