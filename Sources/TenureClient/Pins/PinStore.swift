/// Where a device keeps its pins.
public protocol PinStore: Sendable {
    /// The pin of an account, when there is one.
    func pin(of account: PinnedAccount) async throws -> CredentialPin?
    /// Keeps a pin; one that is there already is replaced.
    func keep(_ pin: CredentialPin, of account: PinnedAccount) async throws
    /// Forgets a pin. Whatever the service shows next is pinned then; ``ChangedCredentials`` is the way to take one
    /// credential, and no other, in the place of the pinned one.
    func forget(_ account: PinnedAccount) async throws
}

/// Pins in memory, for tests and for programs that end.
public actor MemoryPinStore: PinStore {
    private var pins: [PinnedAccount: CredentialPin] = [:]

    /// Makes an empty store.
    public init() {}

    /// The pin of an account, when there is one.
    public func pin(of account: PinnedAccount) -> CredentialPin? { pins[account] }

    /// Keeps a pin.
    public func keep(_ pin: CredentialPin, of account: PinnedAccount) { pins[account] = pin }

    /// Forgets a pin.
    public func forget(_ account: PinnedAccount) { pins[account] = nil }
}
