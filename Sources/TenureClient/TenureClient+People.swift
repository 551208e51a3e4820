import Credentials
import TenureAPI

extension TenureClient {
    /// Makes a client of the service that the credentials name.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/baseURLMissing`` when they name none.
    public init(
        appCredentials: AppCredentials, transport: any Transport = URLSessionTransport(),
        retries: RetryPolicy = RetryPolicy(), issuer: String? = nil, mode: Mode = .automatic,
        keyStore: any DeviceKeyStore = PlatformKeyStore.standard(),
        sessionStore: any SessionStore = PlatformSessionStore.standard(), pinStore: any PinStore = FilePinStore()
    ) throws(TenureClientError) {
        guard let baseURL = appCredentials.baseURL else { throw TenureClientError(.baseURLMissing) }
        self.init(
            baseURL: baseURL, appCredentials: appCredentials, transport: transport, retries: retries, issuer: issuer,
            mode: mode, keyStore: keyStore, sessionStore: sessionStore, pinStore: pinStore)
    }

    /// The name of an account at this service.
    public func account(companyName: String, companyEmployeeId: String) -> AccountName {
        AccountName(issuer: issuer ?? baseURL, companyName: companyName, companyEmployeeId: companyEmployeeId)
    }

    /// Begins a registration: presents this device's key, which is made when there is none, and proves it.
    ///
    /// Needs a secret with CREATION. Nothing is claimed before the last step; giving up costs nothing.
    ///
    /// - Parameters:
    ///   - companyName: The company; whoever registers first founds it.
    ///   - companyEmployeeId: The name that the person shall have there.
    ///   - email: The person's address.
    ///   - isCompanyOwnedEmail: Whether the address is claimed to be the company's own.
    public func register(
        companyName: String, companyEmployeeId: String, email: String, isCompanyOwnedEmail: Bool = false
    ) async throws -> RegistrationStep {
        let account = account(companyName: companyName, companyEmployeeId: companyEmployeeId)
        let key = try await keyStore.keyOrNew(of: account)
        let flow = try await startRegistration(
            company: companyName, employee: companyEmployeeId, email: email, isCompanyOwnedEmail: isCompanyOwnedEmail,
            key: key)
        let response = try await proveKey(flow, key: key)
        let (open, changed) = try await open(
            FlowContext(client: self, account: account, key: key, flow: flow, asked: response))
        return try RegistrationStep(response, open, changed)
    }

    /// Begins a login: presents this device's key, which is made when there is none, and proves it.
    ///
    /// Needs a secret with ACCESS.
    public func login(companyName: String, companyEmployeeId: String) async throws -> LoginStep {
        let account = account(companyName: companyName, companyEmployeeId: companyEmployeeId)
        let key = try await keyStore.keyOrNew(of: account)
        let flow = try await startLogin(company: companyName, employee: companyEmployeeId, key: key)
        let response = try await proveKey(flow, key: key)
        let (open, changed) = try await open(
            FlowContext(client: self, account: account, key: key, flow: flow, asked: response))
        return try LoginStep(response, open, changed)
    }

    /// Begins a change of credentials: presents this device's key, which must be authorized, and proves it.
    ///
    /// Needs a secret with ACCESS and no session.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/notLoggedIn`` when this device has no key of that
    ///   account.
    public func changeCredentials(companyName: String, companyEmployeeId: String) async throws -> CurrentSecretStep {
        let account = account(companyName: companyName, companyEmployeeId: companyEmployeeId)
        guard let key = try await keyStore.key(of: account) else { throw TenureClientError(.notLoggedIn) }
        let flow = try await startChange(company: companyName, employee: companyEmployeeId, key: key)
        let response = try await proveKey(flow, key: key)
        let (open, changed) = try await open(
            FlowContext(client: self, account: account, key: key, flow: flow, asked: response))
        return try CurrentSecretStep(response, open, changed)
    }

    /// The session that this device keeps of an account, from an earlier run of the program too; `nil` when there is
    /// none.
    public func session(companyName: String, companyEmployeeId: String) async throws -> EmployeeSession? {
        let account = account(companyName: companyName, companyEmployeeId: companyEmployeeId)
        let session = EmployeeSession(client: self, account: account)
        return try await sessions.keeper(of: account).isOpen() ? session : nil
    }

    /// The fingerprint of this device's key of an account; `nil` when there is none.
    public func fingerprint(of account: AccountName) async throws -> String? {
        try await keyStore.key(of: account)?.publicKey.fingerprint
    }
}
