import Foundation
import Testing
import Text

/// The conformance test of Unicode 15.0, where the database is installed; never committed, because it is large.
private let conformanceTest: String? = {
    let directory = ProcessInfo.processInfo.environment["TENURE_TEST_UCD"] ?? "/usr/share/unicode"
    let plain = try? String(contentsOfFile: directory + "/NormalizationTest.txt", encoding: .utf8)
    let text = plain ?? output(of: ["bzip2", "-dc", directory + "/NormalizationTest.txt.bz2"])
    return text?.hasPrefix("# NormalizationTest-15.0.0.txt") == true ? text : nil
}()

@Suite struct `Normalization forms` {
    private func formC(_ values: [UInt32]) -> [UInt32] { Normalization.compose(Normalization.decompose(values)) }

    @Test(.enabled(if: conformanceTest != nil, "NOT TESTED: no NormalizationTest.txt of version 15.0.0 is installed"))
    func `every row of the Unicode conformance test holds`() throws {
        let text = try #require(conformanceTest)
        var part = ""
        var rows = 0
        var listed: Set<UInt32> = []
        var wrong: [Substring] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            if line.hasPrefix("@") {
                part = String(line.prefix(6))
                continue
            }
            let c = line.split(separator: ";").prefix(5).map { field in
                field.split(separator: " ").compactMap { UInt32($0, radix: 16) }
            }
            try #require(c.count == 5)
            rows += 1
            if part == "@Part1", let point = c[0].first { listed.insert(point) }
            let composed = c[0..<3].allSatisfy { formC($0) == c[1] } && c[3...].allSatisfy { formC($0) == c[3] }
            let decomposed =
                c[0..<3].allSatisfy { Normalization.decompose($0) == c[2] }
                && c[3...].allSatisfy { Normalization.decompose($0) == c[4] }
            if !composed || !decomposed { wrong.append(line) }
        }
        #expect(wrong.isEmpty, "\(wrong.count) rows, the first: \(wrong.first ?? "")")
        #expect(rows > 19_000)
        #expect(listed.count > 16_000)
        let changed = (UInt32(0)...0x10FFFF).filter { point in
            Unicode.Scalar(point) != nil && !listed.contains(point)
                && (formC([point]) != [point] || Normalization.decompose([point]) != [point])
        }
        #expect(changed.isEmpty, "characters outside part 1 are their own normal forms")
    }

    @Test func `a long run of marks is sorted without quadratic work`() {
        let marks: [UInt32] = (0..<200_000).map { $0 % 2 == 0 ? 0x301 : 0x323 }
        let result = Normalization.decompose([0x61] + marks)
        #expect(result.prefix(100_001).dropFirst().allSatisfy { $0 == 0x323 })
        #expect(result.suffix(100_000).allSatisfy { $0 == 0x301 })
    }

    @Test func `marks of one class keep their order`() {
        #expect(Normalization.decompose([0x61, 0x308, 0x301]) == [0x61, 0x308, 0x301])
        #expect(Normalization.decompose([0x61, 0x301, 0x308]) == [0x61, 0x301, 0x308])
    }

    @Test func `Hangul syllables are decomposed and composed by arithmetic`() {
        for syllable in UInt32(0xAC00)...0xD7A3 {
            let parts = Normalization.decompose([syllable])
            #expect(parts.count == ((syllable - 0xAC00) % 28 == 0 ? 2 : 3))
            #expect(Normalization.compose(parts) == [syllable])
        }
        #expect(Normalization.compose([0xAC01, 0x11A8]) == [0xAC01, 0x11A8])
        #expect(Normalization.compose([0xAC00, 0x11A7]) == [0xAC00, 0x11A7])
    }
}
