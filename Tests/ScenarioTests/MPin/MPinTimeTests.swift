import Canonical
import Foundation
import Testing

@Suite(.onServer)
struct `The times and places of a registration` {
    @Test func `end an unverified start after an hour, and a restart begins another hour`() async throws {
        try await withMPin { scene in
            let pins = try await scene.unauthorized()
            let enrolment = try await pins.started("slow")
            let verify = { try await scene.client.post(scene.path(enrolment, "/verification"), [:]) }
            scene.clock.pass(.seconds(3_601))
            expectMPinProblem(try await pins.confirm(enrolment), "mpin.unauthorized")
            let late = try await scene.expectNothingAppended { try await verify() }
            #expect([409, 400].contains(late.status), "\(late)")
            let again = try MPinEnrolment("slow", try await pins.restart(enrolment))
            #expect(again.mpinId == enrolment.mpinId && !again.isActive)
            scene.clock.pass(.seconds(3_500))
            expectOutcome(try await verify(), "done")
            let holder = try await scene.pins.confirmed(again)
            #expect(try await scene.pins.prove(holder).status == 200)
        }
    }

    @Test func `end a verified start an hour after the verification, with or without a key`() async throws {
        try await withMPin { scene in
            let activated = try await scene.pins.started("activated")
            let issued = try await scene.pins.confirmed(try await scene.pins.started("issued"))
            let registered = try await scene.pins.register("registered")
            scene.clock.pass(.seconds(3_601))
            try await scene.expectRefusal("mpin.unauthorized") { try await scene.pins.confirm(activated) }
            try await scene.expectRefusal("mpin.unauthorized") { try await scene.pins.confirm(issued.enrolment) }
            try await scene.expectRefusal("mpin.unauthorized") { try await scene.pins.prove(issued) }
            #expect(try await scene.pins.prove(registered).status == 200, "a complete registration does not expire")

            // A restart asks for a new verification, and then gives the key of before.
            let creating = try await scene.unauthorized()
            #expect(try await creating.restart(issued.enrolment)["active"]?.flag == false)
            try await scene.expectRefusal("mpin.unauthorized") { try await scene.pins.prove(issued) }
            expectOutcome(try await scene.client.post(scene.path(issued.enrolment, "/verification"), [:]), "done")
            #expect(try await scene.pins.confirm(issued.enrolment).status == 200)
            #expect(try await scene.pins.prove(issued).status == 200)
        }
    }

    @Test func `keep the count of wrong proofs over expiry and restart`() async throws {
        try await withMPin { scene in
            let holder = try await scene.pins.confirmed(try await scene.pins.started("counted"))
            for _ in 1...2 {
                expectMPinProblem(try await scene.pins.prove(holder, pin: holder.wrongPIN), "mpin.wrong_pin")
            }
            scene.clock.pass(.seconds(3_601))
            let creating = try await scene.unauthorized()
            #expect(try await creating.restart(holder.enrolment).status == 200)
            expectOutcome(try await scene.client.post(scene.path(holder.enrolment, "/verification"), [:]), "done")
            #expect(try await scene.pins.confirm(holder.enrolment).status == 200)
            expectMPinProblem(try await scene.pins.prove(holder, pin: holder.wrongPIN), "mpin.blocked")
        }
    }

    @Test func `allow one restart a minute`() async throws {
        try await withMPin { scene in
            let pins = try await scene.unauthorized()
            let enrolment = try await pins.started("hasty")
            scene.clock.pass(.seconds(61))
            #expect(try await pins.restart(enrolment).status == 200)
            for wait in [0, 30, 28] {
                scene.clock.pass(.seconds(wait))
                try await scene.expectRefusal("request.rate_limited") { try await pins.restart(enrolment) }
            }
            scene.clock.pass(.seconds(3))
            #expect(try await pins.restart(enrolment).status == 200)
            scene.clock.pass(.seconds(61))
            let replies = try await concurrently(6) { _ in try await pins.restart(enrolment) }
            #expect(replies.count { $0.status == 200 } == 1, "\(replies)")
        }
    }

    @Test func `give a user id eight living identities, in any spelling`() async throws {
        try await withMPin { scene in
            var holders: [MPinEnrolment] = []
            for number in 0..<8 {
                holders.append(
                    try await scene.pins.started(number % 2 == 0 ? "many@mail.example" : "Many@Mail.Example"))
            }
            #expect(Set(holders.map(\.mpinId)).count == 8)
            let creating = try await scene.unauthorized()
            for pins in [scene.pins, creating] {
                try await scene.expectRefusal("request.rate_limited") { try await pins.start("MANY@mail.example") }
            }
            #expect(try await scene.pins.start("other@mail.example").status == 200)
            // One that ends gives its place back.
            expectOutcome(try await scene.revoke(holders[3]), "done")
            #expect(try await scene.pins.start("many@mail.example").status == 200)
            try await scene.expectRefusal("request.rate_limited") { try await scene.pins.start("many@mail.example") }
            scene.clock.pass(.seconds(3_601))
            #expect(try await scene.pins.start("many@mail.example").status == 200, "unfinished ones expire")
        }
    }

    @Test func `let unverified starts give way to a verified one, and never the reverse`() async throws {
        try await withMPin { scene in
            let creating = try await scene.unauthorized()
            var squatters: [MPinEnrolment] = []
            for _ in 0..<8 { squatters.append(try await creating.started("owner@mail.example")) }
            try await scene.expectRefusal("request.rate_limited") { try await creating.start("owner@mail.example") }
            let holder = try await scene.pins.register("owner@mail.example")
            var superseded = 0
            for squatter in squatters where try await scene.types(squatter).last == "MPinRevoked" {
                superseded += 1
                expectMPinProblem(try await creating.confirm(squatter), "mpin.ended")
            }
            #expect(superseded >= 1)
            for _ in 0..<12 { _ = try await creating.start("owner@mail.example") }
            #expect(try await scene.pins.prove(holder).status == 200)
            #expect(try await scene.types(holder.enrolment).contains("MPinRevoked") == false)
        }
    }

    @Test func `let eight of many parallel starts win`() async throws {
        try await withMPin { scene in
            let pins = scene.pins
            let replies = try await concurrently(16) { _ in try await pins.start("crowd@mail.example") }
            #expect(replies.count { $0.status == 200 } == 8, "\(replies)")
            for reply in replies where reply.status != 200 { expectMPinProblem(reply, "request.rate_limited") }
            #expect(try await scene.world.count("MPinRegistrationStarted") == 8)
        }
    }
}
