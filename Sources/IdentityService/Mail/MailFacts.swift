import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import TenureAPI

/// What a mail says of what happened, so that its reader can judge it: whose account, who did it, on which device, when,
/// and from which network.
struct MailFacts: Sendable, Equatable {
    /// Who caused the mail.
    enum Actor: Sendable, Equatable {
        /// The owner of the account, or somebody with a device or a secret of theirs.
        case owner
        /// A colleague, by the user name.
        case colleague(String)
        /// An application of the company, by itself or by the policy.
        case application
        /// Whoever proved a secret in a browser that nobody knows.
        case prover
        /// Whoever registered with an address that nobody has confirmed yet.
        case registrant
        /// Those whom the mail is about.
        case waiting
    }

    /// The user name of the account.
    var account: String?
    var company: Company?
    var actor: Actor?
    var device: String?
    /// When it happened.
    var time: Timestamp?
    /// The first half of an IP address.
    var network: String?

    /// What a mail calls a company.
    enum Company: Sendable, Equatable {
        /// A confirmed domain of the company, in A-labels.
        case confirmed(String)
        /// The name that it gave itself: anybody may found a company whose name is a sentence with a link.
        case claimed(String)
    }

    /// Returns the facts with their labels, in the order in which people ask.
    func rows(_ words: [String: String]) -> [(label: String, value: String)] {
        var rows: [(String, String?)] = [("account", account.map(Self.plain))]
        switch company {
        case .confirmed(let domain): rows.append(("company", MailContent.oneLine(domain)))
        case .claimed(let name):
            rows.append(("company", WordFile.filled(words["fact.claimed"] ?? "{1}", [Self.plain(name)])))
        case nil: break
        }
        switch actor {
        case .owner: rows.append(("actor", words["fact.owner"]))
        case .colleague(let name): rows.append(("actor", Self.plain(name)))
        case .application: rows.append(("actor", words["fact.application"]))
        case .prover: rows.append(("actor", words["fact.prover"]))
        case .registrant: rows.append(("actor", words["fact.registrant"]))
        case .waiting: rows.append(("actor", words["fact.waiting"]))
        case nil: break
        }
        rows += [("device", device.map(Self.plain)), ("time", time.map(MailTexts.minute)), ("network", network)]
        return rows.compactMap { name, value in
            guard let value, !value.isEmpty, let label = words["fact.\(name)"] else { return nil }
            return (label, value)
        }
    }

    /// Returns a text that a stranger may have chosen, as a mail may show it: without what mail programs make a link of,
    /// without controls, and short.
    static func plain(_ text: String) -> String {
        let scalars = MailContent.oneLine(text).unicodeScalars.map { scalar -> Unicode.Scalar in
            linking.contains(scalar) || scalar.properties.generalCategory == .format ? " " : scalar
        }
        let words = String(String.UnicodeScalarView(scalars)).split(separator: " ").joined(separator: " ")
        return words.count > longest ? String(words.prefix(longest)) + "…" : words
    }

    private static let longest = 60
    /// Also the full stops, colons and solidi of other scripts, which mail programs and browsers take for these.
    private static let linking: Set<Unicode.Scalar> = [
        ".", "/", ":", "@", "\\", "\"", "\u{2024}", "\u{2044}", "\u{2215}", "\u{3002}", "\u{FE52}", "\u{FE55}",
        "\u{FF0E}",
        "\u{FF0F}", "\u{FF1A}", "\u{FF20}", "\u{FF61}", "\u{FE6B}", "\u{2236}",
    ]

    /// The first half of an IP address as text; `nil` for a text that is none.
    static func half(_ address: String) -> String? {
        let octets = address.split(separator: ".", omittingEmptySubsequences: false)
        if octets.count == 4, octets.allSatisfy({ UInt8($0) != nil }) { return "\(octets[0]).\(octets[1]).x.x" }
        let groups = address.split(separator: ":", omittingEmptySubsequences: false).prefix { !$0.isEmpty }.prefix(4)
        guard !groups.isEmpty, address.contains(":"), groups.allSatisfy({ UInt16($0, radix: 16) != nil }) else {
            return nil
        }
        return groups.joined(separator: ":") + "::"
    }
}

extension MailDraft {
    /// The facts of a mail, as the log has them.
    func facts(_ row: OutboxRow, _ target: Target) async throws -> MailFacts {
        var facts = MailFacts(actor: Self.actor(row, isFirst: target.isFirst), time: row.queued.time)
        // The reader may be somebody else than the user who has the address, and learns nothing of that account.
        guard row.kind != .addressClaim else {
            facts.actor = target.values.first.map { .colleague($0) }
            return facts
        }
        guard row.kind != .addressTaken else { return facts }
        let loader = StateLoader(reader: context.reader)
        var tenant = row.ledger.isDirectory ? nil : TenantID(row.ledger.uuid), own: EmployeeID?
        if case .user(let user) = row.recipient {
            let accounts = try await context.accounts(of: user)
            // Whoever confirms an address knows for whom, also of somebody with several accounts.
            let isAnyOf = tenant == nil && (accounts.count == 1 || row.kind == .verify)
            let account = isAnyOf ? accounts.first : accounts.first { $0.tenant == tenant }
            (tenant, own) = (account?.tenant ?? tenant, account?.employee)
        }
        guard let tenant else { return facts }
        let company = try await loader.tenant(tenant)
        facts.company =
            company.state.shownDomain.map { .confirmed($0) } ?? company.state.companyName.map { .claimed($0) }
        facts.account = target.invited
        if let own {
            let employee = try await loader.employee(own, in: tenant)
            let keys = try await context.personKeys.load([own.uuid], ledger: tenant.uuid)
            facts.account = try await context.summary(of: employee, in: company).companyEmployeeId
            facts.device = try fingerprint(row, target, employee).flatMap {
                try DeviceNames(employee, keys: keys)[$0]
            }
            if case .string(let address) = OpenedEvent(row.queued, keys: keys).source {
                facts.network = MailFacts.half(address)
            }
            // The link of a mail that its reader pressed decides by the app of the pages.
            if employee.events.contains(where: { $0.type == DeviceMailConfirmed.type && isWith(row, $0) }) {
                facts.actor = .owner
            }
        }
        guard row.kind != .verify, let actor = row.queued.actor else { return facts }
        if actor == own?.uuid {
            facts.actor = .owner
        } else if actor != row.recipient.uuid {
            let colleague = try await loader.employee(EmployeeID(actor), in: tenant)
            facts.actor = try await context.summary(of: colleague, in: company).companyEmployeeId.map { .colleague($0) }
        }
        return facts
    }

    /// Who caused a mail, as far as its event and its kind tell; `nil` if it is a colleague, or not known.
    private static func actor(_ row: OutboxRow, isFirst: Bool) -> MailFacts.Actor? {
        if row.kind == .verify { return .registrant }
        if let actor = row.queued.actor { return actor == row.recipient.uuid ? .owner : nil }
        switch row.kind {
        case .addressProved: return .prover
        case .deviceConfirmation: return isFirst ? .registrant : .prover
        case .somebodyWaits: return .waiting
        case .deviceAdded, .approved, .invitation: return row.queued.app == nil ? nil : .application
        case .welcome, .credentialsChanged: return .owner
        case .returnRequested, .returnOpened: return .prover
        default: return nil
        }
    }

    /// Whether an event is of the append that queued a mail.
    private func isWith(_ row: OutboxRow, _ event: RecordedEvent) -> Bool {
        event.time == row.queued.time && event.requestId == row.queued.requestId
    }

    /// The fingerprint of the device that a mail is about: that which waits, or that which the mail's append approved.
    private func fingerprint(_ row: OutboxRow, _ target: Target, _ employee: EmployeeSnapshot) throws -> [UInt8]? {
        if let wait = target.wait { return wait.fingerprint }
        let approved = employee.events.last {
            $0.type == EmployeeKeyAuthorized.type && isWith(row, $0)
        }
        let event = try approved.map { try EventCodec.payload(of: $0) } as? EmployeeKeyAuthorized
        return event.map { ServiceContext.fingerprint(of: $0.key) }
    }
}
