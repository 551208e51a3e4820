import Foundation

/// The checks of `tenure doctor`; none of them changes anything.
struct Examination: Sendable {
    let state: StateDirectory

    func findings() async -> [Finding] {
        await [programs(), cluster()] + [
            secret("dev.env", state.environmentFile), secret("master keys", state.masterKeyFile),
        ] + durability() + views() + seals()
    }

    private func programs() async -> Finding {
        do {
            let found = try await PostgresInstallation.find()
            return Finding(
                subject: "PostgreSQL programs", verdict: .good, detail: "version \(found.major) in \(found.directory)")
        } catch {
            return Finding(subject: "PostgreSQL programs", error: error)
        }
    }

    private func cluster() async -> Finding {
        let subject = "private cluster"
        do {
            let cluster = try await PrivateCluster.find(stateDirectory: state.path, mayMakeUser: false)
            guard cluster.layout.madeByMajor != nil else {
                return Finding(subject: subject, verdict: .note, detail: "none yet; make run makes one")
            }
            let runs = try await cluster.isRunning()
            return Finding(
                subject: subject, verdict: .good, detail: "\(runs ? "runs" : "stopped"), in \(cluster.layout.base)")
        } catch {
            return Finding(subject: subject, error: error)
        }
    }

    private func secret(_ subject: String, _ path: String) -> Finding {
        switch SecretFile.mode(of: path) {
        case nil: Finding(subject: subject, verdict: .note, detail: "none yet; make run makes it")
        case 0o600: Finding(subject: subject, verdict: .good, detail: "\(path), readable by its owner only")
        case .some(let mode):
            Finding(
                subject: subject, verdict: .bad, detail: "\(path) has mode 0\(String(mode, radix: 8))",
                remedy: "run: chmod 600 \(path)")
        }
    }
}

extension Finding {
    /// A check that could not be made, or failed with words of its own.
    init(subject: String, error: any Error) {
        let failure = error as? CommandFailure
        self.init(
            subject: subject, verdict: .bad, detail: failure?.message ?? "could not be checked", remedy: failure?.remedy
        )
    }
}
