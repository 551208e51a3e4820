@testable import Identity
import Testing

@Suite struct `Resources of an app` {
    private static func resource(_ number: Int) throws -> ResourceIndicator {
        try ResourceIndicator("https://api.example.com/\(number)")
    }

    private static func apply(_ command: App.Command, to state: inout App.State) throws -> [AppEvent] {
        let events = try App.decide(state, command)
        for event in events { App.evolve(&state, Sample.recorded(event)) }
        return events
    }

    @Test func `are added and removed, each once`() throws {
        var state = try `Users and apps`.app()
        let by = try Scene.operated(), first = try Self.resource(1), second = try Self.resource(2)
        #expect(state.resources == [])
        #expect(
            try Self.apply(.addResource(first, by), to: &state) == [
                .resourceAdded(AppResourceAdded(appID: Scene.app, resource: first, by: by.authority))
            ])
        #expect(try Self.apply(.addResource(first, by), to: &state).isEmpty)
        #expect(try Self.apply(.addResource(second, by), to: &state).count == 1)
        #expect(state.resources == [first.text, second.text])
        let secrets = state.secrets
        #expect(
            try Self.apply(.removeResource(first, by), to: &state) == [
                .resourceRemoved(AppResourceRemoved(appID: Scene.app, resource: first, by: by.authority))
            ])
        #expect(state.resources == [second.text] && state.secrets == secrets)
        #expect(throws: App.Rejection.unknownResource) { try App.decide(state, .removeResource(first, by)) }
        #expect(try Self.apply(.addResource(first, by), to: &state).count == 1, "a removed one can be added again")
    }

    @Test func `are 32 at most`() throws {
        var state = try `Users and apps`.app()
        let by = try Scene.operated()
        for number in 1...32 { _ = try Self.apply(.addResource(Self.resource(number), by), to: &state) }
        let one = try Self.resource(1), more = try Self.resource(33)
        #expect(state.resources.count == App.maximumResources)
        #expect(throws: App.Rejection.tooManyResources) { try App.decide(state, .addResource(more, by)) }
        #expect(try App.decide(state, .addResource(one, by)).isEmpty, "the app has this one")
        _ = try Self.apply(.removeResource(one, by), to: &state)
        #expect(try App.decide(state, .addResource(more, by)).count == 1)
    }

    @Test func `are the operator's decision about an app that exists`() throws {
        let resource = try Self.resource(1), state = try `Users and apps`.app()
        for caller in [Scene.appCaller(), Scene.securityAdmin, Scene.personnelApp] {
            let by = try Scene.decision(caller)
            for command in [App.Command.addResource(resource, by), .removeResource(resource, by)] {
                #expect(throws: App.Rejection.notPermitted) { try App.decide(state, command) }
            }
        }
        let by = try Scene.operated()
        for command in [App.Command.addResource(resource, by), .removeResource(resource, by)] {
            #expect(throws: App.Rejection.unknownApp) { try App.decide(App.initial, command) }
        }
    }
}
