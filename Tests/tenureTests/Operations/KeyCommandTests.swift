import ArgumentParser
import Foundation
import Keys
import Testing

@testable import tenure

@Suite struct KeyRetireTests {
    private func masters() throws -> MasterKeys {
        let key = { (byte: UInt8) in Data(repeating: byte, count: 32).base64EncodedString() }
        return try MasterKeys(environment: #"{"current":2,"keys":{"1":"\#(key(1))","2":"\#(key(2))"}}"#)
    }

    @Test func `an unknown version is named with those that the file has`() throws {
        let masters = try masters()
        let failure = #expect(throws: CommandFailure.self) {
            try KeyRetire.requireRetirable(9, in: masters, path: "/keys.json")
        }
        #expect(failure?.exitCode == .notFound)
        #expect(failure?.message == "/keys.json has no version 9; it has 1, 2")
        #expect(failure?.remedy?.contains("tenure key status") == true)
    }

    @Test func `the current version is refused with the command that replaces it`() throws {
        let masters = try masters()
        let failure = #expect(throws: CommandFailure.self) {
            try KeyRetire.requireRetirable(2, in: masters, path: "/keys.json")
        }
        #expect(failure?.exitCode == .failure)
        #expect(failure?.remedy?.contains("tenure key rotate") == true)
    }

    @Test func `an old version may be retired`() throws {
        try KeyRetire.requireRetirable(1, in: try masters(), path: "/keys.json")
    }
}
