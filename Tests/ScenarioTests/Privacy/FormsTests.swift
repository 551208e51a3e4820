import Canonical
import Foundation
import Testing

@Suite
struct `The search for secrets` {
    @Test(arguments: ["correct horse battery", "Ünïcode \"quoted\"/text", "someone@mail.example"])
    func `finds a text in every form, wherever it stands`(text: String) {
        let bytes = Array(text.utf8)
        var hidden: [[UInt8]] = [bytes, Array(text.lowercased().utf8), Array(Hex.encode(bytes).utf8)]
        hidden.append(Array(Hex.encode(bytes).uppercased().utf8))
        for offset in 0..<3 {
            let whole = Array(repeating: UInt8(7), count: offset) + bytes + [9, 9]
            hidden += [Array(Base64.encode(whole).utf8), Array(Base64URL.encode(whole).utf8)]
        }
        let escaped = JSONValue.string(text).canonicalBytes().dropFirst().dropLast()
        if !text.contains("\"") { hidden.append(Array(escaped)) }
        for form in hidden {
            let haystack = Data([1, 2] + form + [3])
            #expect(Forms("it", text).isFound(in: haystack), "\(String(decoding: form, as: UTF8.self))")
        }
        #expect(!Forms("it", text).isFound(in: Data("something else entirely".utf8)))
    }
}
