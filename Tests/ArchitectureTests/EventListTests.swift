import Testing

/// One list makes an event known: the catalogue. The page, verification and the conformances are held against it.
@Suite struct EventListTests {
    /// The events of which verification reads the entry alone: nobody decided them, and no other event depends on them.
    private static let unjudged: Set<String> = ["EventsKeyReplaced", "MailQueued", "MailSent", "MailFailed"]

    /// The events that name an employee and change nothing in a projection: credentials, invitations and sessions.
    private static let unprojected: Set<String> = [
        "BrowserSessionOpened", "ConsentGiven", "ConsentWithdrawn", "DeviceNamed", "DisplayNameSet", "GrantOpened",
        "InvitationUsed", "RecoveryCancelled", "RecoveryConfirmed", "RecoveryOpened", "SessionOpened", "WaitEnded",
        "DeviceMailConfirmed", "PasskeyBackupChanged", "PasskeyCounted", "PasskeyCounterRepeated", "PasskeyValidated",
    ]

    @Test func `the page of events lists the catalogue in order, in the words of the code`() throws {
        let declared = try declarations(), page = try #require(Checkout.file("docs/events.md"))
        let expected = try catalogue().map { "| `\($0)` | \(declared[$0]?.summary ?? "") |" }
        #expect(expected.count > 60)
        #expect(page.lines.filter { $0.hasPrefix("| `") }.map(String.init) == expected)
    }

    @Test func `every event is judged by verification, or listed as one that nobody decided`() throws {
        let files = try Checkout.files(in: "Sources/IdentityService/Audit", endingIn: [".swift"])
        #expect(files.count > 10, "the files were not found")
        // The keys of codes are read by who starts and who reads, not judged there.
        let others = ["/LogBeginning", "+RefreshDisowned"]
        let judged = Set(files.filter { file in !others.contains { file.path.contains($0) } }.flatMap(words))
        let left = try catalogue().filter { !judged.contains($0) }
        #expect(Set(left) == Self.unjudged)
        #expect(try Self.unjudged.isDisjoint(with: decided()))
    }

    @Test func `every event with an authority is a decided event, whose statement the log checks`() throws {
        let authorized = try declarations().filter(\.value.hasAuthority).map(\.key)
        #expect(authorized.count > 30)
        #expect(authorized.sorted() == (try decided()).sorted())
    }

    @Test func `every event about an employee is known to projections as one, or listed as one that they ignore`()
        throws
    {
        let source = try #require(Checkout.file("Sources/Projections/Shared/ReadModel.swift")).text
        let known = Set(source.matches(of: /case let event as (\w+): event\.employeeID\.uuid/).map(\.output.1))
        let about = try declarations().filter(\.value.namesEmployee).keys
        #expect(about.count > 15)
        #expect(Set(about.filter { !known.contains(Substring($0)) }) == Self.unprojected)
    }

    @Test func `the check finds an authority and the words of a declaration`() {
        let text = """
            /// Somebody came. And more.
            public struct Came: EventPayload {
                public var by: Authority
                public var employeeID: EmployeeID
            }

            /// Somebody went, and
            /// said so.
            public struct Went: EventPayload {
                public var by: Authority?
            }
            """
        let found = declarations(in: Checkout.File(path: "", text: text))
        #expect(found.map(\.name) == ["Came", "Went"])
        #expect(found.map(\.hasAuthority) == [true, false])
        #expect(found.map(\.namesEmployee) == [true, false])
        #expect(found.map(\.summary) == ["Somebody came.", "Somebody went, and said so."])
    }

    private struct Declaration {
        let name: String
        /// The first sentence of the comment.
        let summary: String
        let hasAuthority: Bool
        let namesEmployee: Bool
    }

    private func catalogue() throws -> [String] {
        let source = try #require(Checkout.file("Sources/Identity/Shared/EventPayload.swift")).text
        let list = try #require(source.firstMatch(of: /let all: \[any EventPayload\.Type\] = \[([^\]]*)\]/)).output.1
        return list.matches(of: /(\w+)\.self/).map { String($0.output.1) }
    }

    private func decided() throws -> Set<String> {
        let source = try #require(Checkout.file("Sources/Identity/Shared/DecidedEvent.swift")).text
        return Set(source.matches(of: /extension (\w+): DecidedEvent \{\}/).map { String($0.output.1) })
    }

    private func declarations() throws -> [String: Declaration] {
        let files = try Checkout.files(in: "Sources/Identity", endingIn: [".swift"])
        return Dictionary(files.flatMap(declarations).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private func declarations(in file: Checkout.File) -> [Declaration] {
        var found: [Declaration] = [], comment: [Substring] = []
        let lines = file.lines
        for (number, line) in lines.enumerated() {
            if line.hasPrefix("///") {
                comment.append(line.dropFirst(3).drop { $0 == " " })
                continue
            }
            if let name = line.firstMatch(of: /^(?:public|package) struct (\w+): EventPayload\b/)?.output.1 {
                let body = lines[number...].prefix { $0 != "}" }
                let member = /\s+(?:public|package) (?:var|let) (\w+: \w+)/
                let types = body.compactMap { $0.wholeMatch(of: member)?.output.1 }
                found.append(
                    Declaration(
                        name: String(name), summary: sentence(comment),
                        hasAuthority: types.contains { $0.hasSuffix(": Authority") },
                        namesEmployee: types.contains("employeeID: EmployeeID")))
            }
            comment = []
        }
        return found
    }

    /// The text up to the first full stop that a space or the end follows.
    private func sentence(_ comment: [Substring]) -> String {
        let text = comment.prefix { !$0.isEmpty }.joined(separator: " ")
        return text.firstRange(of: ". ").map { String(text[..<$0.lowerBound]) + "." } ?? text
    }

    private func words(of file: Checkout.File) -> [String] {
        file.lines.filter { !$0.drop(while: { $0 == " " }).hasPrefix("//") }
            .flatMap { $0.matches(of: /[A-Z]\w+/).map { String($0.output) } }
    }
}
