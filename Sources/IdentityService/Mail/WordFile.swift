/// A file of texts for people in one language, with a line `name = text` for each.
package enum WordFile {
    /// Returns the texts by their names. A line without ` = ` counts as nothing.
    package static func texts(_ bytes: [UInt8]) -> [String: String] {
        var texts: [String: String] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            guard let sign = line.firstRange(of: " = ") else { continue }
            texts[String(line[..<sign.lowerBound])] = String(line[sign.upperBound...])
        }
        return texts
    }

    /// Returns a text with the values of `{1}`, `{2}` and so on. They are not read again.
    package static func filled(_ source: String, _ values: [String]) -> String {
        var text = "", rest = source[...]
        while let opening = rest.firstIndex(of: "{"), let closing = rest[opening...].firstIndex(of: "}") {
            text += rest[..<opening]
            let number = Int(rest[rest.index(after: opening)..<closing]) ?? 0
            text += values.indices.contains(number - 1) ? values[number - 1] : ""
            rest = rest[rest.index(after: closing)...]
        }
        return text + rest
    }
}
