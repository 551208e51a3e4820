@testable import Identity
import Testing

@Suite struct `Erasing` {
    @Test func `an employee cancels the account, ends every key, and is permanent`() throws {
        var state = try Scene.state([.register(Scene.register(founding: true))])
        let erase = Employee.Command.erase(.init(role: .employee, decision: try Scene.operated()))
        let events = try Employee.decide(state, erase)
        #expect(
            events == [
                .cancelled(
                    EmployeeCancelled(
                        employeeID: Scene.employee, reason: .cancelled, by: try Scene.operated().authority)),
                .erased(EmployeeErased(employeeID: Scene.employee, by: try Scene.operated().authority)),
            ])
        Scene.apply(events, to: &state)
        #expect(state.account?.isErased == true && state.account?.status == .cancelled)
        #expect(state.authorizedKeys.isEmpty && state.keys[Scene.firstKey]?.status == .revoked)
        #expect(try Employee.decide(state, erase).isEmpty)
        #expect(throws: Employee.Rejection.inactive) {
            try Employee.decide(state, Scene.reinstate())
        }
        #expect(try Employee.decide(state, .reclaimEmail(try `Life of an employee key`.reclaim())).isEmpty)
        let present = Employee.PresentKey(key: Scene.otherKey, flow: EventSamples.flow, time: Scene.now)
        #expect(throws: Employee.Rejection.inactive) { try Employee.decide(state, .presentKey(present)) }
        #expect(Employee.login(state, key: Scene.firstKey, flow: EventSamples.flow, time: Scene.now) == .inactive)
    }

    @Test func `an already cancelled employee adds only the erasure`() throws {
        var state = try Scene.state([.register(Scene.register(founding: true))])
        Scene.apply(
            try Employee.decide(state, Scene.cancel()), to: &state)
        let events = try Employee.decide(state, .erase(.init(role: .employee, decision: try Scene.operated())))
        #expect(events == [.erased(EmployeeErased(employeeID: Scene.employee, by: try Scene.operated().authority))])
    }

    @Test func `the security admin needs an explicit option`() throws {
        let state = try Scene.state([.register(Scene.register(founding: true))])
        var erase = Employee.Erase(role: .securityAdmin, decision: try Scene.operated())
        #expect(throws: Employee.Rejection.securityAdmin) { try Employee.decide(state, .erase(erase)) }
        erase.includesSecurityAdmin = true
        #expect(try Employee.decide(state, .erase(erase)).count == 2)
    }

    @Test func `is permitted to the operator only`() throws {
        let employee = try Scene.state([.register(Scene.register(founding: true))])
        let user = User.fold([Sample.recorded(.credentialsSet(try `Users and apps`.credentials()))])
        for caller in [Scene.appCaller(), Scene.person(), Scene.person(role: .securityAdmin)] {
            #expect(throws: Employee.Rejection.notPermitted) {
                try Employee.decide(employee, .erase(.init(role: .employee, decision: Scene.decision(caller))))
            }
            #expect(throws: User.Rejection.notPermitted) { try User.decide(user, .erase(Scene.decision(caller))) }
        }
        #expect(throws: Employee.Rejection.unknownEmployee) {
            try Employee.decide(Employee.initial, .erase(.init(role: .employee, decision: try Scene.operated())))
        }
        #expect(throws: User.Rejection.unknownUser) { try User.decide(User.initial, .erase(Scene.operated())) }
    }

    @Test func `a user ends address and credentials, and lists the seeds to destroy`() throws {
        var state = User.fold([
            Sample.recorded(.credentialsSet(try `Users and apps`.credentials(5))),
            Sample.recorded(.credentialsChanged(try `Users and apps`.change(6, of: 5)), position: 2),
        ])
        let events = try User.decide(state, .erase(Scene.operated()))
        #expect(events == [.erased(UserErased(userID: Scene.user, by: try Scene.operated().authority))])
        for event in events { User.evolve(&state, Sample.recorded(event, position: 3)) }
        #expect(state.isErased && !state.holdsEmail && state.credentials == nil)
        #expect(state.everyCredential == [Sample.id(5), Sample.id(6)])
        #expect(try User.decide(state, .erase(Scene.operated())).isEmpty)
        #expect(
            try User.decide(state, .releaseEmail(tenant: EventSamples.tenant)).isEmpty,
            "the address is free already")
        #expect(throws: User.Rejection.credentialsExist) {
            try User.decide(state, .setCredentials(`Users and apps`.credentials(7)))
        }
    }
}
