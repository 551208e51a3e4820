import Canonical
import ErrorCodes
import IdentityService
import TenureAPI
import TenureServer
import TenureAPI
import Testing

/// Time passes only for the call that is told another time, so these tests speak to the service behind the address.
@Suite(.onServer)
struct `Time` {
    private func after(_ seconds: Int) -> Call {
        Call(requestId: Person.word(), time: Timestamp.now().adding(.seconds(seconds)))
    }

    private func login(_ person: Person, _ device: Device, _ app: AppCaller) -> StartLogin {
        StartLogin(
            .login,
            LoginRequest(
                companyName: person.company, companyEmployeeId: person.id, employeePublicKey: device.point), app: app)
    }

    private func code(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? ServiceError)?.code.rawValue ?? "\(error)"
        }
    }

    @Test func `ends a flow after half an hour, at every step`() async throws {
        try await inTurn { world in
            let owner = try await world.client.found("minutes.example")
            let service = world.service
            let app = try await service.caller(world.app)
            let login = login(owner.person, owner.device, app)
            let phrase = try #require(owner.person.passphrase)
            for seconds in [30, 1_810] {
                let begun = Timestamp.now()
                let started = try await service.run(login, after(0))
                #expect(started.expiresAt >= begun.adding(.seconds(1_800)))
                #expect(started.expiresAt <= Timestamp.now().adding(.seconds(1_800)))
                let proof = try bytes(base64: owner.device.sign(started.challenge))
                _ = try await service.run(
                    ProveKey(proof, purpose: .login, flow: started.flow, app: app), after(0))
                let ended = await code {
                    _ = try await service.run(
                        ValidateCredential(.passphrase(phrase), purpose: .login, flow: started.flow, app: app),
                        after(seconds))
                }
                #expect(ended == (seconds > 1_800 ? "flow.expired" : nil))
            }
            let started = try await service.run(login, after(0))
            let proof = try bytes(base64: owner.device.sign(started.challenge))
            let late = await code {
                _ = try await service.run(
                    ProveKey(proof, purpose: .login, flow: started.flow, app: app), after(1_810))
            }
            #expect(late == "flow.expired")
        }
    }

    @Test func `ends the device's signature of a challenge after two minutes`() async throws {
        try await inTurn { world in
            let owner = try await world.client.found("seconds.example")
            let service = world.service
            let app = try await service.caller(world.app)
            for seconds in [90, 125] {
                let started = try await service.run(login(owner.person, owner.device, app), after(0))
                let proof = try bytes(base64: owner.device.sign(started.challenge))
                let ended = await code {
                    _ = try await service.run(
                        ProveKey(proof, purpose: .login, flow: started.flow, app: app), after(seconds))
                }
                #expect((ended != nil) == (seconds > 120), "\(seconds): \(ended ?? "accepted")")
            }
        }
    }

    @Test func `ends a pending key after a day`() async throws {
        try await inTurn { world in
            let client = try world.client
            _ = try await client.found("days.example")
            let person = Person("patient", at: "days.example")
            let device = Device()
            expectOutcome(try await client.register(person, device), "authorizationPending")
            let app = try await world.service.caller(world.app)
            let decision = DecideKey(
                .authorize, company: person.company, companyEmployeeId: person.id, fingerprint: device.fingerprint,
                caller: .app(app))
            let late = await code {
                _ = try await world.service.run(decision, after(86_400 + 60))
            }
            #expect(late != nil, "a key that waited for more than a day was authorized")
            _ = try await world.service.run(decision, after(86_400 - 600))
            expectOutcome(try await client.logIn(person, device), "success")
        }
    }
}
