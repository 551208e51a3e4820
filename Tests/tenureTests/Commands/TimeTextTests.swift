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
        "", "Z", "yesterday", "2026-11-31", "2026-11-21T08:30:00", "2026-11-21T08:30:00z", "2026-11-21T08:30:00X",
        "2026-11-21T24:00:00Z", "2026-11-21 08:30:00Z",
    ])
    func `anything else is refused as a usage error`(text: String) {
        #expect(throws: CommandFailure.self) { try TimeText.parse(text) }
    }

    @Test func `a short time has no letters`() throws {
        #expect(TimeText.short(try TimeText.parse("2026-11-21T08:30:05.999999Z")) == "2026-11-21 08:30:05")
    }
}
