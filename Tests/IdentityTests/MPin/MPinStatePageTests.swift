import Canonical
import ErrorCodes
import Foundation
@testable import Identity
import Testing

/// The table of states in `docs/mpin.md`, held against the decider.
@Suite struct MPinStatePageTests {
    private typealias State = MPinIdentity.State

    /// The columns of the table: states and the time at which the command is given.
    private static func columns(isLinked: Bool) throws -> [(states: [State], time: Timestamp)] {
        let soon = MPinScene.soon, late = MPinScene.expired.adding(.seconds(60))
        guard isLinked else {
            return [
                ([try MPinScene.started()], soon), ([try MPinScene.activated()], soon),
                ([try MPinScene.issued()], soon), ([try MPinScene.registered()], soon),
                ([try MPinScene.started(), try MPinScene.activated(), try MPinScene.issued()], late),
                ([try MPinScene.blocked(), try MPinScene.revoked()], soon),
            ]
        }
        let linked = try MPinScene.state([MPinScene.starting(), MPinScene.link()])
        var started = linked, issued = linked
        // Only an identity that has expired starts again, and keeps its link then.
        try MPinScene.run(.restart(.initial, at: late), on: &started)
        try MPinScene.run(MPinScene.issue(linked: .active), on: &issued)
        var registered = issued
        try MPinScene.run(MPinScene.prove(true, linked: .active), on: &registered)
        var revoked = linked
        try MPinScene.run(MPinScene.revoke(account: MPinScene.subject), on: &revoked)
        return [
            ([started], late), ([linked], soon), ([issued], soon), ([registered], soon),
            ([started, linked, issued], soon.adding(.seconds(3_700))), ([revoked], soon),
        ]
    }

    private static func command(_ row: String, at time: Timestamp) throws -> MPinIdentity.Command? {
        switch row {
        case "restart": .restart(.initial, at: time)
        case "button of the mailed link", "`activateKey`": .verify(.email, at: time)
        case "decision of an app or admin": .verify(.application(try MPinScene.vouched()), at: time)
        case "link", "link again, by the device that linked it": try MPinScene.link(at: time)
        case "confirm": try MPinScene.issue(at: time)
        case "right proof": MPinScene.prove(true, at: time)
        case "wrong proof": MPinScene.prove(false, at: time)
        case "revocation": try MPinScene.revoke()
        default: nil
        }
    }

    /// The statuses that a command is refused with; none where it is accepted.
    private static func statuses(_ command: MPinIdentity.Command, _ states: [State]) -> Set<Int> {
        Set(
            states.compactMap { state in
                do throws(MPinIdentity.Rejection) { _ = try MPinIdentity.decide(state, command) } catch {
                    return error.code.status
                }
                return nil
            })
    }

    @Test func `the table of states says what the decider does`() throws {
        let page = URL(filePath: #filePath).appending(path: "../../../../docs/mpin.md").standardized
        let text = try String(contentsOf: page, encoding: .utf8)
        let table = try #require(text.split(separator: "### States and answers").last?.split(separator: "### ").first)
        let rows = table.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst().map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        }
        try #require(rows.count == 10)
        for row in rows {
            let name = row[0], columns = try Self.columns(isLinked: name.hasPrefix("link again"))
            try #require(row.count == columns.count + 1, "\(name)")
            for (cell, column) in zip(row.dropFirst(), columns) {
                let found = try Self.command(name, at: column.time)
                let command = try #require(found, "\(name)")
                // The code in a mail expires with the registration, and tells so first.
                let isMailed = name == "button of the mailed link" || name == "`activateKey`"
                let statuses = Self.statuses(command, column.states).map { isMailed && $0 == 409 ? 408 : $0 }
                let documented = cell.matches(of: /[0-9]{3}/).compactMap { Int($0.output) }
                #expect(Set(documented) == Set(statuses), "\(name): \(cell)")
            }
        }
    }
}
