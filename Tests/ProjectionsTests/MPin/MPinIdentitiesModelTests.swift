import Canonical
import EventCoding
import FoundationEssentials
@testable import Identity
import Ledger
import Testing
import TestSupport

@testable import Projections

struct MPinIdentitiesModelTests {
    private func row(_ id: MPinIdentityID, _ script: CompanyScript) throws -> MPinIdentityRow {
        try #require(try script.state().mpinIdentities.first { $0.id == id })
    }

    @Test func `a registration goes from its start to the first right proof`() throws {
        var script = CompanyScript()
        _ = try script.register("1")
        let id = try script.startMPin("Zoe@example.test", device: "Zoe's phone")
        var identity = try row(id, script)
        #expect(identity.status == .started && identity.failures == 0 && identity.endReason == nil)
        #expect(identity.verification == .email && identity.employee == nil)
        #expect(identity.startedAt == script.now && identity.startedPosition == Int64(script.events.count))
        #expect(try identity.userID.open(with: script.keys, in: script.tenant.uuid) == "Zoe@example.test")
        #expect(try identity.deviceName?.open(with: script.keys, in: script.tenant.uuid) == "Zoe's phone")
        #expect(try identity.userID.open(with: [:], in: script.tenant.uuid) == nil)
        let first = identity.startedPosition
        try script.mpin(MPinRegistrationRestarted(expiresAt: script.now.adding(.seconds(7_200))), id)
        identity = try row(id, script)
        #expect(identity.startedAt == script.now && identity.startedPosition == first)
        #expect(identity.expiresAt != nil)
        try script.registerMPin(id)
        identity = try row(id, script)
        #expect(identity.status == .registered && identity.expiresAt == nil)
        #expect(identity.changedPosition == Int64(script.events.count))
    }

    @Test func `a registration expires by time alone until it is complete`() throws {
        var script = CompanyScript()
        _ = try script.register("1")
        let id = try script.startMPin()
        let waiting = try row(id, script), end = try #require(waiting.expiresAt)
        #expect(waiting.statusName(at: end.adding(.microseconds(-1))) == "started")
        #expect(waiting.statusName(at: end) == "expired")
        let issue = MPinIdentityVerified(
            method: .email, issueUntil: script.now.adding(CompanyScript.mpinWindow), by: .policy)
        try script.mpin(issue, id)
        let verified = try row(id, script)
        #expect(verified.statusName(at: issue.issueUntil.adding(.microseconds(-1))) == "activated")
        #expect(verified.statusName(at: issue.issueUntil) == "expired")
        try script.mpin(MPinClientKeyIssued(suite: .bls12381AMCL3SHA256, epoch: 1), id)
        #expect(try row(id, script).statusName(at: script.now) == "issued")
        #expect(try row(id, script).statusName(at: issue.issueUntil) == "expired")
        try script.mpin(MPinRegistered(), id)
        #expect(try row(id, script).statusName(at: script.now.adding(.seconds(1_000_000_000))) == "registered")
    }

    @Test func `wrong proofs are counted until a right one, and the end keeps their number`() throws {
        var script = CompanyScript()
        _ = try script.register("1")
        let id = try script.startMPin()
        try script.registerMPin(id)
        try script.mpin(MPinAuthenticationFailed(failures: 1, limit: 2, lifetime: 1), id)
        #expect(try row(id, script).failures == 1)
        try script.mpin(MPinFailuresCleared(), id)
        #expect(try row(id, script).failures == 0)
        try script.mpin(MPinAuthenticationFailed(failures: 1, limit: 2, lifetime: 2), id)
        try script.mpin(MPinAuthenticationFailed(failures: 2, limit: 2, lifetime: 3), id)
        try script.mpin(MPinBlocked(reason: .failures), id)
        let blocked = try row(id, script)
        #expect(blocked.status == .blocked && blocked.failures == 2 && blocked.endReason == "failures")
        // An erasure afterwards does not change how the identity ended.
        try script.mpin(MPinErased(by: .operator(nil)), id)
        #expect(try row(id, script) == blocked)
    }

    @Test func `a link, an end and an erasure are shown, and nothing follows an end`() throws {
        var script = CompanyScript()
        let employee = try script.register("1")
        let id = try script.startMPin()
        try script.linkMPin(id, to: employee)
        #expect(try row(id, script).employee == employee)
        try script.mpin(MPinRevoked(reason: .reclaimed, by: .operator(nil)), id)
        let revoked = try row(id, script)
        #expect(revoked.status == .revoked && revoked.endReason == "reclaimed" && revoked.expiresAt == nil)
        try script.mpin(MPinRegistered(), id)
        #expect(try row(id, script) == revoked)
        let erased = try script.startMPin()
        try script.mpin(MPinErased(by: .operator(nil)), erased)
        #expect(try row(erased, script).status == .revoked)
        #expect(try row(erased, script).endReason == "erased")
    }

    /// The service decides on the folded state and shows the row: both follow the same rules.
    @Test func `after every event the status is that of the folded state`() throws {
        var script = CompanyScript()
        let employee = try script.register("1")
        try script.everythingOfMPin(linkedTo: employee)
        var states: [UUID: MPinIdentity.State] = [:]
        var company = CompanyState()
        for event in try script.recorded() {
            try company.apply(event)
            guard let own = MPinIdentityEvent(try EventCodec.payload(of: event)) else { continue }
            let recorded = Recorded(
                own, id: event.id, time: event.time, position: event.position, version: event.streamVersion)
            MPinIdentity.evolve(&states[event.stream.id, default: MPinIdentity.initial], recorded)
            for row in company.mpinIdentities {
                let state = try #require(states[row.id.uuid])
                for time in [event.time, event.time.adding(.seconds(86_400))] {
                    #expect(row.statusName(at: time) == state.status(at: time).rawValue, "\(event.type)")
                }
                #expect(Int(row.failures) == state.failures && row.employee == state.link?.employee)
                #expect(row.startedAt == state.startedAt)
            }
        }
        #expect(states.count == 9)
    }

    @Test func `an activation code is open, used, ended or expired`() throws {
        var script = CompanyScript()
        _ = try script.register("1")
        let used = try script.issueMPinCode(for: "204"), ended = try script.issueMPinCode(for: "205")
        try script.add(
            MPinActivationUsed(activationID: used, identityID: MPinIdentityID(UUID())), "activation", used.uuid)
        for failures in 1...MPinActivation.maximumFailures {
            try script.add(
                MPinActivationFailed(activationID: ended, failures: failures, limit: MPinActivation.maximumFailures),
                "activation", ended.uuid)
        }
        let open = try script.issueMPinCode(for: "206")
        let codes = try script.state().mpinActivations
        #expect(codes.map(\.id) == [used, ended, open])
        #expect(codes.map { $0.stateName(at: script.now) } == ["used", "ended", "open"])
        #expect(codes[2].stateName(at: codes[2].expiresAt) == "expired")
        #expect(try codes[2].userID.open(with: script.keys, in: script.tenant.uuid) == "206")
    }

    @Test func `a diff shows identities and codes, and an expiry without an event`() throws {
        var script = CompanyScript()
        let employee = try script.register("1")
        let before = script
        let id = try script.startMPin(), code = try script.issueMPinCode(for: "204")
        try script.linkMPin(id, to: employee)
        let later = try before.state().changes(to: script.state(), times: (before.now, script.now))
        let subject = StateChange.Subject.mpinIdentity(id, employee)
        #expect(later.contains(StateChange(subject: subject, member: "status", before: nil, after: "started")))
        #expect(
            later.contains(StateChange(subject: .mpinActivation(code), member: "state", before: nil, after: "open")))
        let state = try script.state(), end = script.now.adding(.seconds(86_401))
        let expired = state.changes(to: state, times: (script.now, end))
        #expect(expired.map(\.before) == ["started", "open"] && expired.map(\.after) == ["expired", "expired"])
    }
}

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct MPinIdentityViewTests {
    @Test func `the live rows are those of a replay and of a rebuild, and pages follow the starts`() async throws {
        try await Stage.run { stage in
            var script = CompanyScript()
            let employee = try script.register("1")
            try script.everythingOfMPin(linkedTo: employee)
            try await stage.append(script)
            try await stage.following(pageSize: 7) { _ in try await stage.settle(script) }
            try await stage.expectEqual(script.tenant)
            let report = try await stage.rebuild.run(
                RebuildRequest(views: [.mpinIdentities], tenant: script.tenant, isDryRun: true)
            ) { _ in }
            #expect(report.differences.isEmpty)
            let expected = try script.state().mpinIdentities
            var rows: [MPinIdentityEntry] = []
            while true {
                let page = try await stage.views.mpinIdentities(
                    in: script.tenant, after: rows.last?.identity.startedPosition ?? 0, limit: 2)
                rows += page
                if page.count < 2 { break }
            }
            #expect(rows.map(\.identity) == expected)
            #expect(rows.compactMap(\.employee?.id) == [employee])
        }
    }
}
