import TenureAPI
import Testing

@testable import HTTPAPI

/// The pages while the operator has disabled them.
@Suite(.timeLimit(.minutes(5))) struct DisabledPageTests {
    private static var endpoints: [Endpoint] {
        var configuration = HTTPConfiguration(port: 0)
        configuration.servesPages = true
        let always: [Endpoint] = [.readPageAsset, .armPage, .chooseLanguage]
        return Route.pages(configuration, .none).map(\.endpoint).filter { !always.contains($0) }
    }

    @Test func `every page and every form says that they are disabled`() async throws {
        var service = FakeService()
        service.hasPagesApp = false
        let id = "11111111-2222-4333-8444-555555555555", endpoints = Self.endpoints
        #expect(endpoints.contains(.showLogIn) && endpoints.contains(.beginLogIn) && endpoints.contains(.showAccount))
        try await Browser.with(service) { browser in
            for endpoint in endpoints {
                let filled = endpoint.template.path([
                    "flow": FakeService.flowID, "tenantId": id, "flowId": id, "userId": id,
                ])
                let path = filled.isEmpty ? "/" : filled
                let answer =
                    endpoint.method == "GET"
                    ? try await browser.get(path) : try await browser.post(path, [(name: "token", value: "x")])
                #expect(answer.status == 404, "\(endpoint.method) \(path)")
                #expect(answer.text.contains("<h1>The log-in pages are disabled</h1>"), "\(endpoint.method) \(path)")
            }
        }
        #expect(await service.recorder.entries.allSatisfy { $0.name == "actAsPagesApp" }, "a form was served")
    }

    @Test func `their files are served`() async throws {
        var service = FakeService()
        service.hasPagesApp = false
        let file = try await Browser.with(service) { try await $0.get(PageAsset.style.path) }
        #expect(file.status == 200)
    }
}
