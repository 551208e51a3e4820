import Testing

@Suite struct ImportTests {
    @Test func `every import of every source file is in the table`() throws {
        var offences: [String] = []
        var seen = 0
        for (target, file) in try Checkout.sources() {
            for (number, line) in ImportLine.onThisPlatform(file.lines).enumerated() {
                guard let module = ImportLine.module(in: line) else { continue }
                seen += 1
                if !ImportTable.allows(module, in: target) {
                    offences.append("\(file.path):\(number + 1): \(target) may not import \(module)")
                }
            }
        }
        #expect(offences.isEmpty, "\(offences.joined(separator: "\n"))")
        #expect(seen > 20, "the sources were not found")
    }

    @Test func `every target has a row`() throws {
        let targets = Set(try Checkout.sources().map(\.target))
        #expect(targets.subtracting(ImportTable.rows.keys).sorted() == [])
    }

    @Test func `the manifest declares no dependency that the table forbids`() throws {
        let manifest = try #require(Checkout.file("Package.swift"))
        var offences: [String] = []
        for target in Manifest.targets(in: manifest.text) where !target.isForTests {
            guard let row = ImportTable.rows[target.name] else {
                offences.append("\(target.name) has no row")
                continue
            }
            let forbidden = target.dependencies.subtracting(row.local).sorted()
            offences += forbidden.map { "\(target.name) may not depend on \($0)" }
        }
        #expect(offences.isEmpty, "\(offences.joined(separator: "\n"))")
    }

    @Test func `only the command that offers it imports the development service`() {
        let importers = ImportTable.rows.filter { $0.value.local.contains("LocalDevelopment") }.keys
        #expect(importers.sorted() == ["tenure"])
    }

    @Test func `the table has no cycle`() {
        var left = ImportTable.rows.mapValues(\.local)
        while let leaf = left.first(where: { $0.value.isEmpty })?.key {
            left[leaf] = nil
            for target in left.keys { left[target]?.remove(leaf) }
        }
        #expect(left.keys.sorted() == [], "these import each other")
    }

    @Test func `a pure target imports pure targets only`() {
        for (target, row) in ImportTable.rows where row.isPure {
            for imported in row.local {
                #expect(ImportTable.rows[imported]?.isPure == true, "\(target) imports \(imported)")
            }
        }
    }

    @Test(arguments: [
        ("import Crypto", "Crypto"), ("public import Canonical", "Canonical"),
        ("@preconcurrency import Dispatch", "Dispatch"),
        ("@_exported public import struct Foundation.UUID", "Foundation"),
        ("    internal import enum Crypto.Insecure // why", "Crypto"), ("@testable import tenure", "tenure"),
    ])
    func `an import is recognised in every form`(line: String, module: String) {
        #expect(ImportLine.module(in: line) == module)
    }

    @Test func `only the branch for other platforms is ignored`() {
        let lines: [Substring] = [
            "#if canImport(FoundationEssentials)", "import FoundationEssentials", "#else", "import Foundation",
            "#endif",
            "#if DEBUG", "import Crypto", "#else", "import Dispatch", "#endif",
        ]
        let modules = ImportLine.onThisPlatform(lines).compactMap { ImportLine.module(in: $0) }
        #expect(modules == ["FoundationEssentials", "Crypto", "Dispatch"])
    }

    @Test(arguments: ["// import Crypto", "let important = 1", "/// import Crypto", "importance()", "import", ""])
    func `text that only looks like an import is ignored`(line: String) {
        #expect(ImportLine.module(in: line) == nil)
    }
}
