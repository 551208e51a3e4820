public import Credentials

/// Keeps keys for as long as it lives; for tests, and for programs that are a new device each time.
public actor MemoryDeviceKeyStore: DeviceKeyStore {
    private var keys: [AccountName: EmployeeKey]

    /// A store that starts with these keys.
    public init(_ keys: [AccountName: EmployeeKey] = [:]) { self.keys = keys }

    /// The key of an account.
    public func key(of account: AccountName) -> (any DeviceKey)? { keys[account] }

    /// Makes a key, unless there is one.
    public func makeKey(of account: AccountName) throws -> any DeviceKey {
        if let key = keys[account] { return key }
        let key = try EmployeeKey.generate()
        keys[account] = key
        return key
    }

    /// Forgets a key.
    public func removeKey(of account: AccountName) { keys[account] = nil }
}
