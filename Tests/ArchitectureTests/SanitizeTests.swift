import Testing

@Suite struct SanitizeTests {
    @Test(arguments: ["Tests/Sanitize/Package.swift", "Tests/Quick/Package.swift"])
    func `a package of some targets builds them as the main package does`(manifest: String) throws {
        let above = try Self.dependencies(of: "Package.swift")
        let some = try Self.dependencies(of: manifest)
        #expect(some.isEmpty == false)
        for (target, dependencies) in some {
            #expect(above[target] == dependencies, "\(target) differs")
        }
    }

    private static func dependencies(of manifest: String) throws -> [String: Set<String>] {
        let file = try #require(Checkout.file(manifest))
        return Dictionary(
            uniqueKeysWithValues: Manifest.targets(in: file.text).map { ($0.name, $0.dependencies) })
    }
}
