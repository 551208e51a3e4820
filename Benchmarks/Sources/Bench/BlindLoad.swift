import Foundation
import IdentityService

/// People who log in in blind mode.
struct BlindLoad: Sendable {
    let people: [BlindPerson]
    let session: BenchSession

    /// Everybody again and again.
    ///
    /// - Parameter hashing: What hashes for each log-in; its processor time is the program's.
    func full(_ seconds: Int, _ postmaster: Int, hashing: BlindPerson.Hashing? = nil) async throws -> FullLoad {
        let session = session
        return try await FullLoad.run(people, seconds, postmaster, hashing?.workers.processes ?? []) { person in
            try await person.logIn(session, hashing: hashing)
        }
    }

    /// Log-ins that begin at a rate, whether those before have ended or not: the 99th percentile in milliseconds, from
    /// the moment at which each should have begun.
    func open(_ rate: Double, _ seconds: Int) async throws -> Double {
        let session = session, start = ContinuousClock.now
        let times = try await withThrowingTaskGroup(of: Double.self) { group in
            for number in 0..<Int(rate * Double(seconds)) {
                let due = start + .seconds(Double(number) / rate), person = people[number % people.count]
                try await Task.sleep(until: due, clock: .continuous)
                group.addTask {
                    try await person.logIn(session)
                    return (ContinuousClock.now - due).inSeconds * 1_000
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        return Self.percentile99(times)
    }

    /// Starts and key proofs while more people than there are places log in in direct mode: the 99th percentile of a
    /// call in milliseconds.
    func beside(_ direct: [BenchPerson], _ seconds: Int) async throws -> Double {
        let session = session, person = people[0].person
        let deadline = ContinuousClock.now + .seconds(seconds)
        return try await withThrowingTaskGroup(of: [Double].self) { group in
            for one in direct {
                group.addTask {
                    // Refusals for want of a place are what the limit is for.
                    while ContinuousClock.now < deadline { _ = try? await session.logIn(one) }
                    return []
                }
            }
            group.addTask {
                var times: [Double] = []
                while ContinuousClock.now < deadline {
                    let first = ContinuousClock.now
                    let started = try await session.startLogin(person)
                    let second = ContinuousClock.now
                    _ = try await session.proveKey(.login, started, person)
                    times += [(second - first).inSeconds * 1_000, (ContinuousClock.now - second).inSeconds * 1_000]
                    try await Task.sleep(for: .milliseconds(10))
                }
                return times
            }
            return Self.percentile99(try await group.reduce(into: []) { $0 += $1 })
        }
    }

    private static func percentile99(_ times: [Double]) -> Double {
        let sorted = times.sorted()
        return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, sorted.count * 99 / 100)]
    }
}
