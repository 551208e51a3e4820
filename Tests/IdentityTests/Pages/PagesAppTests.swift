import Testing

@testable import Identity

@Suite struct `The app of the pages` {
    @Test func `is named by the operator alone, once, and is an app that exists`() throws {
        var state = try `Users and apps`.app()
        let by = try Scene.operated()
        #expect(!state.isPagesApp)
        for caller in [Scene.appCaller(), Scene.securityAdmin, Scene.personnelApp] {
            let other = try Scene.decision(caller)
            #expect(throws: App.Rejection.notPermitted) { try App.decide(state, .enablePages(other)) }
        }
        let events = try App.decide(state, .enablePages(by))
        #expect(events == [.pagesEnabled(PagesEnabled(appID: Scene.app, by: by.authority))])
        for event in events { App.evolve(&state, Sample.recorded(event)) }
        #expect(state.isPagesApp)
        #expect(try App.decide(state, .enablePages(by)).isEmpty)
        #expect(throws: App.Rejection.unknownApp) { try App.decide(App.initial, .enablePages(by)) }
    }
}
