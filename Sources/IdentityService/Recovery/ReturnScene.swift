import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import TenureAPI

/// The streams that a return is decided on. The append guards all of them.
struct ReturnScene: Sendable {
    let tenant: TenantSnapshot
    let employee: EmployeeSnapshot
    let user: UserSnapshot
    /// The accounts of the appointed admins. Whoever gets a key in force meanwhile is a version conflict.
    private let admins: [EmployeeSnapshot]

    /// Loads the streams of an account.
    ///
    /// - Throws: `employee.inactive` without an account.
    init(of employee: EmployeeID, in tenant: TenantID, _ context: ServiceContext) async throws {
        let loader = StateLoader(reader: context.reader)
        self.tenant = try await loader.tenant(tenant)
        self.employee = try await loader.employee(employee, in: tenant)
        guard let account = self.employee.state.account else { throw ServiceError(.employeeInactive) }
        user = try await loader.user(account.user)
        var admins: [EmployeeSnapshot] = []
        for admin in self.tenant.state.admins.keys.sorted(by: { $0.description < $1.description }) {
            admins.append(try await loader.employee(admin, in: tenant))
        }
        self.admins = admins
    }

    func facts(at time: Timestamp) -> Employee.ReturnScene {
        Employee.ReturnScene(
            tenant: tenant.state,
            admins: Dictionary(admins.map { ($0.id, $0.state) }, uniquingKeysWith: { first, _ in first }), time: time)
    }

    func openReturn(at time: Timestamp) -> Employee.Return? {
        employee.state.openReturn(in: tenant.state, at: time)
    }

    /// The versions that the decision was made on.
    var expectations: [StreamID: Int] {
        var versions = Dictionary(
            admins.map { (StreamID.employee($0.id, in: tenant.id), $0.version) },
            uniquingKeysWith: { first, _ in first })
        versions[.tenant(tenant.id)] = tenant.version
        versions[.employee(employee.id, in: tenant.id)] = employee.version
        versions[.user(user.id)] = user.version
        return versions
    }
}

extension ReturnProof {
    /// The proof of a flow whose device and credential were proved.
    init(_ proof: FlowProof, of state: FlowState) throws {
        self.init(
            userID: UserID(state.userId), credentialID: CredentialID(state.credentialId), userKey: proof.userKey,
            key: try state.deviceKey, challenge: proof.challenge, deviceSignature: proof.deviceSignature,
            userSignature: proof.userSignature)
    }

    /// The proof that a validation records.
    init(_ validation: CredentialValidation) {
        self.init(
            userID: validation.userID, credentialID: validation.credentialID, userKey: validation.userKey,
            key: validation.employeeKey, challenge: validation.challenge,
            deviceSignature: validation.deviceSignature, userSignature: validation.userSignature)
    }

    /// Parses the challenge and verifies both signatures over it.
    ///
    /// - Throws: `CredentialsError` if the challenge is malformed or a signature does not verify.
    func verifiedChallenge() throws -> Challenge {
        let parsed = try Challenge(parsing: challenge)
        try ValidatedChallenge(
            challenge: parsed, deviceSignature: try DeviceEvidence(bytes: deviceSignature.bytes),
            userSignature: try Signature(raw: userSignature.bytes)
        ).verify(userKey: try UserPublicKey(bytes: userKey.bytes))
        return parsed
    }
}

/// The notices about a return, and the mails.
extension ServiceContext {
    /// The notices for the sessions of an account whose return is open, or was completed and can be undone.
    func returnNotices(of employee: EmployeeSnapshot, in tenant: Tenant.State, at time: Timestamp) -> [NoticeResponse] {
        if let open = employee.state.openReturn(in: tenant, at: time) {
            return [
                NoticeResponse(
                    type: NoticeResponse.returnOpened, openedAt: open.openedAt, availableAt: open.availableAt,
                    cancelBefore: open.availableAt)
            ]
        }
        guard let back = employee.state.undoableReturn(in: tenant, at: time) else { return [] }
        return [
            NoticeResponse(
                type: NoticeResponse.returnCompleted, openedAt: back.openedAt, cancelBefore: back.undoableUntil)
        ]
    }

    /// The mails about an open return: at once, in the middle of the wait, and a day before its end. Each has a link
    /// that cancels. The last two are one if they fall together.
    func returnMails(
        _ opened: ReturnOpened, to user: UserID, in tenant: TenantID, at time: Timestamp
    ) -> [QueuedMail] {
        let ledger = LedgerID(tenant.uuid), end = opened.availableAt
        let wait = end.microseconds - time.microseconds
        let middle = time.adding(.microseconds(wait / 2)), last = end.adding(.seconds(-86_400))
        let later = middle < last ? [middle, last] : [middle]
        return [QueuedMail(.returnOpened, to: .user(user), in: ledger, until: end, at: time)]
            + later.map { QueuedMail(.returnReminder, to: .user(user), in: ledger, until: end, at: $0) }
    }
}

extension NoticeResponse {
    /// A return of the security admin is open.
    static let returnOpened = "return.opened"
    /// This call cancelled the open return.
    static let returnCancelled = "return.cancelled"
    /// A return was completed, and a former device can still undo it.
    static let returnCompleted = "return.completed"
    /// The security admin should prepare for the loss of the device.
    static let returnUnprepared = "return.unprepared"
}

extension ServiceError {
    /// The refusal before a return is available. The same device may ask again later.
    static func notAvailable(_ open: Employee.Return, at time: Timestamp) -> ServiceError {
        var refusal = ServiceError(.returnNotAvailable)
        let wait = open.availableAt.duration(since: time).components
        refusal.availableAt = open.availableAt
        refusal.retryAfterSeconds = max(1, Int(wait.seconds) + (wait.attoseconds > 0 ? 1 : 0))
        return refusal
    }
}
