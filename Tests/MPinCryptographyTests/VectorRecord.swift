import Foundation

/// One record of M-Pin vectors, in either form in which Apache Milagro published them: lines of `KEY = value,` with an
/// empty line after each record, or a JSON array of objects.
struct VectorRecord: Sendable {
    enum Failure: Error {
        case missing(String)
        case malformed(String)
    }

    private let fields: [String: String]

    /// The records of the committed file.
    static func own() throws -> [VectorRecord] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        return try read(Data(contentsOf: folder.appendingPathComponent("vectors/own.txt")))
    }

    /// The records of a file in one of the two forms.
    static func read(_ data: Data) throws -> [VectorRecord] {
        let text = String(decoding: data, as: UTF8.self)
        if text.first(where: { !$0.isWhitespace }) == "[" { return try readJSON(data) }
        var records: [VectorRecord] = []
        var fields: [String: String] = [:]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            if trimmed.isEmpty {
                if !fields.isEmpty { records.append(VectorRecord(fields: fields)) }
                fields = [:]
                continue
            }
            guard let equals = trimmed.range(of: " = "), trimmed.hasSuffix(",") else {
                throw Failure.malformed(trimmed)
            }
            fields[String(trimmed[..<equals.lowerBound])] = String(trimmed[equals.upperBound...].dropLast())
        }
        if !fields.isEmpty { records.append(VectorRecord(fields: fields)) }
        return records
    }

    private static func readJSON(_ data: Data) throws -> [VectorRecord] {
        guard let objects = try JSONSerialization.jsonObject(with: data) as? [[String: Any]] else {
            throw Failure.malformed("JSON")
        }
        return objects.map { VectorRecord(fields: $0.mapValues { "\($0)" }) }
    }

    func text(_ key: String) throws -> String {
        guard let value = fields[key] else { throw Failure.missing(key) }
        return value
    }

    func bytes(_ key: String) throws -> [UInt8] {
        let digits = Array(try text(key).utf8)
        guard digits.count % 2 == 0 else { throw Failure.malformed(key) }
        return try stride(from: 0, to: digits.count, by: 2).map { index in
            guard let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) else {
                throw Failure.malformed(key)
            }
            return byte
        }
    }

    /// A scalar in 32 bytes. Published files write it with leading zeros, in the 48 bytes of a coordinate.
    func scalarBytes(_ key: String) throws -> [UInt8] {
        let bytes = try bytes(key)
        guard bytes.count >= 32, bytes.dropLast(32).allSatisfy({ $0 == 0 }) else { throw Failure.malformed(key) }
        return Array(bytes.suffix(32))
    }

    /// The two PINs, as text of equal length with at least four digits.
    func pins() throws -> (String, String) {
        let pins = try ["PIN1", "PIN2"].map(text)
        let count = max(4, pins[0].count, pins[1].count)
        let padded = pins.map { String(repeating: "0", count: count - $0.count) + $0 }
        return (padded[0], padded[1])
    }

    /// Whether the record says that the proof is right; the other verdict is -19.
    func isRight() throws -> Bool {
        switch try text("AuthResult") {
        case "0": true
        case "-19": false
        default: throw Failure.malformed("AuthResult")
        }
    }
}
