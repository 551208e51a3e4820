import Credentials
import TenureAPI

/// What a recovery of lost credentials asks for next.
public enum RecoveryStep: Sendable {
    /// Two persons of the company have to approve this device's key first.
    case approvalPending(PendingRecovery)
    /// They have: new questions with answers, and perhaps a passphrase.
    case setCredentials(RecoveredCredentialsStep)
}

/// The next thing to call: ``submit(_:)`` with what takes the place of everything that was lost.
public struct RecoveredCredentialsStep: Sendable {
    let flow: OpenFlow
    private let waiting: PendingRecovery
    /// What the credentials must satisfy.
    public let rules: CredentialRules

    init(flow: OpenFlow, waiting: PendingRecovery, rules: CredentialRules) {
        self.flow = flow
        self.waiting = waiting
        self.rules = rules
    }

    /// Sets the credentials: the old ones open nothing any more, and every session of the user ends, in all companies.
    ///
    /// The outcome is `authorizationPending`: the key waits as that of any new device does. A key that was authorized
    /// before is in.
    ///
    /// - Throws: ``TenureClientError``: `flow.expired` after ten minutes, then ``again()`` goes on; `request.stale` when
    ///   the recovery has ended, for example because the person logged in on a known device.
    public func submit(_ credentials: NewUserCredentials) async throws -> FlowOutcome {
        try await flow.submit(.newCredentials(credentials))
    }

    /// Begins this step anew.
    ///
    /// - Throws: ``TenureClientError`` with `recovery.unknown` when the key is not approved any more.
    public func again() async throws -> RecoveredCredentialsStep {
        guard case .setCredentials(let step) = try await waiting.ask() else {
            throw TenureClientError(.init(rawValue: TenureClientError.Kind.recoveryUnknown.rawValue))
        }
        return step
    }
}

extension TenureClient {
    /// Asks for new credentials for whoever lost every secret, or goes on with that: presents this device's key, which is
    /// made when there is none, and proves it.
    ///
    /// Needs a secret with ACCESS. Two persons of the company decide about this very key; nobody but the person ever learns
    /// what is set in the end, and in blind mode the service does not either.
    public func recover(companyName: String, companyEmployeeId: String) async throws -> RecoveryStep {
        let account = account(companyName: companyName, companyEmployeeId: companyEmployeeId)
        return try await recover(account, key: try await keyStore.keyOrNew(of: account))
    }

    func recover(_ account: AccountName, key: any DeviceKey) async throws -> RecoveryStep {
        let flow = try await startRecovery(
            company: account.companyName, employee: account.companyEmployeeId, key: key)
        let response = try await proveKey(flow, key: key)
        let waiting = PendingRecovery(client: self, account: account, key: key)
        switch response {
        case .authorizationPending(let publicKey, let fingerprint, _):
            // Two persons compare what is shown here: it must be this device's key and no other.
            guard publicKey == key.publicKey.bytes, fingerprint == key.publicKey.fingerprint else {
                throw TenureClientError(.responseInvalid)
            }
            return .approvalPending(waiting)
        case .setCredentials(_, let rules, _):
            let open = OpenFlow(FlowContext(client: self, account: account, key: key, flow: flow, asked: response))
            return .setCredentials(
                RecoveredCredentialsStep(flow: open, waiting: waiting, rules: CredentialRules(rules)))
        case .success, .validateAnswers, .validatePassphrase: throw TenureClientError(.responseInvalid)
        }
    }
}
