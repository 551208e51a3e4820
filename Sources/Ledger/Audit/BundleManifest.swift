public import Canonical
import FoundationEssentials

/// The contents of a bundle, as its file `manifest.json` (canonical JSON) lists them.
///
/// A reader need not trust it: checkpoints are signed, entries are proved against their roots, and counts are checked.
public struct BundleManifest: Sendable, Equatable {
    /// How a bundle stores the entries of a ledger.
    public enum Content: String, Sendable {
        /// All entries of the checkpoint, as a tiled log (C2SP tlog-tiles) in a directory of its own.
        case whole
        /// Some entries, each with its inclusion proof.
        case part
    }

    /// One ledger of a bundle.
    public struct Part: Sendable, Equatable {
        /// The ledger.
        public let ledger: LedgerID
        /// How the bundle stores its entries.
        public let content: Content
        /// The size of the checkpoint that the entries are proved against.
        public let size: Int64
        /// How many entries the bundle has of this ledger.
        public let entries: Int64
    }

    /// The version of the format.
    static let version: Int64 = 1
    static let fileName = "manifest.json"
    static let maximumLength = 64 << 20

    /// The key that signed the checkpoints, according to the maker of the bundle. Compare it with a key from another
    /// source.
    public let key: LogKey
    /// The time at which the bundle was made.
    public let made: Timestamp
    /// What the maker of the bundle asked for, as a JSON object.
    public let filter: JSONValue
    /// The ledgers, in the order of their ids.
    public let parts: [Part]

    var bytes: [UInt8] {
        let parts = parts.map { part -> JSONValue in
            .object([
                "ledger": .uuid(part.ledger.uuid), "content": .string(part.content.rawValue),
                "size": .integer(part.size), "entries": .integer(part.entries),
            ])
        }
        return JSONValue.object([
            "format": "tenure-bundle", "version": .integer(Self.version), "key": .string(key.description),
            "made": .timestamp(made), "filter": filter, "ledgers": .array(parts),
        ]).canonicalBytes()
    }

    init(key: LogKey, made: Timestamp, filter: JSONValue, parts: [Part]) {
        self.key = key
        self.made = made
        self.filter = filter
        self.parts = parts
    }

    init(parsing bytes: [UInt8]) throws(ProofError) {
        do {
            try self.init(reading: CanonicalJSON.parse(bytes, limits: .init(bytes: Self.maximumLength)))
        } catch {
            throw ProofError(.bundleInvalid, "the manifest is not one of a bundle: \(error)")
        }
    }

    private init(reading value: JSONValue) throws(JSONError) {
        var reader = try ObjectReader(value)
        guard try reader.string("format") == "tenure-bundle" else {
            throw reader.invalid("format", "tenure-bundle is expected")
        }
        _ = try reader.integer("version", in: Self.version...Self.version)
        guard let key = LogKey(try reader.string("key")) else { throw reader.invalid("key", "a key is expected") }
        self.key = key
        made = try reader.timestamp("made")
        filter = try reader.value("filter")
        var parts: [Part] = []
        for var part in try reader.objects("ledgers") {
            let ledger = LedgerID(try part.uuid("ledger"))
            guard let content = Content(rawValue: try part.string("content")) else {
                throw part.invalid("content", "whole or part is expected")
            }
            let size = try part.integer("size", in: 1...JSONValue.integerRange.upperBound)
            let least = content == .whole ? size : 0
            parts.append(
                Part(
                    ledger: ledger, content: content, size: size,
                    entries: try part.integer("entries", in: least...size)))
            try part.finish()
        }
        // The order is strict, so no ledger can be listed twice.
        for (one, next) in zip(parts, parts.dropFirst()) where !(one.ledger < next.ledger) {
            throw reader.invalid("ledgers", "ledgers are expected in the order of their ids, each once")
        }
        self.parts = parts
        try reader.finish()
    }
}

/// One entry of a partly exported ledger, with its inclusion proof.
struct BundleLine: Sendable, Equatable {
    let entry: [UInt8]
    let index: Int64
    let path: [[UInt8]]

    /// A length in bytes that exceeds the longest entry with a proof of 63 hashes.
    static let maximumLength = 65_535 + 4_096

    private static let beginning = Array(#"{"entry":"#.utf8)
    private static let middle = Array(#","index":"#.utf8)
    private static let hashes = #","proof":["#

    /// The line, including its line feed.
    var bytes: [UInt8] {
        let proof = path.map { "\"\(Base64.encode($0))\"" }.joined(separator: ",")
        return Self.beginning + entry + Self.middle + Array("\(index)\(Self.hashes)\(proof)]}\n".utf8)
    }

    init(entry: [UInt8], index: Int64, path: [[UInt8]]) {
        self.entry = entry
        self.index = index
        self.path = path
    }

    /// Reads a line without its line feed. Returns `nil` for any other form. The entry itself is not parsed.
    init?(parsing line: ArraySlice<UInt8>) {
        // Neither index nor proof can contain `,"index":`, so its last occurrence is the right one.
        guard line.starts(with: Self.beginning), let middle = Self.lastMiddle(line) else { return nil }
        let end = String(decoding: line[(middle + Self.middle.count)...], as: UTF8.self)
        guard let range = end.firstRange(of: Self.hashes), let index = DecimalNumber.parse(end[..<range.lowerBound]),
            end.hasSuffix("]}")
        else { return nil }
        let list = end[range.upperBound...].dropLast(2)
        var path: [[UInt8]] = []
        for item in list.isEmpty ? [] : list.split(separator: ",", omittingEmptySubsequences: false) {
            guard item.utf8.count == 46, item.first == "\"", item.last == "\"", path.count < 63,
                let hash = Base64.decode(String(item.dropFirst().dropLast())), hash.count == 32
            else { return nil }
            path.append(hash)
        }
        self.init(entry: Array(line[(line.startIndex + Self.beginning.count)..<middle]), index: index, path: path)
    }

    private static func lastMiddle(_ line: ArraySlice<UInt8>) -> Int? {
        var place = line.endIndex - middle.count
        while place >= line.startIndex + beginning.count {
            if line[place] == middle[0], line[place...].starts(with: middle) { return place }
            place -= 1
        }
        return nil
    }
}
