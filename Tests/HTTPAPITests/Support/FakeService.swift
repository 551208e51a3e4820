import Canonical
import FoundationEssentials

@testable import IdentityService

/// A service that answers fixed things, records what it was asked, and fails on demand.
struct FakeService: TenureService {
    static let secret = "s3cret:with:colons"
    static let token = "dG9rZW4"
    static let appId = UUID(uuid: (1, 0, 0, 0, 0, 0, 64, 0, 128, 0, 0, 0, 0, 0, 0, 1))
    static let employeeId = UUID(uuid: (2, 0, 0, 0, 0, 0, 64, 0, 128, 0, 0, 0, 0, 0, 0, 2))
    static let time = Timestamp(microseconds: 1_800_000_000_000_000)
    static let fingerprint = String(repeating: "ab", count: 32)

    let recorder = Recorder()
    /// Thrown by every method after authentication.
    var failure: (any Error & Sendable)?
    var outcome = FlowOutcome.validateAnswers(
        challenge: [1, 2, 3], questions: [ShownQuestion(questionId: "AAAA", question: "Why?")])
    var decision = Decision.done(
        EmployeeSummary(companyName: "Acme", companyEmployeeId: "7", status: "active", role: "employee"), position: 9)
    var next: Int64?
    var missing: [String] = []
    var stoppedViews: [String: Int] = [:]
    /// How long each method takes.
    var delay: Duration = .zero

    func enter(_ name: String, _ details: [String: String] = [:], _ call: Call? = nil) async throws {
        await recorder.add(.init(name: name, details: details, call: call))
        if delay > .zero { try await Task.sleep(for: delay) }
        if let failure { throw failure }
    }

    func authenticate(appId: String, secret: String) async throws -> AppCaller {
        await recorder.add(.init(name: "authenticateApp", details: ["appId": appId, "secret": secret]))
        guard appId == "app" else { throw ServiceError(.appUnknown) }
        guard secret == Self.secret else { throw ServiceError(.appSecretInvalid) }
        return AppCaller(
            appId: Self.appId, secretId: Self.appId, roles: Set(CallerRole.allCases),
            presented: PresentedSecret(secret: [], salt: []))
    }

    func authenticate(accessToken: String) async throws -> EmployeeCaller {
        await recorder.add(.init(name: "authenticateEmployee", details: ["token": accessToken]))
        guard accessToken == Self.token else { throw ServiceError(.sessionInvalid) }
        return EmployeeCaller(
            tenantId: Self.employeeId, employeeId: Self.employeeId, sessionId: Self.employeeId, fingerprint: [])
    }

    func readiness() async -> ReadinessReport { ReadinessReport(missing: missing, stoppedViews: stoppedViews) }
}
