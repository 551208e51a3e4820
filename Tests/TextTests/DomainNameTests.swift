import Foundation
import Testing

@testable import Text

/// The interpreter that runs the oracle; it needs no module of its own.
private let python = "python3"
private let hasOracle = output(of: [python, besideThisFile("idna_oracle.py"), "random", "1", "1"]) != nil

/// One line of the oracle: a name as entered, and the name in ASCII or `!`.
private struct NamePair {
    let name: String
    let expected: String
    let line: String

    init?(_ line: Substring) {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard fields.count == 3, let name = scalars(fields[0]) else { return nil }
        self.name = name
        expected = String(fields[1])
        self.line = String(line)
    }

    var actual: String { DomainName(name)?.ascii ?? "!" }

    static func read(_ text: String) -> (pairs: [NamePair], strays: Int) {
        let lines = text.split(separator: "\n")
        let pairs = lines.compactMap { NamePair($0) }
        return (pairs, lines.count - pairs.count)
    }
}

@Suite struct `Domain names` {
    @Test func `have the A-labels of libidn2 in every committed pair`() throws {
        let text = try String(contentsOfFile: besideThisFile("idna.tsv"), encoding: .utf8)
        let (pairs, strays) = NamePair.read(text)
        #expect(strays == 0)
        #expect(pairs.count >= 1_000)
        #expect(pairs.count { $0.expected == "!" } >= 200)
        for pair in pairs { #expect(pair.actual == pair.expected, "\(pair.line)") }
    }

    @Test(.enabled(if: hasOracle, "NOT TESTED: the oracle needs libidn2 2.3.3"))
    func `have the A-labels of libidn2 for 20,000 random names`() throws {
        let seed = UInt32.random(in: 0...UInt32.max)
        let text = try #require(output(of: [python, besideThisFile("idna_oracle.py"), "random", "20000", "\(seed)"]))
        let (pairs, strays) = NamePair.read(text)
        #expect(strays == 0)
        #expect(pairs.count == 20_000)
        let wrong = pairs.filter { $0.actual != $0.expected }
        #expect(wrong.isEmpty, "seed \(seed): \(wrong.count) differ, the first: \(wrong.first?.line ?? "")")
    }

    @Test(.enabled(if: hasOracle, "NOT TESTED: the oracle needs libidn2 2.3.3"))
    func `are committed as the oracle gives them out`() throws {
        let text = try #require(output(of: [python, besideThisFile("idna_oracle.py"), "golden"]))
        #expect(try text == String(contentsOfFile: besideThisFile("idna.tsv"), encoding: .utf8))
    }

    @Test func `are read back from their A-labels and from their U-labels`() throws {
        let text = try String(contentsOfFile: besideThisFile("idna.tsv"), encoding: .utf8)
        for pair in NamePair.read(text).pairs {
            guard let name = DomainName(pair.name) else { continue }
            #expect(DomainName(name.ascii) == name && DomainName(name.unicode) == name, "\(pair.line)")
            #expect(DomainName(name.ascii)?.unicode == name.unicode, "\(pair.line)")
            #expect(name.ascii.utf8.allSatisfy { $0 < 0x80 } && name.ascii.utf8.count <= DomainName.maximumBytes)
            // Whatever else an A-label folds to, it folds to itself; so does a U-label without the characters kept.
            #expect(name.foldings.contains(name.ascii), "\(pair.line)")
        }
    }

    @Test func `come from a table that ends where its counts say`() {
        #expect(IDNATables.version15.isComplete)
    }

    @Test func `differ in what the folding of names makes equal`() throws {
        for (first, second) in [
            ("straße.example", "strasse.example"), ("λόγος.example", "λόγοσ.example"),
            ("नामक्\u{200D}ष.example", "नामक्ष.example"), ("نامه\u{200C}ای.example", "نامهای.example"),
        ] {
            #expect(try CanonicalText(first) == CanonicalText(second))
            #expect(try #require(DomainName(first)) != #require(DomainName(second)), "\(first)")
        }
    }
}

/// The samples of RFC 3492, section 7.1, in lower case.
@Suite struct `The Punycode of a label` {
    private static let samples: [(text: String, encoded: String)] = [
        ("ليهمابتكلموشعربي؟", "egbpdaj6bu4bxfgehfvwxn"), ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
        ("他們爲什麽不說中文", "ihqwctvzc91f659drss3x8bo0yb"), ("pročprostěnemluvíčesky", "proprostnemluvesky-uyb24dma41a"),
        ("למההםפשוטלאמדבריםעברית", "4dbcagdahymbxekheh6e0a7fei0b"),
        ("なぜみんな日本語を話してくれないのか", "n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa"),
        ("porquénopuedensimplementehablarenespañol", "porqunopuedensimplementehablarenespaol-fmd56a"),
        ("3年b組金八先生", "3b-ww4c5e180e575a65lsy2b"),
        ("安室奈美恵-with-super-monkeys", "-with-super-monkeys-pc58ag80a8qai00g7n9n"),
        ("majiでkoiする5秒前", "majikoi5-783gue6qz075azm5e"), ("-> $1.00 <-", "-> $1.00 <--"), ("", ""),
    ]

    @Test func `encodes and decodes the samples`() throws {
        for (text, encoded) in Self.samples {
            let points = text.unicodeScalars.map(\.value)
            #expect(Punycode.encode(points) == Array(encoded.utf8), "\(text)")
            #expect(Punycode.decode(Array(encoded.utf8)) == points, "\(text)")
        }
    }

    @Test(arguments: ["99999999", "zzzzzzzzzzzz", "a_", "ü", "99999b", "0", "a-\u{0}"])
    func `refuses what overflows or is cut off`(text: String) {
        #expect(Punycode.decode(Array(text.utf8)) == nil)
    }

    @Test func `decodes whatever it encodes, and never fails otherwise`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let points = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                Bool.random(using: &generator)
                    ? UInt32.random(in: 0x20..<0x80, using: &generator)
                    : UInt32.random(in: 0x80..<0xD800, using: &generator)
            }
            #expect(Punycode.encode(points).flatMap(Punycode.decode) == points)
            _ = Punycode.decode((0..<20).map { _ in UInt8.random(in: 0x2D...0x7A, using: &generator) })
        }
    }
}
