import Foundation
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

    @Test(arguments: [
        "Package.swift", "Tests/Sanitize/Package.swift", "Tests/Quick/Package.swift",
        "Examples/ProtectedAPI/Package.swift",
    ])
    func `a commit names one version of each dependency, the same in every manifest`(manifest: String) throws {
        let resolved = try #require(Checkout.file("deploy/versions.resolved"))
        let packages = try #require(Checkout.file(manifest)).text.split(separator: "\n").filter {
            $0.contains(".package(url:")
        }
        #expect(!packages.isEmpty)
        for package in packages {
            let words = package.split(separator: "\"").map(String.init)
            let name = words.count > 3 ? words[1].split(separator: "/").last.map { $0.lowercased() } ?? "" : ""
            #expect(words.count > 3 && words[2] == ", exact: ", "\(package) names no exact version")
            let pin = resolved.text.components(separatedBy: "\"identity\" : ").first { $0.hasPrefix("\"\(name)\"") }
            #expect(pin?.contains("\"version\" : \"\(words[3])\"") == true, "\(package) is recorded otherwise")
        }
    }

    private static func dependencies(of manifest: String) throws -> [String: Set<String>] {
        let file = try #require(Checkout.file(manifest))
        return Dictionary(
            uniqueKeysWithValues: Manifest.targets(in: file.text).map { ($0.name, $0.dependencies) })
    }
}
