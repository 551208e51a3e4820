import Canonical
import Foundation
import Ledger
import MPinAuthority
import MPinCryptography
import Testing

@Suite(.onServer)
struct `A registration with a PIN` {
    @Test func `goes from the settings of the backend to the first right proof`() async throws {
        try await withMPin { scene in
            let settings = try await scene.pins.call("GET", "rps/clientSettings")
            let tenant = try await scene.world.ledger(scene.company).uuid
            #expect(settings.status == 200 && settings["appID"]?.text == tenant.uuidString.lowercased())
            #expect(settings["certivoxURL"]?.text == scene.keys.clientURL)
            #expect(settings["suite"]?.text == "BLS12381-AMCL3-SHA256")
            #expect(settings["usePermits"]?.flag == false && settings["requestOTP"]?.flag == false)
            let backend = "/mpin/\(scene.company)"
            for (name, end) in [
                ("mpinAuthServerURL", "/rps"), ("registerURL", "/rps/user"), ("signatureURL", "/rps/signature"),
                ("authenticateURL", "/authenticate"),
            ] { #expect(settings[name]?.text?.hasSuffix(backend + end) == true, "\(name)") }

            let started = try await scene.pins.start("alice@mail.example", ["deviceName": "Alice's phone"])
            let enrolment = try MPinEnrolment("alice@mail.example", started)
            #expect(enrolment.isActive, "an app with AUTHORIZATION vouches for what it starts")
            #expect(enrolment.regOTT.wholeMatch(of: /[0-9a-f]{32}/) != nil)
            #expect(started["expireTime"]?.text != nil && started["nowTime"]?.text != nil)
            let id = try StrictJSON.parse(try #require(Hex.decode(enrolment.mpinId)))
            #expect(Set(id.members.keys) == ["issued", "mobile", "salt", "userID"])
            #expect(id["userID"]?.text == "alice@mail.example" && id["mobile"]?.number == 1)
            #expect(id["salt"]?.text?.wholeMatch(of: /[0-9a-f]{32}/) != nil)

            let confirmed = try await scene.pins.confirm(enrolment)
            #expect(confirmed["suite"]?.text == "BLS12381-AMCL3-SHA256" && confirmed["epoch"]?.number == 1)
            #expect(confirmed["clientSecretShare"]?.text?.wholeMatch(of: /04[0-9a-f]{192}/) != nil)
            let holder = try scene.pins.token(enrolment, confirmed, pin: "2741")
            #expect(try await scene.pins.call("POST", "rps/setupDone/\(enrolment.mpinId)", [:]).status == 200)
            let reply = try await scene.pins.prove(holder)
            #expect(reply.status == 200, "\(reply)")
            #expect(reply["status"]?.number == 200 && reply["message"]?.text == "OK")
            #expect(reply["userId"]?.text == "alice@mail.example" && reply["mpinId"]?.text == enrolment.mpinId)
            #expect(reply["identityId"]?.text == enrolment.identityId && reply["employee"] == nil)
            #expect(
                try await scene.types(enrolment) == [
                    "MPinRegistrationStarted", "MPinIdentityVerified", "MPinClientKeyIssued", "MPinRegistered",
                ])
            #expect(try await scene.authentications(enrolment) == 1)
        }
    }

    @Test func `gives the same share again and appends nothing, also to parallel requests`() async throws {
        try await withMPin { scene in
            let enrolment = try await scene.pins.started("repeated")
            let pins = scene.pins
            let replies = try await concurrently(8) { _ in try await pins.confirm(enrolment) }
            #expect(replies.allSatisfy { $0.status == 200 }, "\(replies)")
            #expect(Set(replies.compactMap { $0["clientSecretShare"]?.text }).count == 1)
            #expect(try await scene.types(enrolment).count { $0 == "MPinClientKeyIssued" } == 1)
            let again = try await scene.expectNothingAppended { try await pins.confirm(enrolment) }
            #expect(again["clientSecretShare"] == replies[0]["clientSecretShare"])
            // A crash between Confirm and Finish costs nothing.
            let holder = try pins.token(enrolment, again, pin: "123456")
            #expect(try await pins.prove(holder).status == 200)
        }
    }

    @Test func `is not changed by a wrong, foreign or missing regOTT`() async throws {
        try await withMPin { scene in
            let other = try await scene.pins.started("other")
            for isVerified in [false, true] {
                let pins = isVerified ? scene.pins : try await scene.unauthorized()
                let enrolment = try await pins.started("wrong-\(isVerified)")
                for regOTT in [other.regOTT, String(repeating: "0", count: 32), enrolment.regOTT.uppercased()]
                where regOTT != enrolment.regOTT {
                    var forged = enrolment
                    forged.regOTT = regOTT
                    try await scene.expectRefusal("mpin.unknown", "Confirm") { try await pins.confirm(forged) }
                    scene.clock.pass(.seconds(61))
                    try await scene.expectRefusal("mpin.unknown", "Restart") { try await pins.restart(forged) }
                }
                let missing = try await scene.expectNothingAppended("no regOTT") {
                    try await pins.call("GET", "rps/signature/\(enrolment.mpinId)")
                }
                #expect(missing.status == 400, "\(missing)")
                let after = try await pins.confirm(enrolment)
                if isVerified {
                    #expect(after.status == 200, "the registration is as before: \(after)")
                } else {
                    expectMPinProblem(after, "mpin.unauthorized")
                    scene.clock.pass(.seconds(61))
                    #expect(try await pins.restart(enrolment).status == 200)
                }
            }
        }
    }

    @Test func `has nothing to do with setupDone`() async throws {
        try await withMPin { scene in
            let pins = try await scene.unauthorized()
            let enrolment = try await pins.started("done")
            try await scene.expectNothingAppended("setupDone") {
                let bodies: [JSONValue?] = [nil, [:], ["anything": ["at": "all"]]]
                for body in bodies {
                    let reply = try await pins.call("POST", "rps/setupDone/\(enrolment.mpinId)", body)
                    #expect(reply.status == 200, "\(reply)")
                }
            }
            expectMPinProblem(try await pins.confirm(enrolment), "mpin.unauthorized")
        }
    }

    @Test func `waits for D-TAs that are out of reach, and then goes on`() async throws {
        try await withMPin { scene in
            let enrolment = try await scene.pins.started("patient")
            scene.keys.setDown(true)
            try await scene.expectRefusal("service.unavailable") { try await scene.pins.confirm(enrolment) }
            scene.keys.setDown(false)
            let holder = try await scene.pins.confirmed(enrolment)
            #expect(try await scene.pins.prove(holder).status == 200)
            // The server key is kept: authentication needs no D-TA.
            scene.keys.setDown(true)
            #expect(try await scene.pins.prove(holder).status == 200)
        }
    }

    @Test func `gives a permit for the second D-TA that expires`() async throws {
        try await withMPin { scene in
            let enrolment = try await scene.pins.started("late")
            let confirmed = try await scene.pins.confirm(enrolment)
            let params = try #require(confirmed["params"]?.text)
            #expect(!params.contains("alice") && params.wholeMatch(of: /[A-Za-z0-9_=&:.\-]+/) != nil)
            scene.clock.pass(.seconds(61))
            #expect(scene.keys.secondAnswer(to: params).status == 408)
            let holder = try await scene.pins.confirmed(enrolment)
            #expect(try await scene.pins.prove(holder).status == 200)
        }
    }

    @Test func `of an older epoch authenticates until that epoch ends`() async throws {
        try await withMPin { scene in
            let holder = try await scene.pins.register("epoch")
            scene.keys.begin(epoch: 2, oldest: 1)
            #expect(try await scene.pins.prove(holder).status == 200)
            let newer = try await scene.pins.register("newer")
            scene.keys.begin(epoch: 2, oldest: 2)
            for pin in [holder.pin, holder.wrongPIN] {
                try await scene.expectRefusal("mpin.key_expired") { try await scene.pins.prove(holder, pin: pin) }
            }
            #expect(try await scene.pins.prove(newer).status == 200)
        }
    }

    @Test func `leaves nothing of the user id, the M-Pin ID and the codes in logs and tables`() async throws {
        try await withMPin { scene in
            let userId = "\(Person.word())@mail.example"
            let holder = try await scene.pins.register(userId, pin: "90817263")
            let authOTT = try await scene.pins.authOTT(holder, pin: holder.wrongPIN + "1111")
            let enrolment = holder.enrolment
            let lines = scene.world.logs.joined(separator: "\n")
            let (dump, tables) = try await scene.world.dump()
            #expect(tables.count > 5)
            let raw = String(decoding: try #require(Hex.decode(enrolment.mpinId)), as: UTF8.self)
            for secret in [userId, enrolment.mpinId, raw, enrolment.regOTT, authOTT, Hex.encode(holder.token.encoded)] {
                #expect(!lines.contains(secret), "in the log of the service")
                #expect(dump.range(of: Data(secret.utf8)) == nil, "in a table")
            }
            // A stolen backup must not redeem proofs in progress: a table has a digest of the authOTT at most.
            let token = try #require(Base64URL.decode(authOTT))
            #expect(dump.range(of: Data(token)) == nil, "the bytes of the authOTT in a table")
        }
    }
}
