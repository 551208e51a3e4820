import Foundation
import Ledger
import Testing

@testable import tenure

struct ReplayCursorTests {
    @Test func `a cursor is what was written, and the beginning where nothing was`() throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/cursor"
        #expect(try ReplayCursor(file: file) == ReplayCursor())
        var cursor = ReplayCursor()
        cursor[LedgerID(UUID())] = 41
        cursor[.system] = 9_007_199_254_740_991
        cursor[.directory(7)] = 0
        try cursor.write(to: file)
        #expect(try ReplayCursor(file: file) == cursor)
        cursor[.system] += -1
        try cursor.write(to: file)
        #expect(try ReplayCursor(file: file)[.system] == 9_007_199_254_740_990)
    }

    @Test(arguments: ["", "{", "[]", #"{"x":1}"#, #"{"00000000-0000-4000-8000-000000000001":-1}"#, "{}{}"])
    func `anything else is refused and stays as it is`(content: String) throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/cursor"
        try content.write(toFile: file, atomically: true, encoding: .utf8)
        #expect(throws: CommandFailure.self) { try ReplayCursor(file: file) }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == content)
    }
}
