import Canonical
import Foundation
import Testing

/// The state that an identity is brought to before a call.
enum MPinStage: CaseIterable, Sendable {
    case started, activated, issued, registered, blocked, revoked

    /// The code of an ended identity.
    var ended: String? {
        switch self {
        case .blocked: "mpin.blocked"
        case .revoked: "mpin.ended"
        default: nil
        }
    }
}

extension MPinScene {
    /// A registration in a state. Its token is whole, also where none was issued yet.
    func holder(in stage: MPinStage) async throws -> MPinHolder {
        let pins = stage == .started ? try await unauthorized() : pins
        let enrolment = try await pins.started("in-\(stage)-\(Person.word())")
        switch stage {
        case .started, .activated: return try await stolen(enrolment)
        case .issued: return try await pins.confirmed(enrolment)
        case .registered, .blocked, .revoked: break
        }
        let holder = try await pins.confirmed(enrolment)
        #expect(try await pins.prove(holder).status == 200)
        if stage == .blocked {
            for _ in 1...3 { _ = try await pins.prove(holder, pin: holder.wrongPIN) }
            #expect(try await types(enrolment).last == "MPinBlocked")
        }
        if stage == .revoked { expectOutcome(try await revoke(enrolment), "done") }
        return holder
    }

    /// The types of the events that a call adds to an identity.
    func added(to enrolment: MPinEnrolment, _ call: () async throws -> HTTPReply) async throws -> (HTTPReply, [String])
    {
        let before = try await types(enrolment)
        let reply = try await call()
        let after = try await types(enrolment)
        #expect(after.starts(with: before))
        return (reply, Array(after.dropFirst(before.count)))
    }
}

/// The table of calls and states of the specification, row by row.
@Suite(.onServer)
struct `In each state of an identity` {
    @Test func `a restart is accepted before the verification only`() async throws {
        try await withMPin { scene in
            let creating = try await scene.unauthorized()
            for stage in MPinStage.allCases {
                let holder = try await scene.holder(in: stage)
                let enrolment = holder.enrolment
                scene.clock.pass(.seconds(61))
                guard stage == .started else {
                    try await scene.expectRefusal(stage.ended ?? "mpin.wrong_state", "\(stage)") {
                        try await creating.restart(enrolment)
                    }
                    continue
                }
                let (reply, events) = try await scene.added(to: enrolment) { try await creating.restart(enrolment) }
                let again = try MPinEnrolment(enrolment.userId, reply)
                #expect(again.mpinId == enrolment.mpinId && again.identityId == enrolment.identityId)
                #expect(again.regOTT == enrolment.regOTT && !again.isActive)
                #expect(events == ["MPinRegistrationRestarted"])
            }
        }
    }

    @Test func `a verification is recorded once`() async throws {
        try await withMPin { scene in
            for stage in MPinStage.allCases {
                let enrolment = try await scene.holder(in: stage).enrolment
                let path = scene.path(enrolment, "/verification")
                let verify = { try await scene.client.post(path, [:]) }
                if let ended = stage.ended {
                    try await scene.expectRefusal(ended, "\(stage)", verify)
                    continue
                }
                let (reply, events) = try await scene.added(to: enrolment, verify)
                expectOutcome(reply, "done")
                #expect(events == (stage == .started ? ["MPinIdentityVerified"] : []), "\(stage)")
                #expect((reply["position"]?.number == nil) == events.isEmpty, "\(stage)")
            }
        }
    }

    @Test func `Confirm issues one key between verification and registration`() async throws {
        try await withMPin { scene in
            for stage in MPinStage.allCases {
                let enrolment = try await scene.holder(in: stage).enrolment
                let confirm = { try await scene.pins.confirm(enrolment) }
                let refusal: String? =
                    switch stage {
                    case .started: "mpin.unauthorized"
                    case .registered: "request.invalid"
                    default: stage.ended
                    }
                if let refusal {
                    try await scene.expectRefusal(refusal, "\(stage)", confirm)
                    continue
                }
                let (reply, events) = try await scene.added(to: enrolment, confirm)
                #expect(reply.status == 200, "\(stage): \(reply)")
                #expect(events == (stage == .activated ? ["MPinClientKeyIssued"] : []), "\(stage)")
            }
        }
    }

    @Test func `a right proof counts if the key was issued`() async throws {
        try await withMPin { scene in
            for stage in MPinStage.allCases {
                let holder = try await scene.holder(in: stage)
                let prove = { try await scene.pins.prove(holder) }
                switch stage {
                case .started, .activated: try await scene.expectRefusal("mpin.unauthorized", "\(stage)", prove)
                case .blocked, .revoked: try await scene.expectRefusal(stage.ended ?? "", "\(stage)", prove)
                case .issued, .registered:
                    let count = try await scene.authentications(holder.enrolment)
                    let (reply, events) = try await scene.added(to: holder.enrolment, prove)
                    #expect(reply.status == 200, "\(stage): \(reply)")
                    #expect(events == (stage == .issued ? ["MPinRegistered"] : []), "\(stage)")
                    #expect(try await scene.authentications(holder.enrolment) == count + 1)
                }
            }
        }
    }

    @Test func `a wrong proof counts if the key was issued`() async throws {
        try await withMPin { scene in
            for stage in MPinStage.allCases {
                let holder = try await scene.holder(in: stage)
                let prove = { try await scene.pins.prove(holder, pin: holder.wrongPIN) }
                switch stage {
                case .started, .activated: try await scene.expectRefusal("mpin.unauthorized", "\(stage)", prove)
                case .blocked, .revoked: try await scene.expectRefusal(stage.ended ?? "", "\(stage)", prove)
                case .issued, .registered:
                    for number in 1...3 {
                        let (reply, events) = try await scene.added(to: holder.enrolment, prove)
                        expectMPinProblem(reply, number < 3 ? "mpin.wrong_pin" : "mpin.blocked", "\(stage) \(number)")
                        let blocked = number == 3 ? ["MPinBlocked"] : []
                        #expect(events == ["MPinAuthenticationFailed"] + blocked, "\(stage) \(number)")
                    }
                }
            }
        }
    }

    @Test func `an unknown identity is refused`() async throws {
        try await withMPin { scene in
            let other = try await scene.pins.started("somebody")
            var unknown = other
            let text = String(decoding: try #require(Hex.decode(other.mpinId)), as: UTF8.self)
            unknown.mpinId = Hex.encode(Array(text.replacing("somebody", with: "somebodx").utf8))
            unknown.identityId = UUID().uuidString.lowercased()
            for call in [scene.pins.confirm(_:push:)] {
                try await scene.expectRefusal("mpin.unknown", "Confirm") { try await call(unknown, nil) }
            }
            try await scene.expectRefusal("mpin.unknown", "Restart") { try await scene.pins.restart(unknown) }
            try await scene.expectNothingAppended("decisions about an unknown identity") {
                for rest in ["/verification", "/revocation"] {
                    let body: JSONValue = rest == "/revocation" ? ["reason": "lost"] : [:]
                    let reply = try await scene.client.post(scene.path(unknown, rest), body)
                    #expect([400, 404].contains(reply.status), "\(rest): \(reply)")
                }
            }
        }
    }
}
