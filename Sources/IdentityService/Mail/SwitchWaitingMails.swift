import EventCoding
import Identity

/// Whether an admin gets mails about who waits.
package enum WaitingMails: Sendable, Equatable {
    case on
    /// The admin stopped them, for a year at most.
    case off
    /// The address is not confirmed.
    case unconfirmed
    /// The service sends no mails, or the caller is no admin.
    case none
}

/// Says whether the caller gets mails about who waits in their tenant, or turns them on or off.
package struct SwitchWaitingMails: UseCase {
    /// What the caller wants; `nil` changes nothing.
    package let isOn: Bool?
    package let caller: EmployeeCaller

    package init(isOn: Bool? = nil, caller: EmployeeCaller) {
        self.isOn = isOn
        self.caller = caller
    }

    /// Returns what is true now. Only an admin's choice is kept, and only their own.
    package func run(_ run: UseCaseRun<WaitingMails>) async throws -> WaitingMails {
        let context = run.context, own = try await OwnAccount(of: caller, context), tenant = own.tenant
        // A session that does not carry the role turns nothing off.
        guard context.mail != nil, tenant.state.role(of: own.employee.id).isAdministrative,
            own.decider.roleKeys.contains(where: { ServiceContext.fingerprint(of: $0) == caller.fingerprint }),
            let account = own.employee.state.account
        else { return .none }
        let mails = WaitingMailSwitch(user: account.user, tenant: tenant.id, context)
        if let isOn { try await isOn ? mails.turnOn() : mails.turnOff(at: run.call.time) }
        let user = try await StateLoader(reader: context.reader).user(account.user).state
        guard WaitNotice.isReached(user, account) else { return .unconfirmed }
        return try await mails.isOff() ? .off : .on
    }
}
