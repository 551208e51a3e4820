/// Names a resource of a tiled log (C2SP tlog-tiles): a tile of hashes or a bundle of entries.
public struct TilePath: Sendable, Hashable, CustomStringConvertible {
    /// What a path names.
    public enum Content: Sendable, Hashable {
        /// The hashes of a level, which is 0 for leaves.
        case hashes(level: Int)
        /// Entries, 256 to a full bundle.
        case entries
    }

    /// What it names.
    public let content: Content
    /// The place within the level, from 0.
    public let index: Int64
    /// How many hashes or entries it has, 1 to 256.
    public let width: Int64

    /// Names a resource; nil unless level, index and width can be those of one.
    public init?(_ content: Content, index: Int64, width: Int64 = MerkleTile.width) {
        if case .hashes(let level) = content, !(0..<MerkleTile.maximumLevel).contains(level) { return nil }
        // 2^55 bundles have all the leaves that a position can count.
        guard (0..<1 << 55).contains(index), (1...MerkleTile.width).contains(width) else { return nil }
        self.content = content
        self.index = index
        self.width = width
    }

    /// Reads `tile/<L>/<N>[.p/<W>]` or `tile/entries/<N>[.p/<W>]`; nil for any other spelling.
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
        // One spelling only: no sign, no leading zero, no needless element.
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

    /// The first index of the level, or of the entries, that it holds, from 0.
    public var firstIndex: Int64 { index * MerkleTile.width }
    /// The last one.
    public var lastIndex: Int64 { firstIndex + width - 1 }

    /// How many hashes of this level, or entries, a log of `size` entries has.
    public func count(inLogOf size: Int64) -> Int64 {
        if case .hashes(let level) = content { return size / MerkleTile.leaves(belowLevel: level) }
        return size
    }

    /// The resources that a log of `size` entries has of one kind, in order: full ones, and at most one partial.
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
