import Canonical
import Foundation
import Postgres
import Testing

@Suite(.onServer)
struct `A database writer without the keys` {
    @Test(arguments: [
        "verdict = 'right'", "verdict = 'right', mac = ''",
        "verdict = 'right', expires_at = expires_at + interval '1 day'",
    ])
    func `makes no proof of a wrong PIN`(change: String) async throws {
        try await withMPin { scene in
            let writer = DatabaseWriter(world: scene.world)
            let holder = try await scene.pins.register("writer")
            let token = try await scene.pins.authOTT(holder, pin: "9999")
            try await writer.run("UPDATE tenure.mpin_pass SET \(unsafeSQL: change)")
            try await scene.expectRefusal("mpin.request_expired", change) { try await scene.pins.authenticate(token) }
            #expect(try await writer.refused("mpin_pass") >= 1)
            let right = try await scene.pins.prove(holder)
            #expect(right.status == 200, "\(right)")
        }
    }

    @Test func `does not take the verdict of one proof for another's`() async throws {
        try await withMPin { scene in
            let writer = DatabaseWriter(world: scene.world)
            let holder = try await scene.pins.register("mover")
            let wrong = try await scene.pins.authOTT(holder, pin: "9999")
            _ = try await scene.pins.authOTT(holder)
            try await writer.run(
                """
                UPDATE tenure.mpin_pass AS w SET verdict = r.verdict, sealed_id = r.sealed_id, mac = r.mac
                FROM tenure.mpin_pass AS r WHERE w.ledger_id = r.ledger_id AND w.verdict <> 'right' AND r.verdict = 'right'
                """)
            try await scene.expectRefusal("mpin.request_expired", "a moved verdict") {
                try await scene.pins.authenticate(wrong)
            }
        }
    }
}
