import Testing

@testable import tenure

@Suite struct NounTests {
    @Test(arguments: [(0, "0 events"), (1, "1 event"), (2, "2 events"), (21, "21 events")])
    func `one thing is in the singular and any other number in the plural`(count: Int, text: String) {
        #expect(Noun.event.counted(count) == text)
    }

    @Test func `irregular plurals and verbs follow the number`() {
        #expect(Noun.company.counted(1) == "1 company")
        #expect(Noun.company.counted(2) == "2 companies")
        #expect(Noun.person.counted(1, "is", "are") == "1 person is")
        #expect(Noun.person.counted(3, "is", "are") == "3 people are")
        #expect(Noun.entry.counted(Int64(1)) == "1 entry")
    }
}
