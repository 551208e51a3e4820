/// A bounded memory of things used lately: what was not inserted again in a generation is forgotten with the next.
///
/// A generation ends when it is full, or when somebody says so; nothing is sorted, and nothing is moved one by one.
struct Generations<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    private let capacity: Int

    /// Remembers at most `capacity` things.
    init(capacity: Int) { self.capacity = max(2, capacity) }

    var count: Int { young.count + old.count }

    /// What is remembered under a key.
    subscript(key: Key) -> Value? { young[key] ?? old[key] }

    /// Remembers a thing, in place of what was there.
    mutating func insert(_ value: Value, for key: Key) {
        if young[key] == nil, young.count >= capacity / 2 { age() }
        young[key] = value
        old[key] = nil
    }

    /// Forgets what is there.
    mutating func remove(_ key: Key) {
        young[key] = nil
        old[key] = nil
    }

    /// Ends a generation: forgets what was not inserted since the last end of one.
    ///
    /// - Returns: What was forgotten, for who wants to free it elsewhere.
    @discardableResult
    mutating func age() -> [Key: Value] {
        defer {
            old = young
            young = [:]
        }
        return old
    }
}
