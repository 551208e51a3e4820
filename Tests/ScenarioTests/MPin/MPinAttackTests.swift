import Canonical
import Foundation
import Testing

@Suite(.onServer)
struct `A hostile app or client` {
    @Test func `gets no user id in that is not one line of visible text`() async throws {
        try await withMPin { scene in
            let texts = [
                "", " ", "a@b.example\r\nBcc: x@evil.example", "a@b.example\nBcc: x", "a\u{0}b", "a\u{1B}[31m", "a\tb",
                "a\u{7F}", "a\u{85}b", "a\u{200B}b", "a\u{FEFF}b", "a\u{202E}b", "a\u{2066}b", "a\u{2028}b", "a\u{AD}b",
                "a\u{E0041}b", String(repeating: "a", count: 257), String(repeating: "ä", count: 129),
            ]
            for pins in [scene.pins, try await scene.unauthorized()] {
                for text in texts {
                    try await scene.expectRefusal("request.invalid", "user id \(text.debugDescription)") {
                        try await pins.start(text)
                    }
                }
                for text in texts.dropFirst(2) {
                    try await scene.expectRefusal("request.invalid", "device name \(text.debugDescription)") {
                        try await pins.start("good", ["deviceName": .string(text)])
                    }
                }
            }
            for text in [String(repeating: "a", count: 256), "Zoë 姓 🔑", "a"] {
                #expect(try await scene.pins.start(text).status == 200, "\(text)")
            }
        }
    }

    @Test func `gets no document in that two readers read in two ways`() async throws {
        try await withMPin { scene in
            let bodies = [
                #"{"userId":"a\ud800b","mobile":1}"#, #"{"userId":"\udc00","mobile":1}"#,
                #"{"userId":"a","userId":"b"}"#,
                #"{"userId":"a","\u0075serId":"b"}"#, #"{"userId":"a"}{"userId":"b"}"#, #"{"userId":"a",}"#,
                #"{"userId":["a"]}"#, #"{"userId":null}"#, #"{"userId":1}"#, #"{"mobile":1}"#, "[]", "null", "", "{",
                #"{'userId':'a'}"#, "\u{FEFF}{\"userId\":\"a\"}", #"{"userId":"a","mobile":1.0}"#,
                #"{"userId":"a","mobile":"1"}"#, #"{"userId":"a","mobile":1e0}"#, #"{"userId":"a\u0000"}"#,
                #"{"userId":"a","active":true}"#, #"{"userId":"a","forceActivate":true}"#,
                #"{"userId":"a","mpinId":"00"}"#,
                #"{"userid":"a"}"#, #"{"userId":"a","deviceName":null,"x":1}"#,
            ]
            for body in bodies {
                let request = HTTPRequest("PUT", scene.pins.path("rps/user"), by: .app(scene.client.app))
                try await scene.expectRefusal("request.invalid", body) {
                    try await scene.client.send(request.with(body: body))
                }
            }
            var raw = HTTPRequest("PUT", scene.pins.path("rps/user"), by: .app(scene.client.app))
            raw.body = Array(#"{"userId":"a"#.utf8) + [0xFF, 0xC0, 0x80] + Array(#""}"#.utf8)
            raw.headers.append(("Content-Type", "application/json"))
            let sent = raw
            try await scene.expectRefusal("request.invalid", "invalid UTF-8") { try await scene.client.send(sent) }
        }
    }

    @Test func `gets unknown members refused in every call`() async throws {
        try await withMPin { scene in
            let holder = try await scene.pins.register("members")
            let waiting = try await scene.unauthorized().started("waiting")
            let answer = try await scene.pins.answer(holder)
            let authOTT = try await scene.pins.authOTT(holder)
            scene.clock.pass(.seconds(1))
            let point = JSONValue.string(HostilePoint.generator)
            let calls: [(String, String, [String: JSONValue])] = [
                ("PUT", "rps/user", ["userId": "x"]),
                ("PUT", "rps/user/\(waiting.mpinId)", ["userId": "waiting", "regOTT": .string(waiting.regOTT)]),
                ("POST", "rps/user/\(waiting.mpinId)", ["activateKey": "00"]),
                ("POST", "rps/pass1", ["mpin_id": .string(holder.enrolment.mpinId), "U": point]),
                ("POST", "rps/pass2", answer.body().members), ("POST", "authenticate", ["authOTT": .string(authOTT)]),
            ]
            for (method, rest, body) in calls {
                for (name, value) in [("x", 1), ("admin", true), ("__proto__", [:])] as [(String, JSONValue)] {
                    var members = body
                    members[name] = value
                    let sent = JSONValue.object(members)
                    try await scene.expectRefusal("request.invalid", "\(rest) with \(name)") {
                        try await scene.pins.call(method, rest, sent)
                    }
                }
            }
            let response: JSONValue = ["mpinResponse": ["authOTT": .string(authOTT), "x": 1]]
            let both: JSONValue = ["authOTT": .string(authOTT), "mpinResponse": ["authOTT": .string(authOTT)]]
            for body in [response, both] {
                try await scene.expectRefusal("request.invalid", "authenticate") {
                    try await scene.pins.call("POST", "authenticate", body)
                }
            }
            for query in ["regOTT=\(waiting.regOTT)&x=1", "regOTT=\(waiting.regOTT)&regOTT=\(waiting.regOTT)"] {
                let reply = try await scene.expectNothingAppended {
                    try await scene.pins.call("GET", "rps/signature/\(waiting.mpinId)?\(query)")
                }
                #expect(reply.status == 400, "\(query): \(reply)")
            }
            #expect(try await scene.pins.authenticate(authOTT).status == 200, "the refused calls used nothing")
        }
    }

    @Test func `has the roles of its secret and of its link, and no more`() async throws {
        try await withMPin { scene in
            let holder = try await scene.pins.register("roles"), enrolment = try await scene.pins.started("roles")
            let answer = try await scene.pins.answer(holder)
            let authOTT = try await scene.pins.authOTT(holder)
            let creation = try await scene.limited(to: ["ACCESS"]), access = try await scene.limited(to: ["CREATION"])
            scene.clock.pass(.seconds(1))
            typealias Call = (MPinScenarioClient) async throws -> HTTPReply
            let registering: [(String, Call)] = [
                ("start", { try await $0.start("new") }), ("restart", { try await $0.restart(enrolment) }),
                ("Confirm", { try await $0.confirm(enrolment) }),
            ]
            let proving: [(String, Call)] = [
                ("pass 1", { try await $0.pass1(holder.enrolment.mpinId, HostilePoint.generator) }),
                ("pass 2", { try await $0.pass2(answer) }), ("authenticate", { try await $0.authenticate(authOTT) }),
            ]
            for (name, call) in registering {
                try await scene.expectRefusal("app.role_missing", name) { try await call(creation) }
            }
            for (name, call) in proving {
                try await scene.expectRefusal("app.role_missing", name) { try await call(access) }
            }
            // The secret of an app with all roles, whose link has one.
            for (role, calls) in [("CREATION", proving), ("ACCESS", registering)] {
                let app = try await scene.world.makeApp(name: "linked for \(role)")
                let path = scene.client.path(scene.company, "/apps/\(app.appId)")
                expectOutcome(
                    try await scene.client.signed(by: scene.founder, "PUT", path, ["roles": [.string(role)]]), "done")
                for (name, call) in calls {
                    try await scene.expectRefusal("app.role_missing", "\(name), linked for \(role)") {
                        try await call(scene.pins.by(app))
                    }
                }
            }
            #expect(try await scene.pins.authenticate(authOTT).status == 200)
        }
    }

    @Test func `gets 403 without a secret, and the same for a company that it is not linked to as for none`()
        async throws
    {
        try await withMPin { scene in
            let holder = try await scene.pins.register("secret")
            let app = scene.client.app
            let callers: [(String, Caller)] = [
                ("app.unknown", .nobody), ("app.unknown", .raw("Basic !!!")),
                ("app.secret_invalid", .app(TestApp(appId: app.appId, secret: "wrong", salt: app.salt))),
                ("app.unknown", .app(TestApp(appId: UUID().uuidString.lowercased(), secret: app.secret, salt: ""))),
            ]
            let calls: [(String, String, JSONValue?)] = [
                ("GET", "rps/clientSettings", nil), ("PUT", "rps/user", ["userId": "x"]),
                ("GET", "rps/signature/\(holder.enrolment.mpinId)?regOTT=\(holder.enrolment.regOTT)", nil),
                (
                    "POST", "rps/pass1",
                    ["mpin_id": .string(holder.enrolment.mpinId), "U": .string(HostilePoint.generator)]
                ),
                ("POST", "authenticate", ["authOTT": "AAAAAAAAAAAAAAAAAAAAAA"]),
            ]
            let stranger = try await scene.world.makeApp(name: "not linked")
            for (method, rest, body) in calls {
                for (code, caller) in callers {
                    let reply = try await scene.expectNothingAppended {
                        try await scene.pins.call(method, rest, body, by: caller)
                    }
                    #expect(reply.status == 403, "\(rest): \(reply)")
                    #expect(reply.code == code || reply.code?.hasPrefix("app.") == true, "\(rest): \(reply)")
                }
                let session = try await scene.pins.call(method, rest, body, by: scene.founder.session)
                #expect((400..<500).contains(session.status), "a session token: \(session)")
                var replies: [HTTPReply] = []
                for company in [scene.company, "never.example"] {
                    let pins = scene.pins.of(company).by(stranger)
                    replies.append(try await scene.expectNothingAppended { try await pins.call(method, rest, body) })
                }
                expectMPinProblem(replies[0], "company.unknown", rest)
                #expect(replies[0].code == replies[1].code && replies[0].status == replies[1].status)
                #expect(replies[0]["detail"] == replies[1]["detail"])
            }
        }
    }

    @Test func `gets malformed M-Pin IDs and paths refused without an error of the service`() async throws {
        try await withMPin { scene in
            let holder = try await scene.pins.register("paths")
            let good = holder.enrolment.mpinId
            var re = String(decoding: try #require(Hex.decode(good)), as: UTF8.self)
            re = re.replacing("{", with: "{ ")
            let ids = [
                "", "0", "zz", good.uppercased() + "0", good + "00", String(good.dropLast(2)), "%2e%2e%2f", "..%2fuser",
                String(repeating: "ab", count: 4_000), Hex.encode(Array(re.utf8)), Hex.encode([0xFF, 0xFE]), "00",
            ]
            for id in ids {
                try await scene.expectNothingAppended(id) {
                    let path = id.contains("%") ? id : segment(id)
                    for (method, rest) in [
                        ("GET", "rps/signature/\(path)?regOTT=\(holder.enrolment.regOTT)"),
                        ("PUT", "rps/user/\(path)"), ("POST", "rps/user/\(path)"),
                    ] {
                        let body: JSONValue? =
                            switch method {
                            case "PUT": ["userId": "paths", "regOTT": .string(holder.enrolment.regOTT)]
                            case "POST": ["activateKey": .string(String(repeating: "0", count: 64))]
                            default: nil
                            }
                        let reply = try await scene.pins.call(method, rest, body)
                        #expect(
                            (400..<500).contains(reply.status)
                                || (id.isEmpty && method == "PUT" && reply.status == 400),
                            "\(method) \(id.prefix(20)): \(reply)")
                    }
                    let first = try await scene.pins.pass1(id, HostilePoint.generator)
                    #expect(first.status == 200 || (400..<500).contains(first.status), "\(id.prefix(20)): \(first)")
                }
            }
            #expect(try await scene.pins.prove(holder).status == 200)
        }
    }

    @Test func `reads no identities of a company that it is not linked to`() async throws {
        try await withMPin { scene in
            let holder = try await scene.pins.register("listed@mail.example")
            let member = try await scene.employee("member")
            try await scene.client.settle(scene.company)
            let path = scene.client.path(scene.company, "/mpin/identities")
            let last = try await scene.client.events(scene.company).last?["position"]?.number
            for caller in [Caller.app(scene.client.app), scene.founder.session] {
                let page = try await scene.client.get(path, by: caller, at: last)
                let item = try #require(page["items"]?.items.first, "\(page)")
                #expect(item["identityId"]?.text == holder.enrolment.identityId)
                #expect(item["status"]?.text == "registered" && item["failures"]?.number == 0)
                let text = String(decoding: page.body, as: UTF8.self)
                #expect(!text.contains(holder.enrolment.mpinId) && !text.contains(holder.enrolment.regOTT))
            }
            let stranger = scene.client.by(try await scene.world.makeApp(name: "not linked"))
            #expect(try await stranger.get(path).status == 404)
            for caller in [Caller.nobody, member.session] {
                #expect((400..<500).contains(try await scene.client.get(path, by: caller).status))
            }
        }
    }
}
