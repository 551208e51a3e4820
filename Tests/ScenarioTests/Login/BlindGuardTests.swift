import Canonical
import Credentials
import Foundation
import IdentityService
import Postgres
import Testing

/// What one charge buys, what a set-up must be, and what is refused before anything is charged.
@Suite(.onServer, .sharedWorld)
struct `Blind mode guards` {
    private func questioned(_ company: String) async throws -> (Member, BlindFlow) {
        let client = try sharedWorld().client
        let founder = try await client.foundBlind(company, by: .withQuestions("f", at: company))
        return (founder, try await BlindFlow.start(.logins, founder.person, Device(), client))
    }

    /// How often this flow's credential was charged.
    private func charges(_ flow: BlindFlow) async throws -> Int {
        try await sharedWorld().charges(of: try flow.context.credentialId)
    }

    private func requests(_ flow: BlindFlow, _ person: Person) throws -> [(slot: CopySlot, element: [UInt8])] {
        let opening = try flow.opening(answers: person)
        return try ([opening.first()] + opening.remaining()).map { ($0.slot, $0.element) }
    }

    @Test func `one charge permits one subset and, once, the other nine of that attempt`() async throws {
        let (founder, flow) = try await questioned("guard-one.example")
        let all = try requests(flow, founder.person)
        #expect(all.count == 10)
        // Nine before anything was charged, ten, two, none, and more than any credential has copies.
        let many = (0..<400).map { _ in all[0] }
        for wrong in [Array(all[1...]), all, Array(all[..<2]), [], many] {
            let reply = try await flow.evaluate(wrong)
            #expect(reply.code == (wrong.count == 9 ? "flow.wrong_step" : "request.invalid"), "\(reply)")
        }
        let before = try await charges(flow)
        let first = try await flow.evaluate([all[0]])
        #expect(first.status == 200)
        #expect(try await charges(flow) == before + 1)
        let item = try #require(first["evaluations"]?.items.first)
        #expect(try bytes(base64: item["evaluation"]?.text).count == 145)
        #expect(try bytes(base64: item["sealedCopy"]?.text).count == 60)
        try expectProblem(try await flow.evaluate(Array(all[..<9])), "flow.wrong_step")
        var twice = Array(all[1...])
        twice[0] = twice[1]
        try expectProblem(try await flow.evaluate(twice), "request.invalid")
        #expect(try await flow.evaluate(Array(all[1...])).status == 200)
        #expect(try await charges(flow) == before + 1, "the nine belong to the same charge")
        try expectProblem(try await flow.evaluate(Array(all[1...])), "flow.wrong_step")
        // Another subset alone is another attempt, which pays for its own nine.
        #expect(try await flow.evaluate([all[4]]).status == 200)
        #expect(try await charges(flow) == before + 2)
        try expectProblem(try await flow.evaluate(Array(all[1...])), "flow.wrong_step")
        #expect(try await flow.evaluate(Array(all[..<4] + all[5...])).status == 200)
    }

    @Test func `an element that is no valid 49-byte point is refused without a charge`() async throws {
        let (founder, flow) = try await questioned("guard-points.example")
        let good = try requests(flow, founder.person)[0]
        let before = try await charges(flow)
        var offCurve = good.element
        repeat { offCurve[48] &+= 1 } while (try? BlindedElement(slot: good.slot, bytes: offCurve)) != nil
        let elements: [[UInt8]] = [
            [], [0], Array(good.element.dropLast()), good.element + [0], [4] + good.element.dropFirst(),
            [0] + good.element.dropFirst(), [UInt8](repeating: 0, count: 49), offCurve,
            [2] + [UInt8](repeating: 0xff, count: 48),
        ]
        for element in elements {
            try expectProblem(try await flow.evaluate([(good.slot, element)]), "request.invalid")
        }
        for slot in [-1, 10, 254, 256, 4_294_967_296] as [Int64] {
            let body: JSONValue = [
                "elements": [["slot": .integer(slot), "element": .string(Base64.encode(good.element))]]
            ]
            try expectProblem(try await flow.flow.step("evaluations", body), "request.invalid")
        }
        try expectProblem(try await flow.evaluate([(.passphrase, good.element)]), "flow.wrong_step")
        #expect(try await charges(flow) == before)
    }

    @Test func `a proof needs a charge, and a wrong one ends the attempt with a new challenge`() async throws {
        let (founder, flow) = try await questioned("guard-proof.example")
        let opening = try flow.opening(answers: founder.person)
        let key = try #require(try await flow.open(opening))
        let right = try flow.proof(by: key)
        let other = try await BlindFlow.start(.logins, founder.person, flow.device, flow.flow.client)
        // The right key, and another flow that charged nothing.
        try expectProblem(try await other.flow.step("proof", try other.proof(by: key)), "flow.wrong_step")
        // Another flow's challenge, a signature by the device, all zeros.
        let zeros = Base64.encode([UInt8](repeating: 0, count: 64))
        for wrong in [try other.proof(by: key), ["userSignature": .string(zeros)]] {
            let reply = try await flow.flow.step("proof", wrong)
            try expectProblem(reply, "answers.incorrect", goesOn: true)
            #expect(reply.challenge != flow.asked.challenge)
            try expectProblem(try await flow.flow.step("proof", right), "flow.wrong_step")
            let first = try opening.first()
            #expect(try await flow.evaluate([(first.slot, first.element)]).status == 200)
        }
        let record: JSONValue = .object(
            right.members.merging(["record": "AA==", "questions": .array([])]) { first, _ in first })
        try expectProblem(try await flow.flow.step("proof", record), "request.invalid")
        expectOutcome(try await flow.flow.step("proof", right, key: "guard-proof"), "authorizationPending")
        expectOutcome(try await flow.flow.step("proof", right, key: "guard-proof"), "authorizationPending")
        for step in ["proof", "evaluations"] {
            let body = step == "proof" ? right : BlindFlow.body(try requests(flow, founder.person).suffix(1))
            try expectProblem(try await flow.flow.step(step, body), "flow.already_used")
        }
    }

    @Test func `a repeated evaluation with one idempotency key is charged and answered once`() async throws {
        let (founder, flow) = try await questioned("guard-repeat.example")
        let first = try requests(flow, founder.person)[0]
        let before = try await charges(flow)
        let one = try await flow.evaluate([first], key: "guard-repeat")
        let two = try await flow.evaluate([first], key: "guard-repeat")
        #expect(one.status == 200 && one.body == two.body)
        #expect(try await charges(flow) == before + 1)
        try expectProblem(
            try await flow.evaluate([(first.slot, first.element.reversed())], key: "guard-repeat"),
            "idempotency.conflict")
    }
}

@Suite(.onServer, .sharedWorld)
struct `Blind mode only` {
    @Test func `by the tenant's policy refuses direct mode for known, unknown and new people`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let company = "policy-blind.example"
        let founder = try await client.foundBlind(company)
        try await client.change(policy: ["blindOnly": true], of: company, by: founder)
        let known = try await BlindFlow.start(.logins, founder.person, founder.device, client)
        let unknown = try await BlindFlow.start(.logins, Person("nobody", at: company), Device(), client)
        for flow in [known, unknown] {
            let isPassphrase = flow.asked.outcome == "validatePassphrase"
            let body: JSONValue =
                isPassphrase
                ? ["passphrase": "wrong passphrase"]
                : Person("x", at: company).answers(to: flow.asked["questions"]?.items ?? [])
            try expectProblem(
                try await flow.flow.step(isPassphrase ? "passphrase" : "answers", body), "policy.blind_only")
        }
        let new = Person("new", at: company)
        let flow = try await BlindFlow.start(.registrations, new, Device(), client)
        #expect(flow.asked["rules"]?["blindOnly"]?.flag == true)
        try expectProblem(try await flow.flow.step("credentials", new.credentials), "policy.blind_only")
        for flow in [known, unknown] {
            #expect(try await world.charges(of: try flow.context.credentialId) == 0, "nothing was tried")
        }
        expectOutcome(try #require(try await flow.complete(new)), "authorizationPending")
        expectOutcome(try #require(try await known.complete(founder.person)), "success")
    }

    @Test func `by the person's own choice refuses direct mode in every tenant`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let person = Person("chosen", at: "flag-blind.example")
        let device = Device()
        let setUp = try await BlindFlow.start(.registrations, person, device, client)
        expectOutcome(
            try await setUp.flow.step("proof", try await setUp.newCredentials(person, blindOnly: true)), "success")
        _ = try await client.found("flag-elsewhere.example")
        let login = try await BlindFlow.start(.logins, person, device, client)
        #expect(try login.context.flags.contains(.blindOnly))
        let elsewhere = person.also("chosen", at: "flag-elsewhere.example")
        let second = try await BlindFlow.start(.registrations, elsewhere, device, client)
        for flow in [login, second] {
            let right: JSONValue = ["passphrase": .string(try #require(person.passphrase))]
            try expectProblem(try await flow.flow.step("passphrase", right), "policy.blind_only")
        }
        #expect(try await world.charges(of: try login.context.credentialId) == 0)
        expectOutcome(try #require(try await login.complete(person)), "success")
        expectOutcome(try #require(try await second.complete(elsewhere)), "authorizationPending")
    }
}
