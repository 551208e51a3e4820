/// Reads the targets of a package and what each depends on from the text of its manifest.
enum Manifest {
    /// One target.
    struct Target {
        let name: String
        /// The other targets of the package that it depends on.
        let dependencies: Set<String>
        /// Whether it is made for tests, for measurements or as an example, and ships with nothing.
        let isForTests: Bool
    }

    /// All targets in the order of the manifest.
    static func targets(in text: String) -> [Target] {
        let declarations = declarations(in: text)
        let names = Set(declarations.map(\.name))
        return declarations.map { name, body, isTest in
            Target(
                name: name, dependencies: strings(in: body).intersection(names).subtracting([name]),
                isForTests: isTest
                    || ["Tests/", "Benchmarks/", "Examples/"].contains { body.contains("path: \"\($0)") })
        }
    }

    private static let openings = [".target(", ".executableTarget(", ".systemLibrary(", ".testTarget("]

    private static func declarations(in text: String) -> [(name: String, body: Substring, isTest: Bool)] {
        var found: [(String, Substring, Bool)] = []
        for opening in openings {
            var rest = text[...]
            while let start = rest.firstRange(of: opening) {
                let body = balanced(rest[start.upperBound...])
                if let name = firstString(in: body) { found.append((name, body, opening == ".testTarget(")) }
                rest = rest[start.upperBound...]
            }
        }
        return found
    }

    /// The text up to the parenthesis that closes the one before it.
    private static func balanced(_ text: Substring) -> Substring {
        var depth = 1
        for index in text.indices {
            if text[index] == "(" { depth += 1 }
            if text[index] == ")" { depth -= 1 }
            if depth == 0 { return text[..<index] }
        }
        return text
    }

    private static func firstString(in text: Substring) -> String? {
        let parts = text.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 3 ? String(parts[1]) : nil
    }

    private static func strings(in text: Substring) -> Set<String> {
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        return Set(parts.indices.filter { $0 % 2 == 1 }.map { String(parts[$0]) })
    }
}
