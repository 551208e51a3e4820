import ArgumentParser
import Crypto
import TenureAPI

/// A company to look at: a security admin, three employees, a contractor from elsewhere, a key that waits, and somebody
/// who needed three attempts. It comes about through the public API, once.
struct DemoCompany: Sendable {
    static let name = "harbour.example"
    static let summary = "1 security admin, 3 employees, 1 contractor, 1 key waiting"

    let caller: DemoCaller
    /// Where the record of its people lies.
    let file: String

    /// Founds the company, or finishes what an interrupted run began.
    ///
    /// - Parameter willBegin: Is called when there is something to do.
    func found(willBegin: () -> Void) async throws {
        var record = DemoRecord(file: file) ?? Self.planned
        guard !record.isComplete else { return }
        willBegin()
        try record.write(to: file)
        do {
            try await register(record.people)
        } catch let refusal as DemoRefusal {
            throw CommandFailure(
                .failure, "the demo company could not be founded: \(refusal.problem.code)",
                remedy: "The service's log has more about request \(refusal.problem.requestId).")
        }
        record.isComplete = true
        try record.write(to: file)
    }

    /// The first of them founds the company and is its security admin; the app speaks for everybody else.
    private func register(_ people: [DemoPerson]) async throws {
        let flows = DemoFlows(caller: caller, company: Self.name)
        for person in people {
            guard case .authorizationPending(_, let fingerprint, _) = try await flows.enter(person) else { continue }
            try await flows.authorize(person, fingerprint: fingerprint)
        }
        guard people.count > 2 else { return }
        // The second one's new device waits for somebody with authority; the third one remembers at the third attempt.
        _ = try await flows.logIn(people[1], from: P256.Signing.PrivateKey())
        _ = try await flows.logIn(people[2], from: people[2].device, slips: 2)
    }

    private static var planned: DemoRecord {
        let employees = ["anna", "bruno", "chiara", "daniel"].map { id in
            DemoPerson(employeeId: id, email: "\(id)@\(name)", isCompanyOwnedEmail: true)
        }
        let contractor = DemoPerson(
            employeeId: "contractor-7", email: "elif@studio.example", isCompanyOwnedEmail: false)
        return DemoRecord(companyName: name, people: employees + [contractor], isComplete: false)
    }
}
