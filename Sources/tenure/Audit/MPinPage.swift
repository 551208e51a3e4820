import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Projections

/// The M-Pin identities and activation codes of one tenant at a moment, rendered for people or programs.
struct MPinPage {
    /// The number of keys that one query reads.
    private static let part = 1_000

    private let page: CompanyPage
    private let identities: [MPinIdentityRow]
    private let codes: [MPinActivationEntry]
    private let texts: [SealedText: String]

    /// Decrypts the texts whose keys are available.
    ///
    /// - Parameter isOneEmployee: Whether only identities that are linked to the page's employees are shown.
    init(_ page: CompanyPage, isOneEmployee: Bool, log: EventLog) async throws {
        let shown = Set(page.employees.map(\.id))
        self.page = page
        identities = page.state.mpinIdentities.filter { row in
            !isOneEmployee || (row.employee.map(shown.contains) ?? false)
        }
        codes = isOneEmployee ? [] : page.state.mpinActivations
        let sealed = identities.flatMap { [$0.userID, $0.deviceName].compactMap(\.self) } + codes.map(\.userID)
        var texts: [SealedText: String] = [:]
        for start in stride(from: 0, to: sealed.count, by: Self.part) {
            let part = sealed[start..<min(start + Self.part, sealed.count)]
            let keys = try await log.personKeys(Array(Set(part.map(\.owner))), in: page.ledger)
            for text in part {
                texts[text] =
                    try keys.map { try text.open(with: $0, in: page.ledger.uuid) ?? OpenedEvent.erased }
                    ?? OpenedEvent.sealed
            }
        }
        self.texts = texts
    }

    /// Renders a table of identities and one of codes; nothing where there is none.
    func text(on terminal: Terminal) -> String {
        var result = ""
        if !identities.isEmpty {
            var table = Table([
                .init(title: "M-Pin user"), .init(title: "Device"), .init(title: "Status"), .init(title: "Employee"),
                .init(title: "Wrong", alignment: .right), .init(title: "Started"), .init(title: "Id"),
            ])
            for row in identities {
                table.add([
                    word(row.userID), row.deviceName.map(word) ?? "", status(row),
                    row.employee.map { page.names[$0] ?? EventWords.short($0.uuid) } ?? "", String(row.failures),
                    TimeText.short(row.startedAt), EventWords.short(row.id.uuid),
                ])
            }
            result += table.rendered(on: terminal) + "\n"
        }
        if !codes.isEmpty {
            var table = Table([
                .init(title: "Code for"), .init(title: "State"), .init(title: "Wrong", alignment: .right),
                .init(title: "Issued"), .init(title: "Id"),
            ])
            for code in codes {
                table.add([
                    word(code.userID), code.stateName(at: page.time), String(code.failures),
                    TimeText.short(code.issuedAt), EventWords.short(code.id.uuid),
                ])
            }
            result += table.rendered(on: terminal) + "\n"
        }
        return result
    }

    /// Renders one line for each identity and each code.
    func lines() -> String {
        let identities = identities.map { row in
            page.line(
                "mpinIdentity",
                [
                    "identityId": row.id.json, "userId": .string(word(row.userID)),
                    "deviceName": row.deviceName.map { .string(word($0)) },
                    "status": .string(row.statusName(at: page.time)),
                    "verification": .string(row.verification.rawValue),
                    "employeeId": row.employee?.json, "failures": .integer(Int64(row.failures)),
                    "startedAt": .timestamp(row.startedAt), "expiresAt": row.expiresAt.map(JSONValue.timestamp),
                    "endReason": row.endReason.map(JSONValue.string), "position": .integer(row.changedPosition),
                ])
        }
        let codes = codes.map { code in
            page.line(
                "mpinActivation",
                [
                    "activationId": code.id.json, "userId": .string(word(code.userID)),
                    "state": .string(code.stateName(at: page.time)), "failures": .integer(Int64(code.failures)),
                    "usedBy": code.usedBy?.json, "issuedAt": .timestamp(code.issuedAt),
                    "expiresAt": .timestamp(code.expiresAt), "position": .integer(code.position),
                ])
        }
        return (identities + codes).joined()
    }

    private func status(_ row: MPinIdentityRow) -> String {
        row.statusName(at: page.time) + (row.endReason.map { " (\($0))" } ?? "")
    }

    private func word(_ text: SealedText) -> String { texts[text] ?? OpenedEvent.sealed }
}
