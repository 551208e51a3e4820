/// Finds the module in one line of Swift when that line is an import.
enum ImportLine {
    private static let accessLevels: Set<Substring> = [
        "public", "package", "internal", "fileprivate", "private", "open",
    ]
    private static let declarationKinds: Set<Substring> = [
        "struct", "class", "enum", "protocol", "func", "var", "let", "typealias", "actor",
    ]

    /// The lines without the `#else` branch of `#if canImport(FoundationEssentials)`, which stands for platforms where
    /// Foundation comes in one piece; the left out lines are empty, so that numbers stay right.
    static func onThisPlatform(_ lines: [Substring]) -> [Substring] {
        var conditions: [(isAboutFoundation: Bool, inElse: Bool)] = []
        return lines.map { line in
            let text = line.drop(while: { $0 == " " })
            if text.hasPrefix("#if") {
                conditions.append((text.hasPrefix("#if canImport(FoundationEssentials)"), false))
            } else if text.hasPrefix("#else"), !conditions.isEmpty {
                conditions[conditions.count - 1].inElse = true
            } else if text.hasPrefix("#endif") {
                _ = conditions.popLast()
            }
            return conditions.contains { $0.isAboutFoundation && $0.inElse } ? "" : line
        }
    }

    /// The imported module; `nil` when the line is none, a comment or only looks like one.
    static func module(in line: some StringProtocol) -> String? {
        var words = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).map { Substring(String($0)) }
        while let first = words.first, first.hasPrefix("@") || accessLevels.contains(first) { words.removeFirst() }
        guard words.first == "import" else { return nil }
        words.removeFirst()
        if let first = words.first, declarationKinds.contains(first) { words.removeFirst() }
        guard let name = words.first?.prefix(while: { $0.isLetter || $0.isNumber || $0 == "_" }), !name.isEmpty else {
            return nil
        }
        return String(name)
    }
}
