import Foundation
import Testing
import Text

/// The interpreter that holds the oracle's module; `python3` unless the environment names another.
private let python = ProcessInfo.processInfo.environment["TENURE_TEST_PYTHON"] ?? "python3"
private let hasOracle = output(of: [python, "-c", "import unicodedata2"]) != nil

@Suite struct `Golden pairs` {
    @Test func `every committed pair has the oracle's result`() throws {
        let text = try String(contentsOfFile: besideThisFile("golden.tsv"), encoding: .utf8)
        let (pairs, strays) = Pair.read(text)
        #expect(strays == 0)
        #expect(pairs.count >= 300)
        for rule in TextRule.allCases { #expect(pairs.contains { $0.rule == rule }) }
        for pair in pairs { #expect(pair.actual == pair.expected, "\(pair.line)") }
    }

    @Test(.enabled(if: hasOracle, "NOT TESTED: the oracle needs a Python with unicodedata2 15.0.0"))
    func `20,000 random strings have the oracle's result`() throws {
        let seed = UInt32.random(in: 0...UInt32.max)
        let text = try #require(output(of: [python, besideThisFile("oracle.py"), "random", "20000", "\(seed)"]))
        let (pairs, strays) = Pair.read(text)
        #expect(strays == 0)
        #expect(pairs.count == 20_000)
        let wrong = pairs.filter { $0.actual != $0.expected }
        #expect(wrong.isEmpty, "seed \(seed): \(wrong.count) differ, the first: \(wrong.first?.line ?? "")")
    }

    @Test(.enabled(if: hasOracle, "NOT TESTED: the oracle needs a Python with unicodedata2 15.0.0"))
    func `the oracle reproduces the committed pairs`() throws {
        let text = try #require(output(of: [python, besideThisFile("oracle.py"), "golden"]))
        #expect(try text == String(contentsOfFile: besideThisFile("golden.tsv"), encoding: .utf8))
    }
}
