import Testing

@Suite struct SanitizeTests {
    @Test func `the sanitizer package builds the same targets as the main package`() throws {
        let above = try Self.dependencies(of: "Package.swift")
        let sanitized = try Self.dependencies(of: "Tests/Sanitize/Package.swift")
        #expect(sanitized.isEmpty == false)
        for (target, dependencies) in sanitized {
            #expect(above[target] == dependencies, "\(target) differs")
        }
    }

    private static func dependencies(of manifest: String) throws -> [String: Set<String>] {
        let file = try #require(Checkout.file(manifest))
        return Dictionary(
            uniqueKeysWithValues: Manifest.targets(in: file.text).map { ($0.name, $0.dependencies) })
    }
}
