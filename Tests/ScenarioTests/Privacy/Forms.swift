import Canonical
import Foundation

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
