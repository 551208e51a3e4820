import Canonical
import Foundation
import Testing

/// Golden files beside the tests: one `name = hex` per line. With TENURE_WRITE_VECTORS set they are written instead.
enum Vectors {
    static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("vectors")

    static func read(_ file: String) throws -> [String: [UInt8]] {
        let text = try String(contentsOf: directory.appendingPathComponent(file), encoding: .utf8)
        var values: [String: [UInt8]] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.components(separatedBy: " = ")
            try #require(parts.count == 2)
            let bytes: [UInt8] = try #require(Hex.decode(parts[1]))
            values[parts[0]] = bytes
        }
        return values
    }

    static var isWriting: Bool { ProcessInfo.processInfo.environment["TENURE_WRITE_VECTORS"] != nil }

    static func write(_ file: String, comment: String, _ values: [(String, [UInt8])]) throws {
        let lines = ["# \(comment)"] + values.map { "\($0.0) = \(Hex.encode($0.1))" }
        try (lines.joined(separator: "\n") + "\n")
            .write(to: directory.appendingPathComponent(file), atomically: true, encoding: .utf8)
    }
}
