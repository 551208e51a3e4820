import Canonical
import Foundation
import IdentityService
import LocalDevelopment
import Logging
import TenureServer

extension Examination {
    /// Asks both D-TAs whether they work and accept the service's signing keys.
    func mpinAuthorities() async -> [Finding] {
        let subject = "D-TAs"
        do {
            guard let configuration = try await mpinConfiguration() else {
                return [
                    Finding(
                        subject: subject, verdict: .note,
                        detail: "none are configured, and none run here; M-Pin is not offered")
                ]
            }
            let client = try MPinAuthorityClient(configuration, logger: Logs.logger(level: .critical))
            return Self.findings(await client.examine(at: .now()))
        } catch {
            return [Finding(subject: subject, error: CommandFailure(describing: error) as (any Error)? ?? error)]
        }
    }

    static func findings(_ examinations: [MPinAuthorityExamination]) -> [Finding] {
        examinations.map { examination in
            let subject = "D-TA \(examination.number)"
            guard let failure = examination.failure else {
                return Finding(
                    subject: subject, verdict: .good,
                    detail: "\(examination.address) answers and accepts the signing key")
            }
            let remedy: String =
                switch failure.code {
                case .unavailable: "start it, or check its address and its certificate"
                case .refused: "compare its signing key, its clock and its version with the service's"
                case .malformed, .closed: "check that the address leads to this D-TA"
                }
            return Finding(subject: subject, verdict: .bad, detail: failure.description, remedy: remedy)
        }
    }

    /// The D-TAs of the settings, or those of a development service that runs here.
    private func mpinConfiguration() async throws -> MPinAuthorityClientConfiguration? {
        let settings = try await configured()
        if let configured = try settings.mpinAuthorities() { return configured }
        guard let cluster = try? await PrivateCluster.find(stateDirectory: state.path, mayMakeUser: false),
            cluster.layout.madeByMajor != nil, try await cluster.isRunning(),
            let text = try? String(contentsOf: URL(filePath: state.environmentFile), encoding: .utf8),
            let port = DevelopmentEnvironment(text: text).flatMap({ URL(string: $0.url)?.port })
        else { return nil }
        return try MPinAuthorityClientConfiguration(development: state, port: port)
    }
}
