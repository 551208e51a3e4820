import Foundation
import TestSupport
import Testing

@testable import tenure

/// What tells which build runs on which server.
@Suite struct BuildInfoTests {
    private func metrics(_ build: String?) throws -> String {
        let directory = try TemporaryDirectory(), program = directory.path + "/tenure"
        if let build { try build.write(toFile: program + ".build", atomically: true, encoding: .utf8) }
        return withExtendedLifetime(directory) { BuildInfo(program: program).metrics }
    }

    @Test func `the metric has the version, and the commit that was written beside the program`() throws {
        let commit = String(repeating: "0a1b", count: 10), rest = "\ncompiler Swift 6.3\nswift-nio 2.0 abc\n"
        let label = "tenure_build_info{version=\"\(Tenure.version)\",commit="
        #expect(try metrics("commit \(commit)\(rest)").contains("\n\(label)\"\(commit)\"} 1\n"))
        #expect(
            try metrics("commit \(commit) with changes\(rest)").contains("\n\(label)\"\(commit) with changes\"} 1\n"))
        for nothing in [nil, "", "compiler Swift 6.3\n"] {
            #expect(try metrics(nothing).contains("\n\(label)\"unknown\"} 1\n"))
        }
    }

    @Test func `nothing in the file ends the label`() throws {
        #expect(try metrics("commit a\"}\\ 2\u{0}b\n").contains("commit=\"a 2b\"} 1\n"))
    }
}
