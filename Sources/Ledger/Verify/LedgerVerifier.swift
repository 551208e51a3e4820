import Canonical

/// Follows the entries of one ledger in order and notices what does not fit; pure, so that a database and a bundle are
/// judged by the same rules.
///
/// Its memory does not grow with the ledger, but for the roots it is told to expect.
struct LedgerVerifier: Sendable {
    /// More violations of one ledger are not collected: they follow from the first, nearly always.
    static let maximumViolations = 100

    let ledger: LedgerID
    private(set) var violations: [Violation] = []
    /// The last position that was read.
    private(set) var size: Int64 = 0
    /// The time of the last event.
    private(set) var time: Timestamp?
    /// Full tiles since they were taken, made from entries.
    private(set) var tiles: [(level: Int, index: Int64, tile: MerkleTile)] = []
    private var levels: [[[UInt8]]] = [[]]
    private var frontier = MerkleFrontier()
    private var expected: ArraySlice<ExpectedRoot>
    /// The largest size whose root was right.
    private var proved: Int64 = 0
    /// After a gap there is no tree any more.
    private var hasTree = true

    init(ledger: LedgerID, expecting roots: [ExpectedRoot]) {
        self.ledger = ledger
        expected = roots.sorted { $0.size < $1.size }[...]
    }

    /// Takes the next entry.
    mutating func take(_ checked: CheckedEvent) {
        if checked.position != size + 1 {
            let words = checked.position == size + 2 ? "the event is missing" : "events are missing"
            report(Violation(.missing, ledger: ledger, position: size + 1, words))
            hasTree = false
        }
        size = checked.position
        if let violation = checked.violation { report(violation) }
        if let next = checked.time {
            if let time, next < time {
                report(Violation(.time, ledger: ledger, position: size, "the time runs backwards"))
            }
            time = next
        }
        guard hasTree else { return }
        frontier.append(checked.leaf)
        addToTile(checked.leaf, level: 0)
        while let next = expected.first, next.size <= size {
            expected.removeFirst()
            compare(next)
        }
    }

    /// Says that no entry follows; what was expected beyond is missing.
    mutating func finish() {
        while let next = expected.popFirst() {
            guard next.size > size else { continue }
            report(
                Violation(
                    .missing, ledger: ledger, position: size + 1,
                    "\(next.source) has \(next.size) events, the ledger has \(size)"))
            break
        }
    }

    mutating func report(_ violation: Violation) {
        if violations.count < Self.maximumViolations { violations.append(violation) }
    }

    /// Hands out the full tiles that were made since the last call.
    mutating func takeTiles() -> [(level: Int, index: Int64, tile: MerkleTile)] {
        defer { tiles = [] }
        return tiles
    }

    private mutating func compare(_ next: ExpectedRoot) {
        guard next.size == size else { return }
        if frontier.root == next.root {
            proved = size
        } else {
            let range = proved + 1 == size ? "at position \(size)" : "at positions \(proved + 1) to \(size)"
            report(
                Violation(
                    .root, ledger: ledger, position: proved + 1, lastPosition: size,
                    "the entries \(range) are not those of \(next.source) at size \(size)"))
            // The rest is compared by itself no more: every later root is another one too.
            expected = []
        }
    }

    private mutating func addToTile(_ hash: [UInt8], level: Int) {
        if level == levels.count { levels.append([]) }
        levels[level].append(hash)
        guard let tile = MerkleTile(hashes: levels[level]) else { return }
        levels[level].removeAll(keepingCapacity: true)
        let index = size / MerkleTile.leaves(belowLevel: level + 1) - 1
        tiles.append((level, index, tile))
        addToTile(tile.root, level: level + 1)
    }
}
