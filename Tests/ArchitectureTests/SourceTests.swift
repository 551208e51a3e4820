import Testing

@Suite struct SourceTests {
    @Test func `no file names the folder beside the checkout`() throws {
        // Spelt in two parts, or this file would find itself.
        let forbidden = ".." + "/shared"
        var files = try ["Sources", "Tests", "schema", "scripts", "docs", "docker", "Benchmarks", "Examples"].flatMap {
            try Checkout.files(in: $0)
        }
        files += ["Package.swift", "Makefile", "README.md", "docker-compose.yml", ".ci/run"]
            .compactMap(Checkout.file)
        #expect(files.count > 20, "the project was not found")
        #expect(files.filter { $0.text.contains(forbidden) }.map(\.path) == [])
    }

    @Test func `no source contains fatalError or a forced try`() throws {
        let forbidden = ["fatalError(", "try" + "!", "unowned(unsafe)"]
        var offences: [String] = []
        for (_, file) in try Checkout.sources() {
            for (number, line) in file.lines.enumerated() where !isComment(line) {
                for word in forbidden where line.contains(word) {
                    offences.append("\(file.path):\(number + 1): \(word)")
                }
            }
        }
        #expect(offences.isEmpty, "\(offences.joined(separator: "\n"))")
    }

    @Test func `every unchecked annotation has a comment that justifies it`() throws {
        let promises = ["@unchecked Sendable", "nonisolated(unsafe)"]
        var offences: [String] = []
        for (_, file) in try Checkout.sources() {
            let lines = file.lines
            for (number, line) in lines.enumerated() where !isComment(line) {
                guard promises.contains(where: line.contains) else { continue }
                let nearby = lines[max(0, number - 4)...min(lines.count - 1, number + 1)]
                if !nearby.contains(where: { $0.contains("//") }) { offences.append("\(file.path):\(number + 1)") }
            }
        }
        #expect(offences.isEmpty, "no sentence of proof beside:\n\(offences.joined(separator: "\n"))")
    }

    private func isComment(_ line: Substring) -> Bool {
        line.drop(while: { $0 == " " }).hasPrefix("//")
    }
}
