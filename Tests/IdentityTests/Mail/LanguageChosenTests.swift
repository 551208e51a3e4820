@testable import Identity
import Testing

@Suite struct `The language of a person` {
    private func user() throws -> User.State {
        User.fold([Sample.recorded(.credentialsSet(try `Users and apps`.credentials()), position: 4)])
    }

    private func chosen(_ tag: String?) -> UserEvent {
        .languageChosen(LanguageChosen(userID: Scene.user, language: Personal(Scene.user, tag)))
    }

    @Test func `is recorded when it changes`() throws {
        var state = try user()
        #expect(state.language == nil)
        #expect(try User.decide(state, .chooseLanguage(.german)) == [chosen("de")])
        User.evolve(&state, Sample.recorded(chosen("de")))
        #expect(state.language == .german)
        #expect(try User.decide(state, .chooseLanguage(.german)) == [])
        #expect(try User.decide(state, .chooseLanguage(.french)) == [chosen("fr")])
    }

    @Test func `is not known without its text, and ends with the person`() throws {
        var state = try user()
        User.evolve(&state, Sample.recorded(chosen(nil)))
        #expect(state.language == nil)
        User.evolve(&state, Sample.recorded(chosen("de")))
        User.evolve(&state, Sample.recorded(.erased(UserErased(userID: Scene.user, by: .operator(nil)))))
        #expect(state.language == nil)
        #expect(throws: User.Rejection.unknownUser) { try User.decide(state, .chooseLanguage(.german)) }
        #expect(throws: User.Rejection.unknownUser) { try User.decide(User.initial, .chooseLanguage(.german)) }
    }

    @Test func `fills no stream`() throws {
        var state = try user()
        for number in 0..<User.mostLanguageChoices {
            User.evolve(&state, Sample.recorded(chosen(number.isMultiple(of: 2) ? "de" : "fr")))
        }
        #expect(try User.decide(state, .chooseLanguage(.english)) == [])
    }
}
