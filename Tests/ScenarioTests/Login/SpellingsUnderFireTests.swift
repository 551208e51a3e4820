import Canonical
import Credentials
import Foundation
import Testing

/// Four hundred wrong attempts at once on two processes of the operating system, which are killed in between, under six
/// spellings, by three apps and in two companies: a person's budget of unknown devices is spent exactly.
@Suite(.onServer, .serialized)
struct `Attempts under many names` {
    /// The six ways in which the person is named: four by company and id, two by e-mail from another company.
    private func spelled(_ number: Int, _ owner: Person, elsewhere: String) -> (kind: Flow.Kind, person: Person) {
        var person = owner
        switch number % 6 {
        case 0: person.company = owner.company.uppercased()
        case 1:
            person.company = "  " + owner.company + " "
            person.id = owner.id.uppercased()
        case 2:
            // Full-width letters, and é as e with a combining accent.
            person.company = String(String.UnicodeScalarView(owner.company.unicodeScalars.map(Self.wide)))
            person.id = owner.id.decomposedStringWithCanonicalMapping
        case 3: person.id = "  " + owner.id + "\u{00A0}"
        case 4:
            person = owner.also("new \(number)", at: elsewhere)
            person.email = owner.email.uppercased()
        default:
            person = owner.also("new \(number)", at: elsewhere)
            // Local parts differ in all but the case of ASCII, domains are compared by their A-labels.
            let parts = owner.email.split(separator: "@")
            let domain = parts[1].unicodeScalars.map(Self.wide)
            person.email = " " + parts[0].uppercased() + "@" + String(String.UnicodeScalarView(domain))
        }
        return (number % 6 < 4 ? .logins : .registrations, person)
    }

    private static func wide(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        guard (0x61...0x7A).contains(scalar.value) else { return scalar }
        return Unicode.Scalar(scalar.value + 0xFEE0) ?? scalar
    }

    /// An attempt that is ready to be made: everything before the charge.
    private func ready(_ number: Int, _ owner: Person, elsewhere: String, _ client: Client) async throws -> BlindFlow {
        let (kind, person) = spelled(number, owner, elsewhere: elsewhere)
        let device = Device()
        return try await patiently {
            let body = kind == .logins ? person.login(device) : person.registration(device)
            guard let started = try? await client.post("/v1/\(kind.rawValue)", body),
                let handle = started["flow"]?.text, let challenge = started.challenge
            else { return nil }
            let flow = Flow(client: client, kind: kind, handle: handle, challenge: challenge)
            guard let asked = try? await flow.prove(device), asked.outcome == "validatePassphrase" else { return nil }
            return BlindFlow(flow: flow, device: device, asked: asked)
        }
    }

    /// The code of one wrong attempt, `served` for one that was charged, and nil when the process was killed meanwhile.
    private func guess(_ flow: BlindFlow, isBlind: Bool, at client: Client) async throws -> String? {
        let moved = BlindFlow(flow: flow.flow.at(client), device: flow.device, asked: flow.asked)
        let first = isBlind ? try flow.opening(passphrase: "wrong passphrase").first() : nil
        for _ in 0..<40 {
            let reply: HTTPReply
            do {
                if let first {
                    reply = try await moved.evaluate([(first.slot, first.element)])
                } else {
                    reply = try await moved.flow.step("passphrase", ["passphrase": "wrong passphrase"])
                }
            } catch { return nil }
            if reply.status == 200 || reply.code == "passphrase.incorrect" { return "served" }
            if let code = reply.code, !["service.busy", "request.rate_limited"].contains(code) { return code }
            try await Task.sleep(for: .milliseconds(Int.random(in: 200...800)))
        }
        return nil
    }

    private func patiently<Value>(_ attempt: () async throws -> Value?) async throws -> Value {
        for _ in 0..<120 {
            if let value = try await attempt() { return value }
            try await Task.sleep(for: .milliseconds(Int.random(in: 200...800)))
        }
        throw Flow.Unexpected(description: "the service stayed busy")
    }

    @Test(arguments: [false, true])
    func `use exactly one budget, even while processes are killed`(isBlind: Bool) async throws {
        try await inTurn { world in
            let company = "fire.example", elsewhere = "other-fire.example"
            let owner = try await world.client.found(company, by: Person("zoé müller", at: company))
            _ = try await world.client.found(elsewhere)
            var apps = [world.app]
            for name in ["second", "third"] {
                let app = try await world.makeApp(name: name)
                for company in [company, elsewhere] { try await world.linkApp(app, to: company) }
                apps.append(app)
            }
            try await ServiceProcess.with(2, in: world) { [apps] started in
                var processes = started
                defer { for process in processes { process.kill() } }
                func clients(_ number: Int) -> Client { processes[number % 2].client.by(apps[(number / 12) % 3]) }
                var served = 0
                for round in 0..<2 {
                    let targets = (0..<200).map { clients($0 + round) }
                    let flows = try await concurrently(200) { number in
                        try await ready(number, owner.person, elsewhere: elsewhere, targets[number])
                    }
                    let dying = processes[round]
                    let codes = try await concurrently(200) { number in
                        if number == 3 { dying.kill() }
                        return try await guess(flows[number], isBlind: isBlind, at: targets[number])
                    }
                    let known: Set<String?> = ["served", "credentials.locked", nil]
                    #expect(known.isSuperset(of: codes), "\(Set(codes))")
                    served += codes.count { $0 == "served" }
                    let charged = try await world.count("AttemptCharged")
                    #expect(served <= charged && charged <= 20)
                    processes[round] = try await dying.replaced()
                }
                // Whoever comes last gets what the dead left, and nobody more.
                let rest = (0..<72).map { ($0, clients($0)) }
                let flows = try await concurrently(rest.count) { number in
                    try await ready(number, owner.person, elsewhere: elsewhere, rest[number].1)
                }
                _ = try await concurrently(rest.count) { number in
                    try await guess(flows[number], isBlind: isBlind, at: rest[number].1)
                }
                #expect(try await world.count("AttemptCharged") == 20)
                for process in processes {
                    let known =
                        isBlind
                        ? try await process.client.logInBlind(owner.person, owner.device)
                        : try await process.client.logIn(owner.person, owner.device)
                    expectOutcome(known, "success")
                }
            }
        }
    }
}
