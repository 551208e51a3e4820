import Canonical
import Credentials
import Foundation
import TenureAPI
import TenureClient
import Testing

/// Roles by the client library: the first admin appoints the second, and is followed by them.
@Suite(.onServer, .sharedWorld) struct `Roles by the client library` {
    private static let modes = [TenureClient.Mode.blind, .direct]

    private func device(_ mode: TenureClient.Mode, pins: MemoryPinStore = MemoryPinStore()) throws -> TenureClient {
        let world = try sharedWorld()
        return try TenureClient(
            appCredentials: AppCredentials(
                appId: world.app.appId, appSecret: world.app.secret, appSalt: world.app.salt,
                baseURL: world.baseURL.absoluteString), issuer: "tenure", mode: mode, keyStore: MemoryDeviceKeyStore(),
            sessionStore: MemorySessionStore(), pinStore: pins)
    }

    private func register(_ person: Person, on device: TenureClient) async throws -> FlowOutcome {
        let step = try await device.register(
            companyName: person.company, companyEmployeeId: person.id, email: person.email)
        guard case .setCredentials(let step) = step else { throw Flow.Unexpected(description: "\(step)") }
        let questions = person.questions.map { SecurityQuestionAnswer(question: $0.question, answer: $0.answer) }
        return try await step.submit(NewUserCredentials(questions: questions, passphrase: person.passphrase))
    }

    private func found(_ person: Person, on device: TenureClient) async throws -> EmployeeSession {
        guard case .success(let admission) = try await register(person, on: device) else {
            throw Flow.Unexpected(description: "not founded")
        }
        return admission.session
    }

    /// Registers somebody whom an admin lets in, with a signature about the very key.
    private func join(
        _ person: Person, on device: TenureClient, by admin: EmployeeSession, at office: TenureClient
    ) async throws -> EmployeeSession {
        guard case .authorizationPending(let pending) = try await register(person, on: device) else {
            throw Flow.Unexpected(description: "does not wait")
        }
        let step = try await office.authorize(
            employeePublicKey: pending.employeePublicKey, companyName: person.company, companyEmployeeId: person.id,
            as: admin)
        guard case .confirm(let confirmation) = step else { throw Flow.Unexpected(description: "\(step)") }
        let position = try await confirmation.sign()
        #expect(position != nil)
        guard case .validatePassphrase(let login) = try await pending.logIn(),
            case .success(let admission) = try await login.submit(person.passphrase ?? "")
        else { throw Flow.Unexpected(description: "not let in") }
        return admission.session
    }

    private func give(
        _ role: RoleRequest.Role, to person: Person, by session: EmployeeSession, fingerprint: String? = nil
    ) async throws -> Int64? {
        let step = try await session.decideRole(role, of: person.id, followerFingerprint: fingerprint)
        switch step {
        case .done(let position): return position
        case .sign(let decision): return try await decision.sign()
        }
    }

    private func expect(_ kind: TenureClientError.Kind, _ work: () async throws -> Void) async {
        let error = await #expect(throws: TenureClientError.self) { try await work() }
        #expect(error?.kind == kind)
    }

    @Test(arguments: modes) func `the founder appoints a second admin, who authorizes a device and is dismissed`(
        mode: TenureClient.Mode
    ) async throws {
        let company = "library-role-\(mode.rawValue).example"
        let (ada, bo, cy) = (Person("ada", at: company), Person("bo", at: company), Person("cy", at: company))
        let (office, phone) = (try device(mode), try device(mode))
        let founder = try await found(ada, on: office)
        let second = try await join(bo, on: phone, by: founder, at: office)
        await expect(.authorizationNotPermitted) { _ = try await second.decideRole(.admin, of: "bo") }

        guard case .sign(let decision) = try await founder.decideRole(.admin, of: "BO") else {
            throw Flow.Unexpected(description: "no signature was asked for")
        }
        #expect(decision.followerFingerprint == nil)
        #expect(try await decision.sign() != nil)
        #expect(try await decision.sign() == nil, "twice is the same as once")
        #expect(try await give(.admin, to: bo, by: founder) == nil)

        // The second admin decides with a key of their own now, and neither dismisses nor replaces the security admin.
        let third = try await join(cy, on: try device(mode), by: second, at: phone)
        await expect(.authorizationNotPermitted) { _ = try await third.decideRole(.admin, of: "cy") }
        for admin in [founder, second] {
            await expect(.authorizationNotPermitted) { _ = try await admin.decideRole(.employee, of: "ada") }
        }
        await expect(.authorizationNotPermitted) { _ = try await second.decideRole(.securityAdmin, of: "bo") }
        await expect(.employeeUnknown) { _ = try await founder.decideRole(.admin, of: "nobody") }

        #expect(try await give(.employee, to: bo, by: founder) != nil)
        #expect(try await give(.employee, to: bo, by: founder) == nil)
        await expect(.authorizationNotPermitted) { _ = try await second.decideRole(.admin, of: "cy") }
    }

    @Test(arguments: modes) func `the security admin is succeeded by the person who read out the fingerprint`(
        mode: TenureClient.Mode
    ) async throws {
        let company = "library-succession-\(mode.rawValue).example"
        let (ada, bo) = (Person("ada", at: company), Person("bo", at: company))
        let (office, phone) = (try device(mode), try device(mode))
        let founder = try await found(ada, on: office)
        let second = try await join(bo, on: phone, by: founder, at: office)
        let own = try #require(try await office.fingerprint(of: founder.account))
        let fingerprint = try #require(try await phone.fingerprint(of: second.account))
        await expect(.signingRefused) { _ = try await give(.securityAdmin, to: bo, by: founder, fingerprint: own) }

        guard case .sign(let decision) = try await founder.decideRole(.securityAdmin, of: "bo") else {
            throw Flow.Unexpected(description: "no signature was asked for")
        }
        #expect(decision.followerFingerprint == fingerprint)
        let position = try await give(
            .securityAdmin, to: bo, by: founder, fingerprint: Fingerprint.readable(fingerprint))
        let read = try await office.securityAdmin(of: company, waitFor: position)
        #expect(read.employee.companyEmployeeId == "bo")
        // Who was followed has no power left, not even by what they were asked to sign before.
        await expect(.authorizationNotPermitted) { _ = try await decision.sign() }
        await expect(.authorizationNotPermitted) { _ = try await founder.decideRole(.admin, of: "ada") }
        #expect(try await give(.admin, to: ada, by: second) != nil)
    }

    @Test func `a device that has pinned another tenant signs nothing`() async throws {
        let company = "library-role-pinned.example"
        let pins = MemoryPinStore()
        let (ada, bo) = (Person("ada", at: company), Person("bo", at: company))
        let office = try device(.blind, pins: pins)
        let founder = try await found(ada, on: office)
        _ = try await join(bo, on: try device(.blind), by: founder, at: office)
        let account = try PinnedAccount(
            baseURL: try sharedWorld().baseURL.absoluteString, company: company, employee: "ada")
        var pin = try #require(await pins.pin(of: account))
        let tenant = pin.tenant
        pin.tenant = UUID()
        await pins.keep(pin, of: account)
        await expect(.signingRefused) { _ = try await founder.decideRole(.admin, of: "bo") }
        pin.tenant = tenant
        await pins.keep(pin, of: account)
        #expect(try await give(.admin, to: bo, by: founder) != nil)
    }
}
