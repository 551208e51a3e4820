import Testing

@testable import TenureClient

@Suite struct TerminalLineTests {
    @Test func `a line in UTF-8 is the text that was typed`() throws {
        #expect(try TerminalLine.text(Array("чайник 1 ".utf8)[...]) == "чайник 1 ")
        #expect(try TerminalLine.text([]) == "")
    }

    @Test(arguments: [
        [0xDE, 0xC1, 0xCA] as [UInt8], [0x4D, 0xFC, 0x6C], [0xFF, 0xFE, 0x41, 0x00], [0xC3], [0xED, 0xA0, 0x80],
    ])
    func `a line in another encoding is refused with what to do`(bytes: [UInt8]) {
        let error = #expect(throws: TenureClientError.self) { try TerminalLine.text(bytes[...]) }
        #expect(error?.kind == .textInvalid && error?.advice.first?.contains("Set it to UTF-8") == true)
    }
}
