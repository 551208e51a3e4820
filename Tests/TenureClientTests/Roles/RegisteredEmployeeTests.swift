import Canonical
import Credentials
import Foundation
import TenureAPI
import Testing

@testable import TenureClient

/// How the client learns which id in the ledger an employee has, before it signs anything about that id.
@Suite struct RegisteredEmployeeTests {
    private let scene: RoleScene

    init() throws { scene = try RoleScene() }

    private func decide(_ pages: [StubTransport.Step]) async throws -> (code: String?, sent: [WireRequest]) {
        let bytes = try scene.role(.appoint, try await scene.signer())
        let transport = StubTransport([scene.asking(bytes)] + pages)
        let session = try await scene.session(transport)
        let thrown = await code { _ = try await session.decideRole(.admin, of: "Bo") }
        let sent = await transport.sent
        return (thrown, sent)
    }

    @Test func `is read from the company's ledger, page by page, by the name in any spelling`() async throws {
        let empty = StubTransport.json(PageResponse<EventResponse>(items: [], next: 10_000))
        let (thrown, sent) = try await decide([empty, scene.registered("BO", scene.employee)])
        #expect(thrown == nil)
        let address = "https://id.example/v1/companies/A/events?"
        #expect(sent.dropFirst().allSatisfy { $0.method == "GET" && $0.url.hasPrefix(address) })
        #expect(sent.dropFirst().allSatisfy { $0.url.contains("employee=Bo") })
        #expect(sent.dropFirst().allSatisfy { $0.url.contains("type=EmployeeRegistered") })
        #expect(sent.last?.url.contains("after=10000") == true)
    }

    @Test func `is not what the ledger says of anybody else, and nothing is signed where it says nothing`() async throws
    {
        let nothing = StubTransport.json(PageResponse<EventResponse>(items: []))
        let others = [
            [nothing], [scene.registered("al", scene.employee)], [scene.registered("[erased]", scene.employee)],
            [scene.registered("bo", scene.employee, type: "EmployeeKeyPresented")],
            [scene.registered("bo", UUID())],
            // The first registration of the name counts.
            [
                scene.registered("al", scene.employee, next: 4), scene.registered("bo", UUID(), next: 5),
                scene.registered("bo", scene.employee),
            ],
        ]
        for pages in others {
            let (thrown, sent) = try await decide(pages)
            #expect(thrown == "client.signing_refused")
            #expect(sent.count { $0.method == "POST" } == 1)
        }
    }

    @Test func `is not looked for without an end`() async throws {
        let empty = StubTransport.json(PageResponse<EventResponse>(items: [], next: 7))
        let (thrown, sent) = try await decide([empty, empty, empty])
        #expect(thrown == "client.response_invalid")
        #expect(sent.count == 3)
        let endless = (1...1_100).map { StubTransport.json(PageResponse<EventResponse>(items: [], next: Int64($0))) }
        let (limited, requests) = try await decide(endless)
        #expect(limited == "client.response_invalid")
        #expect(requests.count == 1_001)
    }
}
