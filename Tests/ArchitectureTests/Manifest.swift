/// Reads the targets of this package and what each depends on from the text of `Package.swift`.
enum Manifest {
    /// The local dependencies of every target that is not a test target.
    static func localDependencies(in text: String) -> [(target: String, dependencies: Set<String>)] {
        let declarations = targetDeclarations(in: text)
        let names = Set(declarations.map(\.name))
        return declarations.map { ($0.name, strings(in: $0.body).intersection(names).subtracting([$0.name])) }
    }

    private static let openings = [".target(", ".executableTarget(", ".systemLibrary("]

    private static func targetDeclarations(in text: String) -> [(name: String, body: Substring)] {
        var found: [(String, Substring)] = []
        for opening in openings {
            var rest = text[...]
            while let start = rest.firstRange(of: opening) {
                let body = balanced(rest[start.upperBound...])
                if let name = firstString(in: body) { found.append((name, body)) }
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
