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

    @Test func `finds many at once, at the beginning, at the end and beside each other`() {
        let forms = [
            Forms("one", "first secret"), Forms("two", bytes: Array("another one".utf8)), Forms("no", "absent one"),
        ]
        let needles = Needles(forms)
        #expect(needles.found(in: Data("first secretanother one".utf8)) == ["one", "two"])
        #expect(needles.found(in: Data("ffirst secre Zmlyc3Qgc2VjcmV0".utf8)) == ["one"])
        #expect(needles.found(in: Data()) == [] && needles.found(in: Data("first".utf8)) == [])
    }
}
