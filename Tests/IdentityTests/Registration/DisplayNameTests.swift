import Canonical
import ErrorCodes
import Testing

@testable import Identity

/// The name that colleagues see: what a name is, who sets it, and which name looks like another one.
@Suite struct DisplayNameTests {
    @Test func `a name has single spaces, and may be of any script`() throws {
        #expect(try DisplayName("  Zoë \u{A0} Ünal ").text == "Zoë Ünal")
        for text in ["李小龙", "O’Neill, Jr.", "محمد", "Ada (Boat 7)", String(repeating: "x", count: 128)] {
            #expect(try DisplayName(text).text == text)
        }
    }

    @Test(arguments: [
        "", " \t ", "a\u{202E}b", "a\u{2066}b", "a\u{200B}b", "a\u{0}b", "a\nb", "<b>Ada</b>", "ada@pier.example",
        "Ada” (owner) “", "«Ada»", "\"Ada", "\"\u{301}", String(repeating: "x", count: 129),
        String(repeating: "x", count: 10_240), "a" + String(repeating: "\u{301}", count: 20),
    ]) func `markup, hidden characters, quotation marks and long texts are refused`(text: String) {
        let error = #expect(throws: ValueError.self) { try DisplayName(text) }
        #expect(error?.code == .requestInvalid && error?.field == "name")
    }

    private func command(_ name: String? = "Zoë") throws -> Employee.Command {
        .setDisplayName(Employee.SetDisplayName(name: try name.map { name throws in try DisplayName(name) }))
    }

    @Test func `the owner sets the name and removes it, twenty times at most`() throws {
        var state = try Scene.state([.register(Scene.register(founding: true))])
        let events = try Employee.decide(state, command())
        #expect(
            events == [
                .displayNameSet(DisplayNameSet(employeeID: Scene.employee, name: Personal(Scene.employee, "Zoë")))
            ])
        Scene.apply(events, to: &state)
        Scene.apply(try Employee.decide(state, command(nil)), to: &state)
        #expect(state.displayNamings == 2)
        for _ in 2..<Employee.namingLimit { Scene.apply(try Employee.decide(state, command()), to: &state) }
        #expect(throws: Employee.Rejection.tooManyNames) { try Employee.decide(state, command()) }
    }

    @Test func `nobody and a closed account get no name`() throws {
        #expect(throws: Employee.Rejection.unknownEmployee) { try Employee.decide(Employee.initial, command()) }
        var state = try Scene.state([.register(Scene.register(founding: true))])
        Scene.apply(
            [.cancelled(EmployeeCancelled(employeeID: Scene.employee, reason: .cancelled, by: .operator(nil)))],
            to: &state)
        #expect(throws: Employee.Rejection.inactive) { try Employee.decide(state, command()) }
    }
}

/// Names that look like those of admins.
@Suite struct NameLikenessTests {
    private let likeness = NameLikeness(to: ["Ada Lovelace", "bo", "", "Zoë Ünal"])

    @Test(arguments: [
        "Ada Lovelace", "ADA  LOVELACE", "ada.lovelace", "Lovelace, Ada", "Àda Lovelâce", "Аda Lоvelасе",
        "Ada Love1ace",
        "AdaLovelace", "Ada Lovelacce", "Ada Lovelase", "Ada Lvoelace", "Bo", "Β0", "Zoe Unal", "Zoё Ünal",
        "Security Admin", "adm1n", "The Owner", "CEO", "IT-Support", "аdmіn",
    ]) func `a name that a hurried reader takes for an admin's is found`(name: String) {
        #expect(likeness.finds(name))
    }

    @Test(arguments: ["Ada Byron", "Eva", "Bob", "Adam Lovett", "Zed", "李小龙", "Will Test", "", "!?", "Roderick"])
    func `another name is not`(name: String) {
        #expect(!likeness.finds(name))
    }

    @Test func `a name that no admin approved with its person stands in quotation marks`() {
        #expect(NameLikeness.shown("Zoë", isApproved: false) == "“Zoë”")
        #expect(NameLikeness.shown("Zoë", isApproved: true) == "Zoë")
    }
}
