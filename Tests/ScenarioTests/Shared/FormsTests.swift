import Canonical
import Foundation
import Testing

@Suite
struct `The search for secrets` {
    @Test(arguments: ["correct horse battery", "Ünïcode \"quoted\"/text", "someone@mail.example"])
    func `finds a text in every form at every place`(text: String) {
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

    @Test func `finds several texts at once, at the ends and adjacent`() {
        let forms = [
            Forms("one", "first secret"), Forms("two", bytes: Array("another one".utf8)), Forms("no", "absent one"),
        ]
        let needles = Needles(forms)
        #expect(needles.found(in: Data("first secretanother one".utf8)) == ["one", "two"])
        #expect(needles.found(in: Data("ffirst secre Zmlyc3Qgc2VjcmV0".utf8)) == ["one"])
        #expect(needles.found(in: Data()) == [] && needles.found(in: Data("first".utf8)) == [])
    }
}

/// The forms in which a text might stand somewhere by mistake.
struct Forms {
    let name: String
    let needles: [[UInt8]]

    /// Looks for a text as it is, in lower case, escaped, in hexadecimal and in base64 at each of three offsets.
    init(_ name: String, _ text: String) {
        self.name = name
        let spellings = Set([text, text.lowercased()])
        needles = Array(Set(spellings.flatMap { Self.forms(of: Array($0.utf8)) }))
    }

    /// Looks for bytes as they are, in hexadecimal and in base64 at each of three offsets.
    init(_ name: String, bytes: [UInt8]) {
        self.name = name
        let hex = Hex.encode(bytes)
        needles = Array(Set([bytes, Array(hex.utf8)] + Self.base64(of: bytes)))
    }

    /// Whether one of the forms is there.
    func isFound(in haystack: Data) -> Bool {
        needles.contains { haystack.range(of: Data($0)) != nil }
    }

    private static func forms(of bytes: [UInt8]) -> [[UInt8]] {
        let escaped = String(decoding: bytes, as: UTF8.self).unicodeScalars.map { scalar in
            scalar.isASCII ? String(scalar) : "\\u" + String(format: "%04x", scalar.value)
        }.joined()
        let slashed = String(decoding: bytes, as: UTF8.self).replacing("/", with: "\\/")
        let hex = Hex.encode(bytes)
        let forms = [bytes, Array(escaped.utf8), Array(slashed.utf8), Array(hex.utf8), Array(hex.uppercased().utf8)]
        return (forms + base64(of: bytes)).filter { $0.count >= 6 }
    }

    private static func base64(of bytes: [UInt8]) -> [[UInt8]] {
        (0..<3).flatMap { offset in
            // Three bytes make four characters: those that depend on a neighbour are left out.
            let padded = Array(repeating: UInt8(0), count: offset) + bytes
            let whole = padded.count / 3 * 4
            let first = offset == 0 ? 0 : offset + 1
            return [Base64.encode(padded), Base64URL.encode(padded)].map { text in
                Array(text.utf8.prefix(whole).dropFirst(first))
            }
        }
    }
}

/// Looks for many byte strings in one pass: what a process has in memory is too long for a pass for each.
struct Needles {
    private static let start = 8
    private var names: [UInt64: [(name: String, bytes: [UInt8])]] = [:]
    /// Whether a needle begins with these two bytes.
    private var beginnings = [Bool](repeating: false, count: 1 << 16)

    /// Takes every form of at least eight bytes.
    init(_ forms: [Forms]) {
        for form in forms {
            for needle in form.needles where needle.count >= Self.start {
                let key = needle.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
                names[key, default: []].append((form.name, needle))
                beginnings[Int(needle.withUnsafeBytes { $0.loadUnaligned(as: UInt16.self) })] = true
            }
        }
    }

    /// The names of what is there.
    func found(in haystack: Data) -> Set<String> {
        var found: Set<String> = []
        haystack.withUnsafeBytes { hay in
            beginnings.withUnsafeBufferPointer { beginnings in
                guard let base = hay.baseAddress, hay.count >= Self.start else { return }
                var offset = 0
                let last = hay.count - Self.start
                while offset <= last {
                    if beginnings[Int(base.loadUnaligned(fromByteOffset: offset, as: UInt16.self))] {
                        let key = base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                        for needle in names[key] ?? [] where hay[offset...].starts(with: needle.bytes) {
                            found.insert(needle.name)
                        }
                    }
                    offset += 1
                }
            }
        }
        return found
    }
}
