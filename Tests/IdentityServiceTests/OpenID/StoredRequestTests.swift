import Canonical
import Foundation
import Identity
import Testing

@testable import IdentityService

struct StoredRequestTests {
    @Test func `a request is kept with what was asked twice and what the person answered`() throws {
        let pairs = [("client_id", "a"), ("state", "b"), ("nonce", "c"), ("nonce", "d")].map { (name: $0, value: $1) }
        var request = StoredRequest(AuthorizationParameters(pairs), at: Timestamp(microseconds: 1_795_000_000_123_456))
        func kept() throws -> StoredRequest {
            try StoredRequest.members.read(
                CanonicalJSON.parse(StoredRequest.members.write(request).canonicalBytes()))
        }
        #expect(try kept().answers == AuthorizationSituation.Answers())
        request.answers.chosen = EmployeeID(UUID())
        request.answers.consent = (by: EmployeeID(UUID()), isGiven: true)
        request.answers.withoutAddress = EmployeeID(UUID())
        let read = try kept()
        #expect(read.handle == request.handle && read.arrivedAt == request.arrivedAt)
        #expect(read.parameters == request.parameters && read.parameters.repeated == ["nonce"])
        #expect(read.answers == request.answers)
    }
}
