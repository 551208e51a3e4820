import Testing

@testable import Identity

@Suite struct `The end of an app` {
    @Test func `revokes its secrets, and leaves an app that does not exist`() throws {
        var state = try `Users and apps`.app()
        let by = try Scene.operated(), secrets = state.secrets.values.filter { !$0.isRevoked }
        let events = try App.decide(state, .end(by))
        #expect(events.count == secrets.count + 1 && secrets.count == 2)
        #expect(events.last == .ended(AppEnded(appID: Scene.app, by: by.authority)))
        for event in events.dropLast() { App.evolve(&state, Sample.recorded(event)) }
        #expect(state.secrets.values.allSatisfy { $0.isRevoked })
        App.evolve(&state, Sample.recorded(events[secrets.count]))
        #expect(state.isEnded && state.id == nil && state.name == nil && state.secrets.isEmpty)
        #expect(state.client == nil && state.resources.isEmpty)
        #expect(throws: App.Rejection.unknownApp) { try App.decide(state, .end(by)) }
        #expect(throws: App.Rejection.unknownApp) { try App.decide(state, .enablePages(by)) }
        let again = App.Command.register(
            Scene.app, name: "Demo", salt: try Sample.bytes32(1), customQuestions: false, by)
        #expect(throws: App.Rejection.alreadyRegistered) { try App.decide(state, again) }
        // What is written afterwards counts for nothing.
        let ended = state
        for event in try App.decide(App.initial, again) { App.evolve(&state, Sample.recorded(event)) }
        #expect(state == ended)
    }

    @Test func `is the operator's decision, and not about the app of the pages`() throws {
        var state = try `Users and apps`.app()
        for caller in [Scene.appCaller(), Scene.securityAdmin, Scene.personnelApp] {
            let other = try Scene.decision(caller)
            #expect(throws: App.Rejection.notPermitted) { try App.decide(state, .end(other)) }
        }
        let by = try Scene.operated()
        #expect(throws: App.Rejection.unknownApp) { try App.decide(App.initial, .end(by)) }
        for event in try App.decide(state, .enablePages(by)) { App.evolve(&state, Sample.recorded(event)) }
        #expect(throws: App.Rejection.isPagesApp) { try App.decide(state, .end(by)) }
    }
}
