import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// The effects of releasing an employee id: the release of the claim on the id, and of the address if its user has no
/// other account.
///
/// The account stays in the log and in the projections as history. Its member claims stay too, so that erasing the user
/// finds it.
struct AccountRelease: Sendable {
    /// The events that release the user's address.
    private(set) var events: [UserEvent] = []
    private(set) var user: UserSnapshot
    private(set) var releases: [ClaimRelease]
    /// The statements of the append.
    private(set) var statements: [SQL]
    /// The versions of streams that the release was decided on.
    private(set) var expectations: [StreamID: Int] = [:]

    /// Prepares the release of an employee id.
    ///
    /// - Parameters:
    ///   - employee: The account that loses the id.
    ///   - id: The employee id.
    ///   - registering: The user who gets an account in the same append, and so keeps the address.
    init(
        of employee: EmployeeSnapshot, named id: CompanyEmployeeID, in tenant: TenantID,
        registering: UserID? = nil, _ context: ServiceContext
    ) async throws {
        guard let account = employee.state.account else { throw ServiceError(.employeeUnknown) }
        let loader = StateLoader(reader: context.reader)
        user = try await loader.user(account.user)
        releases = [ClaimRelease(key: context.ring.employeeClaim(id, in: tenant), owner: employee.id.uuid)]
        statements = [NewSession.deletion(employee: employee.id, tenant: tenant)]
        guard registering != account.user, user.state.holdsEmail else { return }
        let accounts = try await context.accounts(of: account.user)
        for other in accounts where other.employee != employee.id {
            let snapshot = try await loader.employee(other.employee, in: other.tenant)
            guard snapshot.state.account.map({ $0.isReleased || $0.isErased }) == true else { return }
        }
        let addresses = try await AddressHolders(context: context).releases(of: account.user)
        guard !addresses.isEmpty else { return }
        events = try User.decided(user.state, .releaseEmail(tenant: tenant))
        releases += addresses
        // Makes the append fail if another account of this user is registered meanwhile.
        statements.append(context.stillAccounts(accounts.count, of: account.user))
        expectations[.user(user.id)] = user.version
    }

    /// Adds the release to an append.
    func add(to recording: inout some EventRecording) throws {
        try recording.recorder.add(events, to: .user(user.id), version: user.version)
        recording.recorder.expectations.merge(expectations) { known, _ in known }
        recording.recorder.releases += releases
        recording.recorder.statements += statements
        recording.recorder.ledgers.insert(.directory(of: user.id))
    }
}
