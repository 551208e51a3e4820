import Canonical
import Testing

@testable import tenure

struct TimeTextTests {
    @Test(arguments: [
        ("2026-11-21", "2026-11-21T00:00:00.000000Z"), ("2026-11-21T08:30:00Z", "2026-11-21T08:30:00.000000Z"),
        ("2026-11-21T08:30:00.123456Z", "2026-11-21T08:30:00.123456Z"),
    ])
    func `a day, a second and a microsecond are times`(text: String, expected: String) throws {
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
    func `a time may be said by how long ago it was`(text: String, expected: String) throws {
        let now = try TimeText.parse("2026-11-21T08:30:05.000001Z")
        #expect(try TimeText.parse(text, now: now).description == expected)
    }

    @Test(arguments: [
        ("2026-11-21T08:30:04Z", "1s"), ("2026-11-21T06:31:00Z", "1h"), ("2026-11-01", "2w"), ("2027-01-01", "now"),
    ])
    func `how long ago is told in one unit`(text: String, expected: String) throws {
        let now = try TimeText.parse("2026-11-21T08:30:05Z")
        #expect(TimeText.ago(try TimeText.parse(text), now: now) == expected)
    }

    @Test func `a short time has no letters`() throws {
        #expect(TimeText.short(try TimeText.parse("2026-11-21T08:30:05.999999Z")) == "2026-11-21 08:30:05")
    }
}
