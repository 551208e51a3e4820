import Testing

@Suite(.onServer, .sharedWorld)
struct `The description that the service gives of itself` {
    @Test func `lists every code of the contract and no other`() async throws {
        let reply = try await sharedWorld().client.send(HTTPRequest("GET", "/openapi.yaml"))
        #expect(reply.status == 200)
        let text = String(decoding: reply.body, as: UTF8.self)
        let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
        let listed = lines.filter { $0.hasPrefix("- ") }.map { String($0.dropFirst(2)) }
        let codes = listed.filter { $0.wholeMatch(of: /[a-z]+\.[a-z_]+/) != nil }
        #expect(Set(codes) == Set(documentedCodes.keys))
        #expect(codes.count == documentedCodes.count)
    }
}
