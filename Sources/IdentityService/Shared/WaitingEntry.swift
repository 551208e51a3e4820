package import Canonical
package import FoundationEssentials

/// A person or a device that waits for the decision of an admin, as the list of the pages and mails to admins show it.
package struct WaitingEntry: Sendable, Equatable {
    /// How the person came to the tenant.
    package enum Origin: String, Sendable, CaseIterable {
        /// By an invitation.
        case invited
        /// By an address of the tenant's confirmed domain.
        case domain
        /// By themselves.
        case open
    }

    /// The device that waits.
    package struct Device: Sendable, Equatable {
        /// The SHA-256 of the device key in lower-case hexadecimal.
        package let fingerprint: String
        /// The name of the device; `nil` if it has none.
        package var name: String?
        /// The network that its address is in; empty if it is unknown.
        package let network: String
        /// When the device stops to wait.
        package let expiresAt: Timestamp

        package init(fingerprint: String, name: String?, network: String, expiresAt: Timestamp) {
            (self.fingerprint, self.name, self.network, self.expiresAt) = (fingerprint, name, network, expiresAt)
        }
    }

    /// The name by which the person wants to be seen.
    package struct Name: Sendable, Equatable {
        /// The name, in quotation marks until an admin has approved it with its person.
        package let text: String
        /// Whether it looks like the name of an admin of the tenant.
        package let looksLikeAdmin: Bool

        package init(text: String, looksLikeAdmin: Bool) { (self.text, self.looksLikeAdmin) = (text, looksLikeAdmin) }
    }

    /// The permanent id of the account.
    package let employee: UUID
    /// The employee's id as entered; empty once erased.
    package let companyEmployeeId: String
    /// The address as entered; empty once erased.
    package let address: String
    /// Whether the owner of the account reads mails to the address, or an admin's approval vouched for it.
    package let isAddressConfirmed: Bool
    /// Whether the person waits for an approval, without which no device of theirs may log in.
    package let needsApproval: Bool
    /// Whether no device of the account was ever approved.
    package let isNewPerson: Bool
    /// Whether it is an admin's account, about which only the security admin decides.
    package let isAdministrative: Bool
    package let origin: Origin
    /// The name, which only pages read; `nil` without one.
    package var name: Name?
    /// The device; `nil` for a person without one that waits.
    package var device: Device?
    /// Since when it waits.
    package let since: Timestamp

    package init(
        employee: UUID, companyEmployeeId: String, address: String, isAddressConfirmed: Bool, needsApproval: Bool,
        isNewPerson: Bool, isAdministrative: Bool, origin: Origin, device: Device?, since: Timestamp
    ) {
        (self.employee, self.companyEmployeeId, self.address) = (employee, companyEmployeeId, address)
        (self.isAddressConfirmed, self.needsApproval, self.isNewPerson) =
            (isAddressConfirmed, needsApproval, isNewPerson)
        (self.isAdministrative, self.origin, self.device, self.since) = (isAdministrative, origin, device, since)
    }

    /// Whether an admin or a mailbox vouches that there is a real person.
    package var isVouched: Bool { origin == .invited || isAddressConfirmed }
}

extension [WaitingEntry] {
    /// The entries in the order of lists: vouched ones first, of each kind the newest first.
    ///
    /// A flood of strangers so pushes nobody down who was invited or whose address is confirmed.
    package var inOrder: [WaitingEntry] {
        sorted { first, second in
            guard first.isVouched == second.isVouched else { return first.isVouched }
            guard first.since == second.since else { return first.since > second.since }
            return (first.employee.lowercased, first.device?.fingerprint ?? "")
                < (second.employee.lowercased, second.device?.fingerprint ?? "")
        }
    }
}
