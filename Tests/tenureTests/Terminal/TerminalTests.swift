import ArgumentParser
import Canonical
import Testing

@testable import tenure

@Suite struct TerminalTests {
    @Test(arguments: [
        (true, [:], true), (false, [:], false), (true, ["NO_COLOR": "1"], false), (true, ["NO_COLOR": ""], true),
        (true, ["TERM": "dumb"], false),
    ])
    func `colour is for terminals of people who did not refuse it`(
        isInteractive: Bool, environment: [String: String], usesColour: Bool
    ) {
        let terminal = Terminal(isInteractive: isInteractive, width: 80, environment: environment)
        #expect(terminal.usesColour == usesColour)
        #expect((Style.bad.apply("x", on: terminal) == "x") == !usesColour)
    }

    @Test func `the width comes from the terminal, then from COLUMNS, then is 80`() {
        #expect(Terminal(isInteractive: true, width: 120, environment: ["COLUMNS": "40"]).width == 120)
        #expect(Terminal(isInteractive: true, width: nil, environment: ["COLUMNS": "40"]).width == 40)
        #expect(Terminal(isInteractive: true, width: nil, environment: [:]).width == 80)
    }

    @Test func `a line of data is one line, whatever the data`() {
        let line = JSONLines.line(.object(["name": .string("a\nb"), "count": .integer(2)]))
        #expect(line == "{\"count\":2,\"name\":\"a\\nb\"}\n")
    }

    @Test func `the exit codes are the documented ones`() {
        let codes = [
            CommandFailure(.cancelled, ""), CommandFailure(.integrityViolation, ""), CommandFailure(.notPermitted, ""),
            CommandFailure(.drift, ""), CommandFailure(.notFound, ""), CommandFailure(.usage, ""),
            CommandFailure(.unreachable, ""), CommandFailure(.busy, ""),
        ].map(\.exitCode.rawValue)
        #expect(codes == [2, 3, 4, 5, 6, 64, 69, 75])
    }
}
