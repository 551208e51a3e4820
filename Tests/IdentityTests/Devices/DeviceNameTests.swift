import Canonical
import ErrorCodes
@testable import Identity
import Testing

/// Names of devices: what a name is, and which device gets one.
@Suite struct DeviceNameTests {
    private static let fingerprint = KeyFingerprint(of: Scene.firstKey)

    private func command(_ fingerprint: KeyFingerprint = Self.fingerprint) throws -> Employee.Command {
        .nameDevice(Employee.NameDevice(fingerprint: fingerprint, name: try DeviceName("Laptop")))
    }

    @Test func `a name has no spaces around it and no invisible characters`() throws {
        #expect(try DeviceName("  Zoë’s tablet ").text == "Zoë’s tablet")
        #expect(try DeviceName(String(repeating: "x", count: 128)).text.count == 128)
        for text in ["", "   ", "a\u{0}b", "a\nb", "a\u{202E}b", "a\u{200B}b", String(repeating: "x", count: 129)] {
            let error = #expect(throws: ValueError.self) { try DeviceName(text) }
            #expect(error?.code == .requestInvalid && error?.field == "name")
        }
    }

    @Test func `a device that waits or is in force is named, and the name is the owner's`() throws {
        var state = try Scene.state([.register(Scene.register(founding: true))])
        let events = try Employee.decide(state, command())
        let named = DeviceNamed(
            employeeID: Scene.employee, fingerprint: Self.fingerprint, name: Personal(Scene.employee, "Laptop"))
        #expect(events == [.deviceNamed(named)])
        Scene.apply(events, to: &state)
        #expect(state.namings == [Self.fingerprint: 1])
        Scene.apply(
            try Employee.decide(
                state, .presentKey(.init(key: Scene.otherKey, flow: EventSamples.flow, time: Scene.now))), to: &state)
        #expect(try !Employee.decide(state, command(KeyFingerprint(of: Scene.otherKey))).isEmpty)
    }

    @Test func `a device that ended, another one, and that of a cancelled account get no name`() throws {
        var state = try Scene.state([.register(Scene.register(founding: true))])
        #expect(throws: Employee.Rejection.unknownKey) {
            try Employee.decide(state, command(KeyFingerprint(of: Scene.otherKey)))
        }
        #expect(throws: Employee.Rejection.unknownEmployee) { try Employee.decide(Employee.initial, command()) }
        let reason = try #require(ReasonCode("lost"))
        Scene.apply(
            [
                .keyRevoked(
                    EmployeeKeyRevoked(
                        employeeID: Scene.employee, key: Scene.firstKey, reason: reason, by: .operator(nil)))
            ], to: &state)
        #expect(throws: Employee.Rejection.unknownKey) { try Employee.decide(state, command()) }
        Scene.apply(
            [.cancelled(EmployeeCancelled(employeeID: Scene.employee, reason: .cancelled, by: .operator(nil)))],
            to: &state)
        #expect(throws: Employee.Rejection.inactive) { try Employee.decide(state, command()) }
    }

    @Test func `a device is named twenty times at most, because every decision reads these events`() throws {
        var state = try Scene.state([.register(Scene.register(founding: true))])
        for _ in 0..<Employee.namingLimit { Scene.apply(try Employee.decide(state, command()), to: &state) }
        #expect(throws: Employee.Rejection.tooManyNames) { try Employee.decide(state, command()) }
        #expect(Employee.Rejection.tooManyNames.code == .authorizationNotPermitted)
        #expect(Employee.Rejection.tooManyNames.reason != nil)
    }
}
