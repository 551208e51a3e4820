import TenureAPI
import Testing

@testable import HTTPAPI

@Suite struct RouteTests {
    @Test(arguments: Endpoint.all) func `every operation answers its sample`(endpoint: Endpoint) async throws {
        let service = FakeService()
        var configuration = HTTPConfiguration(port: 0)
        configuration.metricsToken = "metrics"
        let answer = try await API.with(service, configuration: configuration) { api in
            try await api.send(
                endpoint.method, Samples.path(endpoint),
                authorization: endpoint == .metrics ? "Bearer metrics" : Samples.authorization(endpoint),
                body: Samples.body(endpoint))
        }
        switch endpoint {
        case .startRegistration, .startLogin, .startChange, .startRecovery: #expect(answer.status == 201)
        case .closeSession: #expect(answer.status == 204)
        default: #expect(answer.status == 200)
        }
        let works = endpoint.template.text.hasPrefix("/v1/")
        #expect(await service.recorder.work.count == (works ? 1 : 0))
    }

    @Test func `the routes are the operations of the contract`() {
        let metrics = RequestMetrics()
        let served = Route.all(HTTPConfiguration(), metrics: metrics).map(\.endpoint)
        #expect(served.count == Set(served).count)
        #expect(Set(served) == Set(Endpoint.all))
    }

    @Test func `no two patterns of one method match the same path`() {
        for endpoint in Endpoint.all {
            let segments = PathTemplate.segments(of: Samples.path(endpoint)) ?? []
            let matching = Endpoint.all.filter {
                $0.method == endpoint.method && $0.template.match(segments) != nil
            }
            #expect(matching == [endpoint])
        }
    }

    @Test(arguments: Endpoint.all.filter { $0.access != .anyone })
    func `nothing is done for a caller without credentials`(endpoint: Endpoint) async throws {
        let service = FakeService()
        let answer = try await API.with(service) { api in
            try await api.send(
                endpoint.method, Samples.path(endpoint), authorization: nil, body: Samples.body(endpoint))
        }
        #expect(try answer.problem.code == (endpoint.access == .employee ? "session.invalid" : "app.unknown"))
        #expect(answer.header("WWW-Authenticate")?.isEmpty == false)
        #expect(await service.recorder.entries.isEmpty)
    }
}
