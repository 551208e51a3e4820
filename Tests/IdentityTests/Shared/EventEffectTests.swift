import Canonical
import Identity
import Testing

/// What an append does beside recording an event is told by the event's type, and never by its JSON.
@Suite struct EventEffectTests {
    @Test func `an event whose data carries a statement has it, and no other has one`() throws {
        var signed: Set<String> = []
        for payload in try EventSamples.all() {
            let bytes = try GoldenFiles.encode(payload)["by"]?["statement"]
            #expect(payload.statement.map { JSONValue.bytes($0.statement) } == bytes, "\(payload)")
            if bytes != nil { signed.insert(type(of: payload).type) }
        }
        #expect(signed.count > 25)
    }

    @Test func `these events change rows beside the log, and no others`() throws {
        var found: [String: Set<EventEffect>] = [:]
        for payload in try EventSamples.all() where !payload.effects.isEmpty {
            found[type(of: payload).type, default: []].formUnion(payload.effects)
        }
        #expect(
            found.keys.sorted() == [
                "AppSecretRevoked", "AppUnlinked", "EmailReclaimed", "EmployeeErased", "EmployeeIdReleased",
                "EmployeeKeyAuthorized", "EmployeeKeyRefused", "EmployeeKeyRevoked", "ReturnCompleted",
            ])
        let employee: EmployeeID = Sample.id(1), key = Sample.key(2)
        let authorized = EmployeeKeyAuthorized(employeeID: employee, key: key, by: .founding)
        #expect(authorized.effects == [.keyInForce(key, of: employee)])
        let released = EmployeeIdReleased(employeeID: employee, reason: .expired, by: .policy)
        #expect(released.effects == [.keysEnded(of: employee)])
        for case let reclaimed as EmailReclaimed in try EventSamples.all() {
            #expect(reclaimed.effects == [.keysEnded(of: reclaimed.employeeID)])
        }
        for case let completed as ReturnCompleted in try EventSamples.all() {
            #expect(completed.effects == [.keyInForce(completed.proof.key, of: completed.employeeID)])
        }
    }
}
