import Canonical
import Foundation
import Testing

@Suite(.onServer, .sharedWorld)
struct `The start of a registration` {
    /// The members of the challenge's JSON.
    private func challenge(_ flow: Flow) throws -> [String: JSONValue] {
        let bytes = try #require(Base64.decode(flow.challenge))
        let tag = Array("tenure/v1/challenge\n".utf8)
        try #require(bytes.starts(with: tag))
        return try CanonicalJSON.parse(Array(bytes.dropFirst(tag.count))).members
    }

    @Test func `does not tell whether the e-mail belongs to a user`() async throws {
        let client = try sharedWorld().client
        let known = try await client.found("start.example")
        let stranger = Person("nobody", at: "start.example")
        var seen: [Set<String>] = []
        for person in [known.person.also("second", at: "start-2.example"), stranger] {
            var credentials: Set<String> = []
            for _ in 0..<4 {
                let members = try challenge(try await Flow.register(person, Device(), client))
                credentials.insert(try #require(members["credential"]?.text))
            }
            // Neither the same id each time nor an id that a login of that user names.
            #expect(credentials.count == 4)
            seen.append(credentials)
        }
        let login = try challenge(try await Flow.logIn(known.person, known.device, client))
        let own = try #require(login["credential"]?.text)
        #expect(seen.allSatisfy { !$0.contains(own) })
    }

    @Test func `of somebody new names the credential that is then set`() async throws {
        let client = try sharedWorld().client
        let person = Person("new", at: "start-new.example")
        let device = Device()
        let flow = try await Flow.register(person, device, client)
        let named = try #require(try challenge(flow)["credential"]?.text)
        expectOutcome(try await flow.complete(person, try await flow.prove(device)), "success")
        let login = try challenge(try await Flow.logIn(person, device, client))
        #expect(login["credential"]?.text == named)
    }
}
