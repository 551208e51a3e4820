/// Reads wrapped keys again if they do not agree with the key of their bucket.
///
/// In a distributed database the new key of a bucket is visible a moment before the rows that are wrapped under it.
enum Rereading {
    private static let attempts = 5
    private static let pause: Duration = .milliseconds(100)

    static func untilAgreed<Value>(_ read: () async throws -> Value) async throws -> Value {
        for _ in 1..<attempts {
            do { return try await read() } catch let error as KeysError where error.code == .wrappingInvalid {}
            try await Task.sleep(for: pause)
        }
        return try await read()
    }
}
