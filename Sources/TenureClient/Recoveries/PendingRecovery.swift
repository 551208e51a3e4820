import Credentials

/// A key that waits until two persons of the company have approved that it sets new credentials.
///
/// Nobody is told whether the employee exists, so a name that was misspelled waits as well.
public struct PendingRecovery: Sendable {
    private let client: TenureClient
    private let key: any DeviceKey
    /// Whose credentials are lost.
    public let account: AccountName

    init(client: TenureClient, account: AccountName, key: any DeviceKey) {
        self.client = client
        self.account = account
        self.key = key
    }

    /// The fingerprint of this device's key, which the person reads to whoever decides: 64 lower-case hex digits.
    public var fingerprint: String { key.publicKey.fingerprint }
    /// The same in groups of four.
    public var readableFingerprint: String { Fingerprint.readable(fingerprint) }

    /// Asks again, with the same key. The program may end meanwhile: the key is kept, and
    /// ``TenureClient/recover(companyName:companyEmployeeId:)`` goes on with it.
    public func ask() async throws -> RecoveryStep { try await client.recover(account, key: key) }

    /// Asks until both have decided. Cancel the task to stop waiting.
    ///
    /// A service that is busy or away for a while is asked again.
    ///
    /// - Parameter pause: How long to wait between two times.
    public func approval(askingEvery pause: Duration = .seconds(5)) async throws -> RecoveredCredentialsStep {
        var wait = pause
        while true {
            try await Task.sleep(for: wait)
            wait = pause
            do {
                if case .setCredentials(let step) = try await ask() { return step }
            } catch {
                guard let failure = error as? TenureClientError, failure.isRetryable else { throw error }
                wait = max(pause, failure.retryAfter ?? pause)
            }
        }
    }
}
