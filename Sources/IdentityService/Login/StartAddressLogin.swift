import Canonical
import Credentials
import ErrorCodes
import EventCoding
package import FoundationEssentials
import Identity
import Ledger
import Postgres
package import TenureAPI

/// Starts a log-in by an address: replies with a handle and an ``AddressChallenge`` of the same form for addresses that
/// somebody holds and others. Only the hosted pages do so.
///
/// A decoy answers for an address that nobody holds. Whether the person has an account that the pages, or the client
/// that asks, may see is told only after the proof.
package struct StartAddressLogin: AppUseCase {
    /// The address as entered.
    package let address: String
    /// The device's public key, 65-byte X9.63.
    package let employeePublicKey: [UInt8]
    /// The client whose people may log in; `nil` if the log-in is for no client.
    package let client: UUID?
    package let app: AppCaller

    package init(address: String, employeePublicKey: [UInt8], client: UUID?, app: AppCaller) {
        self.address = address
        self.employeePublicKey = employeePublicKey
        self.client = client
        self.app = app
    }

    /// Refuses every app but that of the pages.
    package func authorize() throws(ServiceError) {
        try app.require(.address)
        guard app.isPagesApp else { throw ServiceError(.appRoleMissing) }
    }

    /// Returns the handle and the challenge.
    ///
    /// - Throws: `email.missing`, `email.invalid`, `request.invalid` or `employee.key_invalid`.
    package func run(_ run: UseCaseRun<FlowStartedResponse>) async throws -> FlowStartedResponse {
        let context = run.context, call = run.call
        let key = try context.employeeKey(employeePublicKey)
        let address = try parsed { () throws(ValueError) in try EmailAddress(self.address) }
        // The decoy is always derived, so that its cost reveals nothing.
        let decoy = try context.decoy(for: address)
        var account = FlowState.Account(isDecoy: true, decoyKeys: decoy.publicKeys.bytes)
        var ids = (user: decoy.sealed.context.userId, credential: decoy.sealed.context.credentialId)
        let holder = try await AddressHolders(context: context).holder(of: address)
        let read = try await owner(holder, context)
        if let read, let credentials = read.state.credentials {
            if read.id == holder {
                ids = (read.id.uuid, credentials.id.uuid)
                account.isDecoy = false
            } else {
                // Somebody else, whose streams are read in the same way.
                account.standIn = StandIn(
                    employeeId: UUID.random(), userId: read.id.uuid, credentialId: credentials.id.uuid)
            }
        }
        var state = FlowState(
            id: UUID.random(), purpose: .address(account, AddressLogin(address: self.address, client: client)),
            step: .key, appId: app.appId, tenantId: LedgerID.directory(of: UserID(ids.user)).uuid, companyName: "",
            companyEmployeeId: "", employeePublicKey: key.bytes, employeeId: UUID.random(), userId: ids.user,
            credentialId: ids.credential, expiresAt: call.time.adding(FlowKind.address.lifetime))
        state.network = context.network(of: call, through: app)
        state.challenge = try context.challenge(for: state, at: call.time)
        let started = FlowStartedResponse(
            flow: FlowStore.handle(of: state), challenge: state.challenge, subjectSalt: state.subjectSalt,
            expiresAt: state.expiresAt)
        try await FlowStore(context: context).insert(state, answering: run.ticket, started)
        return started
    }

    /// The user who holds the address, with the credentials in force, or anybody if nobody does: with the same reads.
    private func owner(_ holder: UserID?, _ context: ServiceContext) async throws -> UserSnapshot? {
        let other = try await context.anyUser()
        guard let user = holder ?? other else { return nil }
        let read = try await context.credentialHolder(user)
        // Whoever was erased meanwhile stands in for nobody.
        if read.state.credentials == nil, user == other { context.login.someUser.withLock { $0 = nil } }
        return read
    }
}
