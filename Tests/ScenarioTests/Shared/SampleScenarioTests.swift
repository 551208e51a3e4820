import Foundation
import TenureAPI
import TenureClient
import Testing

/// The sample that apps are ported from, against the service. It uses the shared instance, so one test goes after another.
@Suite(.onServer, .sharedWorld, .serialized)
struct `The sample of the documentation` {
    private func values(_ employee: String, of company: String, email: String, _ person: Person) throws -> SampleValues
    {
        let world = try sharedWorld()
        return SampleValues(
            app: world.app, baseURL: world.baseURL.absoluteString, company: company, employee: employee, email: email,
            questions: person.questions, passphrase: person.passphrase ?? "")
    }

    /// Runs the sample and gives what it has logged once nothing more can come.
    private func run(_ sample: () -> Void) async -> [String] {
        await MainActor.run { SampleLog.shared.lines = [] }
        sample()
        for _ in 0..<3_600 {
            if await MainActor.run(body: { !SampleLog.shared.lines.isEmpty }) { break }
            try? await Task.sleep(for: .milliseconds(50))
        }
        // A second callback would come out of work that is under way, and there is none.
        for _ in 0..<100 { await Task.yield() }
        return await MainActor.run { SampleLog.shared.lines }
    }

    @Test func `compiles unchanged and reports its placeholder address once`() async {
        let core = TenureCore.sharedInstance()
        core.configure(
            .init(
                retries: RetryPolicy(attempts: 1), keyStore: MemoryDeviceKeyStore(), sessionStore: MemorySessionStore(),
                pinStore: MemoryPinStore())
        )
        #expect(await run { runVerbatimSample() } == ["Tenure registration failed with Error"])
    }

    @Test func `registers a founder, then an employee with a pending key, and reports a failed claim`() async throws {
        let core = TenureCore.sharedInstance()
        core.configure(
            .init(
                keyStore: MemoryDeviceKeyStore(), sessionStore: MemorySessionStore(),
                pinStore: MemoryPinStore()))
        let person = Person("ada", at: "sample.example")
        let founder = try values("ada", of: "sample.example", email: "ada@sample.example", person)
        #expect(await run { runSample(founder) } == ["Registered With Tenure Successfully"])
        let session = try #require(core.session)
        #expect(try await session.openSessions().map(\.isCurrent) == [true])

        // The same user under a second id: asked for the passphrase that exists, and the new key waits.
        let second = try values("ada-2", of: "sample.example", email: "ada@sample.example", person)
        #expect(await run { runSample(second) } == ["Authorization of EmployeePublicKey is Pending"])

        var other = second
        other.employee = "ada-3"
        other.passphrase = "not that passphrase"
        let stranger = other
        #expect(await run { runSample(stranger) } == ["Passphrase validation failed with error"])

        // The flow is open for another try; giving it up ends the registration that began it.
        #expect(await run { core.cancel() } == ["Tenure registration failed with Error"])

        let elsewhere = try values("ada", of: "elsewhere.example", email: "ada@sample.example", person)
        #expect(await run { runSample(elsewhere) } == ["Tenure registration failed with Error"])
    }
}
