/// The prepared statements of a connection, up to a limit. The least recently used one is evicted.
struct StatementCache {
    /// The key of a prepared statement: its text and parameter types.
    ///
    /// The text is compared part by part. The parts are literals of the program, so comparing them usually compares two
    /// addresses.
    struct Key: Hashable {
        private let literals: [String]
        private let types: [PostgresType]

        init(_ sql: SQL) {
            literals = sql.literals
            types = sql.parameters.types
        }

        /// Compares bytes, because the server distinguishes texts that differ only in Unicode form. ASCII text has one
        /// form only, and a string knows whether it is ASCII.
        static func == (lhs: Key, rhs: Key) -> Bool {
            lhs.types == rhs.types && lhs.literals == rhs.literals
                && zip(lhs.literals, rhs.literals).allSatisfy { left, right in
                    left.utf8.count == left.utf16.count || left.utf8.elementsEqual(right.utf8)
                }
        }

        /// Hashes lengths only, because the texts of a program rarely have the same.
        func hash(into hasher: inout Hasher) {
            for literal in literals { hasher.combine(literal.utf8.count) }
            hasher.combine(types)
        }
    }

    private struct Entry {
        let name: String
        var lastUse: UInt64
    }

    let capacity: Int
    private var entries: [Key: Entry] = [:]
    private var uses: UInt64 = 0
    private var names: UInt64 = 0

    /// A cache for `capacity` statements. With 0, nothing is prepared.
    init(capacity: Int) { self.capacity = max(0, capacity) }

    var count: Int { entries.count }
    var isFull: Bool { entries.count >= capacity }

    /// Returns the name of a prepared statement and marks it as the most recently used.
    mutating func name(for key: Key) -> String? {
        guard var entry = entries[key] else { return nil }
        uses += 1
        entry.lastUse = uses
        entries[key] = entry
        return entry.name
    }

    /// Whether a statement is prepared.
    func contains(_ key: Key) -> Bool { entries[key] != nil }

    /// Returns a name that was never used on this connection.
    mutating func makeName() -> String {
        names += 1
        return "tenure_\(names)"
    }

    /// Adds a statement that the server has prepared. There must be room.
    mutating func insert(_ key: Key, name: String) {
        assert(!isFull)
        uses += 1
        entries[key] = Entry(name: name, lastUse: uses)
    }

    /// Removes a statement and returns its name, which the server may still hold.
    @discardableResult
    mutating func remove(_ key: Key) -> String? { entries.removeValue(forKey: key)?.name }

    /// Removes the least recently used statement and returns its name.
    mutating func evict() -> String? {
        entries.min { $0.value.lastUse < $1.value.lastUse }.flatMap { remove($0.key) }
    }
}
