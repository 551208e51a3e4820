/// Finds the type in one line of Swift when that line declares one at the top level of its file.
enum TypeLine {
    private static let modifiers: Set<Substring> = [
        "public", "package", "internal", "open", "final", "indirect", "nonisolated", "distributed",
    ]
    private static let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "typealias"]

    /// The declared name; `nil` when the line is indented, declares something else, or a type that only its file sees.
    static func name(in line: some StringProtocol) -> String? {
        var rest = Substring(line)
        while rest.hasPrefix("@") { rest = afterAttribute(rest) }
        while let end = rest.firstIndex(of: " "), modifiers.contains(rest[..<end]) { rest = rest[end...].dropFirst() }
        guard let end = rest.firstIndex(of: " "), kinds.contains(rest[..<end]) else { return nil }
        let name = rest[end...].dropFirst().drop(while: { $0 == "`" })
            .prefix(while: { $0.isLetter || $0.isNumber || $0 == "_" })
        return name.isEmpty ? nil : String(name)
    }

    /// The line without the attribute that it begins with, whose arguments may hold spaces.
    private static func afterAttribute(_ line: Substring) -> Substring {
        var depth = 0
        return line.drop { character in
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            return depth > 0 || character != " "
        }.dropFirst()
    }
}
