import Canonical
import EventCoding
import FoundationEssentials
@testable import Identity
import Keys
import Ledger
import Postgres
import TestSupport
import Testing

@testable import Projections

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct EventLogTests {
    @Test func `a range of times or positions returns exactly its events`() async throws {
        try await Stage.run { stage in
            let script = try CompanyScript.eventful()
            try await stage.append(script)
            let log = EventLog(pool: stage.readers, codes: .test, keys: nil)
            func positions(_ range: EventLog.Range) async throws -> [Int64] {
                var positions: [Int64] = []
                try await log.replay(script.ledger, range) { events, _ in
                    positions += events.map(\.recorded.position)
                }
                return positions
            }
            let all = (1...Int64(script.events.count)).map(\.self)
            #expect(try await positions(.init()) == all)
            #expect(try await positions(.init(fromPosition: 3, toPosition: 5)) == [3, 4, 5])
            let (third, fifth) = (script.events[2].time, script.events[4].time)
            #expect(try await positions(.init(from: third, to: fifth)) == [3, 4, 5])
            #expect(try await positions(.init(from: third.adding(.microseconds(1)), to: fifth)) == [4, 5])
            #expect(try await positions(.init(to: CompanyScript.start.adding(.microseconds(-1)))) == [])
            #expect(try await positions(.init(from: script.now.adding(.seconds(1)))) == [])
            #expect(try await positions(.init(fromPosition: 4, from: third, to: fifth)) == [4, 5])
        }
    }

    @Test func `personal members are opened, erased ones are marked, and others are unchanged`() throws {
        var script = CompanyScript()
        let employee = try script.register("E-1")
        let event = try #require(try script.recorded().first)
        #expect(OpenedEvent.owners(event) == [employee.uuid])
        let opened = OpenedEvent(event, keys: script.keys)
        #expect(opened.data["companyEmployeeId"] == "E-1")
        #expect(opened.data["email"] == "E-1@example.test")
        #expect(opened.json["position"] == 1)
        #expect(opened.json["requestId"] == "test")
        #expect(OpenedEvent(event, keys: [:]).data["email"] == "[erased]")
        #expect(OpenedEvent(event, keys: nil).data["email"] == "[sealed]")
        #expect(opened.data["employeeId"] == event.data["employeeId"])
        #expect(opened.data["approved"] == event.data["approved"])
        // Every member of the entry is there, and the position besides.
        let entry = try CanonicalJSON.parse(event.entry)
        guard case .object(let members) = entry, case .object(let shown) = opened.json else {
            Issue.record("objects are expected")
            return
        }
        #expect(Set(shown.keys) == Set(members.keys).union(["position"]))
    }

    @Test func `names open with the stored keys and read erased without them`() async throws {
        try await Stage.run { stage in
            var script = CompanyScript()
            let employee = try script.register("E-1")
            let masters = MasterKeys.random()
            _ = try await KeyRing.load(from: stage.pool, masters: masters)
            let persons = PersonKeys(pool: stage.pool, masters: masters)
            let (key, insertion) = try await persons.create(id: employee.uuid, ledger: script.tenant.uuid)
            try await stage.pool.withTransaction(in: [script.ledger]) { connection in
                _ = try await connection.execute(insertion)
            }
            // The event as it is sealed under the key that is stored.
            var stored = CompanyScript(tenant: script.tenant)
            stored.use(key)
            let again = try stored.register("E-1", as: employee)
            #expect(again == employee)
            try await stage.append(stored)
            func emails() async throws -> [JSONValue?] {
                let keys = PersonKeys(pool: stage.readers, masters: masters, cachedKeys: 0)
                var emails: [JSONValue?] = []
                try await EventLog(pool: stage.readers, codes: .test, keys: keys).replay(script.ledger) { events, _ in
                    emails += events.filter { $0.recorded.position == 1 }.map { $0.data["email"] }
                }
                return emails
            }
            #expect(try await emails() == ["E-1@example.test"])
            try await stage.execute("DELETE FROM tenure.person_key")
            #expect(try await emails() == ["[erased]"])
        }
    }

    @Test func `the log lists every ledger, tenants last`() async throws {
        try await Stage.run { stage in
            let script = try CompanyScript.eventful()
            try await stage.append(script)
            _ = try await stage.appender.append(.test(.test(.system)))
            _ = try await stage.appender.append(.test(.test(.directory(255)), events: 2))
            let ledgers = try await EventLog(pool: stage.readers, codes: .test, keys: nil).ledgers()
            #expect(ledgers.map(\.id) == [.system, .directory(255), script.ledger])
            #expect(ledgers.map(\.size) == [1, 2, Int64(script.events.count)])
            #expect(ledgers.map(\.id.isTenant) == [false, false, true])
        }
    }
}
