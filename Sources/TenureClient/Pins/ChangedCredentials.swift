import Canonical

/// The credentials of an account are not those that this device knows.
///
/// That is what a change on another device looks like, and also what a service looks like that shows credentials of its
/// own making. The protocol does not let a client tell these apart, so the person decides, before anything is entered:
/// until ``accept()`` nothing is evaluated or signed, and submissions throw ``TenureClientError/Code/credentialsChanged``.
public struct ChangedCredentials: Sendable {
    private let flow: OpenFlow
    private let pin: CredentialPin

    init(_ pin: CredentialPin, flow: OpenFlow) {
        self.pin = pin
        self.flow = flow
    }

    /// What to compare with the device on which the change was made, whose
    /// ``TenureClient/credentialsFingerprint(companyName:companyEmployeeId:)`` is the same: 64 lower-case hex digits.
    public var fingerprint: String { pin.fingerprint }
    /// The same in groups of four.
    public var readableFingerprint: String { Fingerprint.readable(fingerprint) }

    /// Takes these credentials, and no others, for those of the account in this flow. They are pinned once the secret has
    /// opened them; until then this device knows the old ones.
    public func accept() async { await flow.accept(pin) }
}

extension CredentialPin {
    /// The hash of the record: 64 lower-case hex digits.
    public var fingerprint: String { Hex.encode(recordHash) }

    /// Whether a change of credentials may have put others in the place of these.
    ///
    /// A change makes everything anew but the tenant. The same credential with another record, key or cost is no change
    /// that anybody can make.
    func mayBeReplaced(by other: CredentialPin) -> Bool {
        tenant == other.tenant && credentialId != other.credentialId && recordHash != other.recordHash
            && contextHash != other.contextHash
    }
}

extension TenureClient {
    /// What this device knows of an account's credentials, to be compared by a person with what another device is shown;
    /// `nil` when it has pinned none, as in direct mode.
    public func credentialsFingerprint(companyName: String, companyEmployeeId: String) async throws -> String? {
        let account = try PinnedAccount(baseURL: baseURL, company: companyName, employee: companyEmployeeId)
        return try await pinStore.pin(of: account)?.fingerprint
    }

    /// Opens a flow whose key was proved, and tells whether the account has other credentials than this device knows.
    func open(_ context: FlowContext) async throws -> (flow: OpenFlow, changed: ChangedCredentials?) {
        let open = OpenFlow(context)
        let account = try PinnedAccount(
            baseURL: baseURL, company: context.account.companyName, employee: context.account.companyEmployeeId)
        guard mode != .direct, let shown = try? shownCredentials(context.flow, context.asked),
            let pinned = try await pinStore.pin(of: account), pinned.mayBeReplaced(by: shown)
        else { return (open, nil) }
        return (open, ChangedCredentials(shown, flow: open))
    }
}
