/// Which statements are prepared on a connection, bounded: the least recently used one makes room.
struct StatementCache {
    /// The same text with other parameter types is another statement.
    ///
    /// The text is compared by its parts, which are literals of the program: comparing those is comparing two addresses.
    struct Key: Hashable {
        private let literals: [String]
        private let types: [PostgresType]

        init(_ sql: SQL) {
            literals = sql.literals
            types = sql.parameters.types
        }

        /// By bytes: two texts that differ only in Unicode form are two statements to the server. One of ASCII alone, which
        /// a string knows of itself, has no other form.
        static func == (lhs: Key, rhs: Key) -> Bool {
            lhs.types == rhs.types && lhs.literals == rhs.literals
                && zip(lhs.literals, rhs.literals).allSatisfy { left, right in
                    left.utf8.count == left.utf16.count || left.utf8.elementsEqual(right.utf8)
                }
        }

        /// By lengths: the texts of a program rarely have the same.
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

    /// Zero capacity prepares nothing, as a transaction-pooling proxy needs.
    init(capacity: Int) { self.capacity = max(0, capacity) }

    var count: Int { entries.count }
    var isFull: Bool { entries.count >= capacity }

    /// The name of a prepared statement, which becomes the most recently used one.
    mutating func name(for key: Key) -> String? {
        guard var entry = entries[key] else { return nil }
        uses += 1
        entry.lastUse = uses
        entries[key] = entry
        return entry.name
    }

    /// Whether a statement is prepared.
    func contains(_ key: Key) -> Bool { entries[key] != nil }

    /// A name that was never used on this connection.
    mutating func makeName() -> String {
        names += 1
        return "tenure_\(names)"
    }

    /// Remembers a statement the server has prepared; there must be room.
    mutating func insert(_ key: Key, name: String) {
        assert(!isFull)
        uses += 1
        entries[key] = Entry(name: name, lastUse: uses)
    }

    /// Forgets a statement; returns its name, which the server may still hold.
    @discardableResult
    mutating func remove(_ key: Key) -> String? { entries.removeValue(forKey: key)?.name }

    /// Forgets the least recently used statement.
    mutating func evict() -> String? {
        entries.min { $0.value.lastUse < $1.value.lastUse }.flatMap { remove($0.key) }
    }
}
