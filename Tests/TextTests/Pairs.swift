import Foundation
import Text

/// One line of the oracle: a rule, a text, and the result or the code of the refusal.
struct Pair {
    let rule: TextRule
    let input: String
    let expected: String
    let line: String

    init?(_ line: Substring) {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard fields.count == 3, let number = UInt16(fields[0]), let rule = TextRule(rawValue: number),
            let input = scalars(fields[1])
        else { return nil }
        self.rule = rule
        self.input = input
        expected = String(fields[2])
        self.line = String(line)
    }

    /// What the implementation makes of the input, written as the oracle writes it.
    var actual: String { outcome(rule, input) }

    /// The pairs of a text, and the number of lines that are none.
    static func read(_ text: String) -> (pairs: [Pair], strays: Int) {
        let lines = text.split(separator: "\n")
        let pairs = lines.compactMap { Pair($0) }
        return (pairs, lines.count - pairs.count)
    }
}

/// The canonical form as code points in hexadecimal, or `!` and the code of the refusal.
func outcome(_ rule: TextRule, _ input: String) -> String {
    do throws(TextError) {
        return hexadecimal(String(decoding: try rule.canonicalize(input), as: UTF8.self).unicodeScalars.map(\.value))
    } catch {
        return "!\(error.code)"
    }
}

func hexadecimal(_ values: [UInt32]) -> String {
    values.map { value in
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }.joined(separator: " ")
}

func scalars(_ text: Substring) -> String? {
    var result = String.UnicodeScalarView()
    for part in text.split(separator: " ") {
        guard let value = UInt32(part, radix: 16), let scalar = Unicode.Scalar(value) else { return nil }
        result.append(scalar)
    }
    return String(result)
}

func besideThisFile(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(name).path
}

/// The output of a command, or nil when it could not be run or failed.
func output(of arguments: [String]) -> String? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? String(data: data, encoding: .utf8) : nil
}
