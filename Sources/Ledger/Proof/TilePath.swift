/// The path of a resource of a tiled log (C2SP tlog-tiles): a tile of hashes or a bundle of entries.
public struct TilePath: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of resource.
    public enum Content: Sendable, Hashable {
        /// A tile of hashes of one level; level 0 holds the leaves.
        case hashes(level: Int)
        /// A bundle of entries, 256 if it is full.
        case entries
    }

    /// The kind of resource.
    public let content: Content
    /// The place within the level, from 0.
    public let index: Int64
    /// How many hashes or entries the resource has, 1 to 256.
    public let width: Int64

    /// The path of a resource. Returns `nil` if level, index or width is out of range.
    public init?(_ content: Content, index: Int64, width: Int64 = MerkleTile.width) {
        if case .hashes(let level) = content, !(0..<MerkleTile.maximumLevel).contains(level) { return nil }
        // 2^55 bundles hold as many leaves as positions can count.
        guard (0..<1 << 55).contains(index), (1...MerkleTile.width).contains(width) else { return nil }
        self.content = content
        self.index = index
        self.width = width
    }

    /// Parses `tile/<L>/<N>[.p/<W>]` or `tile/entries/<N>[.p/<W>]`. Returns `nil` for any other spelling.
    public init?(_ text: String) {
        var parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 3, parts.count <= 12, parts[0] == "tile" else { return nil }
        let content: Content
        if parts[1] == "entries" {
            content = .entries
        } else {
            guard let level = Int(parts[1]) else { return nil }
            content = .hashes(level: level)
        }
        parts.removeFirst(2)
        var width = MerkleTile.width
        if parts.count >= 2, parts[parts.count - 2].hasSuffix(".p") {
            guard let number = Int64(parts.removeLast()), number < MerkleTile.width else { return nil }
            width = number
            parts[parts.count - 1].removeLast(2)
        }
        guard let index = Self.index(of: parts) else { return nil }
        self.init(content, index: index, width: width)
        // There is one spelling only: no sign, no leading zero, no superfluous element.
        guard description.utf8.elementsEqual(text.utf8) else { return nil }
    }

    private static func index(of parts: [Substring]) -> Int64? {
        var index: Int64 = 0
        for (place, part) in parts.enumerated() {
            let digits = place < parts.count - 1 ? part.dropFirst() : part
            guard digits.utf8.count == 3, let number = Int64(digits), number >= 0, index < 1 << 50 else { return nil }
            index = index * 1_000 + number
        }
        return index
    }

    /// The path, without a slash in front.
    public var description: String {
        var number = index
        var text = Self.threeDigits(number % 1_000)
        while number >= 1_000 {
            number /= 1_000
            text = "x\(Self.threeDigits(number % 1_000))/" + text
        }
        let name =
            switch content {
            case .hashes(let level): String(level)
            case .entries: "entries"
            }
        return "tile/\(name)/\(text)" + (width == MerkleTile.width ? "" : ".p/\(width)")
    }

    private static func threeDigits(_ number: Int64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: 3 - digits.utf8.count) + digits
    }

    /// The index of its first hash or entry, from 0.
    public var firstIndex: Int64 { index * MerkleTile.width }
    /// The index of its last hash or entry.
    public var lastIndex: Int64 { firstIndex + width - 1 }

    /// How many hashes of this level, or how many entries, a log of `size` entries has.
    public func count(inLogOf size: Int64) -> Int64 {
        if case .hashes(let level) = content { return size / MerkleTile.leaves(belowLevel: level) }
        return size
    }

    /// Returns all resources of one kind in a log of `size` entries, in order: full ones, then at most one partial one.
    public static func all(_ content: Content, size: Int64) -> [TilePath] {
        var width = size
        if case .hashes(let level) = content { width = size / MerkleTile.leaves(belowLevel: level) }
        var paths: [TilePath] = []
        for index in 0..<(width + MerkleTile.width - 1) / MerkleTile.width {
            let rest = width - index * MerkleTile.width
            if let path = TilePath(content, index: index, width: min(rest, MerkleTile.width)) { paths.append(path) }
        }
        return paths
    }
}

/// The encoding of a bundle of entries in a tiled log (C2SP tlog-tiles): each entry follows its length, two bytes
/// big-endian.
public enum EntryBundle {
    /// Encodes entries in order. An entry has at most 65,535 bytes.
    public static func encode(_ entries: some Sequence<[UInt8]>) -> [UInt8] {
        var bytes: [UInt8] = []
        for entry in entries {
            bytes.append(UInt8(truncatingIfNeeded: entry.count >> 8))
            bytes.append(UInt8(truncatingIfNeeded: entry.count))
            bytes.append(contentsOf: entry)
        }
        return bytes
    }

    /// Decodes the entries of a bundle.
    ///
    /// - Throws: ``ProofError/Code/malformed`` unless the lengths add up to the bytes.
    public static func decode(_ bytes: [UInt8]) throws(ProofError) -> [[UInt8]] {
        var entries: [[UInt8]] = []
        var place = 0
        while place < bytes.count {
            guard bytes.count - place >= 2 else { throw ProofError(.malformed, "a bundle of entries is cut off") }
            let length = Int(bytes[place]) << 8 | Int(bytes[place + 1])
            place += 2
            guard bytes.count - place >= length else { throw ProofError(.malformed, "a bundle of entries is cut off") }
            entries.append(Array(bytes[place..<place + length]))
            place += length
        }
        return entries
    }
}
