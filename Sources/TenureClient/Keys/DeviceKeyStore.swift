/// Keeps the keys of this device, one for each account.
public protocol DeviceKeyStore: Sendable {
    /// The key of an account; `nil` when this device has none.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/keyFileInvalid`` when there is something in its
    ///   place that is no key of its owner's alone.
    func key(of account: AccountName) async throws -> (any DeviceKey)?
    /// Makes a key and keeps it. When another call was first, the key is the one that the other made.
    func makeKey(of account: AccountName) async throws -> any DeviceKey
    /// Forgets the key of an account; none is fine.
    func removeKey(of account: AccountName) async throws
}

extension DeviceKeyStore {
    /// The key of an account, made when there is none.
    public func keyOrNew(of account: AccountName) async throws -> any DeviceKey {
        if let key = try await key(of: account) { return key }
        return try await makeKey(of: account)
    }
}
