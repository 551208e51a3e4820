import ArgumentParser
import Canonical
import Testing
@testable import tenure

@Suite struct TerminalTests {
    @Test(arguments: [
        (true, [:], true), (false, [:], false), (true, ["NO_COLOR": "1"], false), (true, ["NO_COLOR": ""], true),
        (true, ["TERM": "dumb"], false),
    ])
    func `colour is used on terminals unless refused`(
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

    @Test func `a data line never contains a line break`() {
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

@Suite struct TableTests {
    let plain = Terminal(isInteractive: false, width: 80, environment: [:])

    @Test func `columns are aligned and no line ends in a space`() {
        var table = Table([.init(title: "name"), .init(title: "keys", alignment: .right), .init(title: "state")])
        table.add(["anna", "2", "approved"])
        table.add(["b", "10"])
        #expect(
            table.rendered(on: plain) == """
                NAME  KEYS  STATE
                anna     2  approved
                b       10

                """)
    }

    @Test func `wide and combining characters keep the columns straight`() {
        var table = Table([.init(title: "company"), .init(title: "n")])
        table.add(["日本", "1"])
        table.add(["Zoe\u{0301}", "2"])
        #expect(table.rendered(on: plain) == "COMPANY  N\n日本     1\nZoe\u{0301}      2\n")
    }

    @Test func `a name cannot move the cursor or reverse a line`() {
        var table = Table([.init(title: "name")])
        table.add(["evil\u{1B}[2J\n\u{202E}txt"])
        #expect(table.rendered(on: plain) == "NAME\nevil\\u{1b}[2J\\u{a}\\u{202e}txt\n")
    }

    @Test func `a harmless name is printed unchanged`() {
        #expect(Printable.text("Größe 東京 👩‍👩‍👧 ✓") == "Größe 東京 👩‍👩‍👧 ✓")
    }

    @Test(arguments: [("", 0), ("abc", 3), ("é", 1), ("한국", 4), ("👩‍👩‍👧", 2), ("ｱ", 1), ("Ａ", 2)])
    func `a text has the width that terminals give it`(text: String, columns: Int) {
        #expect(DisplayWidth.of(text) == columns)
    }
}

struct TimeTextTests {
    @Test(arguments: [
        ("2026-11-21", "2026-11-21T00:00:00.000000Z"), ("2026-11-21T08:30:00Z", "2026-11-21T08:30:00.000000Z"),
        ("2026-11-21T08:30:00.123456Z", "2026-11-21T08:30:00.123456Z"),
    ])
    func `a day, a second and a microsecond are accepted as times`(text: String, expected: String) throws {
        #expect(try TimeText.parse(text).description == expected)
    }

    @Test(arguments: [
        "", "Z", "tomorrow", "2026-11-31", "h", "-2h", "2 h", "2y", "99999999999h", "2026-11-21T08:30:00",
        "2026-11-21T08:30:00z", "2026-11-21T08:30:00X",
        "2026-11-21T24:00:00Z", "2026-11-21 08:30:00Z",
    ])
    func `anything else is refused as a usage error`(text: String) {
        #expect(throws: CommandFailure.self) { try TimeText.parse(text) }
    }

    @Test(arguments: [
        ("now", "2026-11-21T08:30:05.000001Z"), ("today", "2026-11-21T00:00:00.000000Z"),
        ("yesterday", "2026-11-20T00:00:00.000000Z"), ("90s", "2026-11-21T08:28:35.000001Z"),
        ("2h", "2026-11-21T06:30:05.000001Z"), ("1w", "2026-11-14T08:30:05.000001Z"),
    ])
    func `a time may be given as an age`(text: String, expected: String) throws {
        let now = try TimeText.parse("2026-11-21T08:30:05.000001Z")
        #expect(try TimeText.parse(text, now: now).description == expected)
    }

    @Test(arguments: [
        ("2026-11-21T08:30:04Z", "1s"), ("2026-11-21T06:31:00Z", "1h"), ("2026-11-01", "2w"), ("2027-01-01", "now"),
    ])
    func `an age is shown in one unit`(text: String, expected: String) throws {
        let now = try TimeText.parse("2026-11-21T08:30:05Z")
        #expect(TimeText.ago(try TimeText.parse(text), now: now) == expected)
    }

    @Test func `a short time has no letters`() throws {
        #expect(TimeText.short(try TimeText.parse("2026-11-21T08:30:05.999999Z")) == "2026-11-21 08:30:05")
    }
}
