import Canonical
import Credentials
import Foundation
import IdentityService
import TestSupport
import Testing

/// Changes against changes, logins and the log's reader.
@Suite(.onServer, .sharedWorld)
struct `Changes of credentials` {
    @Test func `that race have exactly one winner`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("change-race.example")
        let people = (0..<4).map { number in
            var person = founder.person
            person.passphrase = "the passphrase number \(number)"
            return person
        }
        var begun: [(Flow, HTTPReply)] = []
        for _ in people {
            let flow = try await Flow.change(founder.person, founder.device, client)
            begun.append((flow, try await flow.prove(founder.device)))
        }
        let flows = begun
        let replies = try await concurrently(people.count) { number in
            let (flow, asked) = flows[number]
            return try await client.send(try flow.change(from: founder.person, to: people[number], asked))
        }
        let winners = people.indices.filter { replies[$0].status == 200 }
        #expect(winners.count == 1, "\(replies)")
        for number in people.indices where !winners.contains(number) {
            try expectProblem(replies[number], "request.stale")
        }
        let winner = try #require(winners.first)
        expectOutcome(try await client.logIn(people[winner], founder.device), "success")
    }

    @Test func `leave no session of the old secret, even beside a concurrent log-in`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("change-login.example")
        var person = founder.person
        for round in 0..<6 {
            var new = person
            new.passphrase = "the passphrase of round \(round)"
            let flow = try await Flow.change(person, founder.device, client)
            let asked = try await flow.prove(founder.device)
            let old = person
            let next = new
            // One session is certain to be there when the change comes; the others are opened beside it, or refused.
            let early = try Member(old, founder.device, try await client.logIn(old, founder.device))
            let replies = try await concurrently(4) { number in
                number == 0
                    ? try await client.send(try flow.change(from: old, to: next, asked))
                    : try await client.logIn(old, founder.device)
            }
            let changed = try Member(new, founder.device, replies[0])
            let opened = try replies.dropFirst().filter { $0.status == 200 }.map {
                try Member(old, founder.device, $0)
            }
            for member in [early] + opened {
                try expectProblem(try await client.get("/v1/sessions", by: member.session), "session.invalid")
            }
            for reply in replies.dropFirst() where reply.status != 200 {
                #expect(["passphrase.incorrect", "request.stale"].contains(reply.code), "\(reply)")
            }
            #expect(try await client.get("/v1/sessions", by: changed.session).status == 200)
            person = new
        }
    }

    @Test func `in blind mode refuse a record without the old key's signature or of another flow`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.foundBlind("change-forged.example")
        var new = founder.person
        new.passphrase = "a passphrase that is new"
        let flow = try await BlindFlow.start(.changes, founder.person, founder.device, client)
        let (key, begun) = try await flow.beginChange(founder.person)
        expectOutcome(begun, "setCredentials")
        let good = try await flow.changeBody(new, oldKey: key, begun)
        let spoiled = try await flow.changeBody(new, oldKey: key, begun) { record in
            // The authority's signature follows suite, ids, generation, previous hash and the authority's kind.
            var record = record
            record[2 + 16 + 16 + 4 + 32 + 1 + 10] ^= 1
            return record
        }
        try expectProblem(try await flow.flow.step("proof", spoiled), "request.invalid")
        let other = try await BlindFlow.start(.changes, founder.person, founder.device, client)
        _ = try await other.beginChange(founder.person)
        try expectProblem(try await other.flow.step("proof", good), "request.invalid")
        expectOutcome(try await flow.flow.step("proof", good), "success")
        // The other flow was about credentials that are in force no longer.
        try expectProblem(try await other.flow.step("proof", good), "request.stale")
    }

    @Test func `verify with their signatures, and every record follows its predecessor`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let founder = try await client.found("change-verify.example")
        var person = founder.person
        for round in 0..<2 {
            var new = person
            new.passphrase = "the passphrase of round \(round)"
            let reply =
                round == 0
                ? try await client.change(person, to: new, founder.device)
                : try await client.changeBlind(person, to: new, founder.device)
            expectOutcome(reply, "success")
            person = new
        }
        let request = VerifyRequest(key: try await world.logKey())
        let report = try await world.database.withPool(as: .reader, maximumConnections: 8) { pool in
            try await VerifyLog(pool: pool, request: request).run()
        }
        #expect(report.violations == [], "\(report.violations)")
        #expect(try await world.count("CredentialsChanged") >= 2)
    }
}
