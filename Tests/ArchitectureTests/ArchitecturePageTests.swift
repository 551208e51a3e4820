import Foundation
import Testing

/// Holds what the pages say of targets, capabilities and files against the checkout.
@Suite struct ArchitecturePageTests {
    /// The targets that are divided by capability, in the order of the table.
    static let targets = [
        "Identity", "IdentityService", "Projections", "TenureServer", "TenureAPI", "HTTPAPI", "TenureClient", "tenure",
    ]
    static let capabilities = [
        "Registration", "Login", "MPin", "Mail", "Credentials", "Devices", "Recovery", "Administration", "Sessions",
        "Tokens", "OpenID", "Pages",
        "Audit", "Operations", "Flows", "Shared",
    ]
    /// Folders of these targets that are no capability.
    static let otherFolders: Set<String> = ["TenureClient/TenureClient.docc"]
    static let mostFilesOfWalk = 40

    @Test(arguments: [
        "docs/ARCHITECTURE.md", "docs/authority.md", "CONTRIBUTING.md", "docs/credentials.md", "docs/client.md",
    ])
    func `every path that a page names exists`(page: String) throws {
        let paths = Self.paths(in: try #require(Checkout.file(page)).lines)
        #expect(paths.isEmpty == false)
        let missing = paths.filter { path in
            !FileManager.default.fileExists(atPath: Checkout.root.appendingPathComponent(path).path)
        }
        #expect(missing.sorted() == [])
    }

    @Test func `the diagram names all capabilities and the targets that each target may import`() throws {
        let blocks = try Self.page().text.split(separator: "```\n", omittingEmptySubsequences: false)
        try #require(blocks.count > 1)
        var columns: [String] = [], drawn: Set<String> = []
        for line in blocks[1].split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init).filter { $0 != "│" }
            guard let target = words.first, let row = ImportTable.rows[target], words != [target] else {
                columns += words.filter { Self.capabilities.contains($0) }
                continue
            }
            drawn.insert(target)
            let imports = target == "tenure" ? row.local : Set(words.dropFirst()).intersection(ImportTable.rows.keys)
            #expect(imports == row.local, "\(target)")
        }
        #expect(columns == Self.capabilities)
        #expect(drawn == Set(ImportTable.rows.keys))
    }

    @Test func `the table of capabilities marks exactly the existing folders`() throws {
        let lines = try Self.page().lines.drop { !$0.hasPrefix("| capability |") }.prefix { $0.hasPrefix("|") }
        let table = lines.map { line in
            line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
        #expect(table.first.map { Array($0.dropFirst(2)) } == Self.targets)
        var marked: Set<String> = []
        let rows = table.dropFirst(2)
        for row in rows {
            #expect(row.count == Self.targets.count + 2)
            for (target, mark) in zip(Self.targets, row.dropFirst(2)) {
                #expect(["", "●"].contains(mark))
                if mark == "●" { marked.insert("\(target)/\(row[0])") }
            }
        }
        #expect(rows.map { $0[0] } == Self.capabilities)
        let folders = try Self.folders()
        #expect(marked.subtracting(folders).sorted() == [], "marked without a folder")
        #expect(folders.subtracting(marked).sorted() == [], "folders without a mark")
    }

    @Test func `every folder of a target is a capability`() throws {
        let strange = try Self.folders().filter { folder in
            !Self.capabilities.contains { folder.hasSuffix("/" + $0) }
        }
        #expect(strange.sorted() == [])
    }

    @Test func `every Swift file lies in a capability`() throws {
        let folders = try Self.folders()
        var found: Set<String> = []
        for (target, file) in try Checkout.sources() where Self.targets.contains(target) {
            let folder = file.path.split(separator: "/").dropFirst().prefix(2).joined(separator: "/")
            #expect(folders.contains(folder), "\(file.path)")
            found.insert(folder)
        }
        #expect(found == folders)
    }

    @Test func `the walk of a log-in names as many files as it claims, within the limit`() throws {
        let section = try Self.page().lines.drop { $0 != "## One log-in" }.dropFirst().prefix { !$0.hasPrefix("## ") }
        let files = Self.paths(in: Array(section)).filter { $0.hasPrefix("Sources/") || $0.hasPrefix("schema/") }
        #expect(files.count > 20 && files.count <= Self.mostFilesOfWalk)
        let words = section.joined(separator: " ")
        #expect(words.contains("the walk names \(files.count) files"))
        #expect(files.filter { Checkout.file($0) == nil }.sorted() == [])
    }

    private static func page() throws -> Checkout.File { try #require(Checkout.file("docs/ARCHITECTURE.md")) }

    /// The folders directly below the targets, such as `Identity/Login`, without those that are no capability.
    private static func folders() throws -> Set<String> {
        var folders: Set<String> = []
        for target in targets {
            let root = Checkout.root.appendingPathComponent("Sources/\(target)")
            let found = try FileManager.default.contentsOfDirectory(
                at: root, includingPropertiesForKeys: [.isDirectoryKey], options: [.skipsHiddenFiles])
            for url in found {
                guard try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true else { continue }
                folders.insert("\(target)/\(url.lastPathComponent)")
            }
        }
        return folders.subtracting(otherFolders)
    }

    /// The paths in backticks, up to a space, that begin with a folder of the checkout.
    private static func paths(in lines: [Substring]) -> Set<String> {
        Set(
            lines.flatMap { line in
                line.matches(of: /`((?:Sources|Tests|schema|scripts|docs)\/[^` ]*)/).map { String($0.output.1) }
            })
    }
}
