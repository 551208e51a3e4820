import Canonical
import Credentials
import Crypto
import EventCoding
import Foundation
@testable import Identity
import TestSupport
import Testing

@testable import IdentityService
@testable import Ledger

/// Every append of a signed decision ends with the statement, and writes what its events change beside the log.
@Suite struct EventRecorderTests {
    private static let expiry = Timestamp("2026-11-25T05:00:00.000001Z")
    private let tenant = TenantID(UUID()), time = Timestamp(microseconds: 1_700_000_000_000_000)

    private func recorder() throws -> EventRecorder { EventRecorder(try .unconnected(), at: time) }

    private func by(_ statement: String) throws -> Authority {
        let pair = try SigningKeyPair()
        return .operator(try pair.sign(Array(statement.utf8)))
    }

    private func linked(_ statement: String) throws -> AppLinked {
        AppLinked(appID: AppID(UUID()), by: try by(statement))
    }

    @Test func `the first expiry of several statements and of the append counts`() throws {
        let first = "tenure/v1/operator\n{\"action\":\"x\",\"expires\":\"2026-11-25T05:00:00.000001Z\"}"
        let later = "tenure/v1/operator\n{\"expires\":\"2026-11-25T06:00:00.000000Z\"}"
        var recorder = try recorder()
        for text in [later, first, later] { try recorder.add(linked(text), to: .tenant(tenant), version: 3) }
        #expect(recorder.append(at: time).notAfter == Self.expiry)
        recorder.notAfter = Timestamp(microseconds: 5)
        #expect(recorder.append(at: time).notAfter == Timestamp(microseconds: 5))
        // What accepts the time of a ledger may be as late as that.
        recorder.notAfter = nil
        recorder.mayFollowHead = true
        #expect(recorder.append(at: time).notAfter == nil && recorder.append(at: time).mayFollowHead)
    }

    @Test func `an append without statements has no expiry, and one that cannot be read is refused`() throws {
        var recorder = try recorder()
        try recorder.add(AppLinked(appID: AppID(UUID()), by: .founding), to: .tenant(tenant), version: 0)
        #expect(recorder.append(at: time).notAfter == nil)
        for bad in ["", "tenure/v1/operator\n{}", "x"] {
            let error = #expect(throws: LedgerError.self) {
                try recorder.add(linked(bad), to: .tenant(tenant), version: 0)
            }
            #expect(error?.code == .invalidEvent)
        }
    }

    @Test func `events of one stream follow each other, whatever else the append guards`() throws {
        var recorder = try recorder()
        recorder.expectations[.tenant(tenant)] = 4
        try recorder.add(AppUnlinked(appID: AppID(UUID()), by: .policy), to: .tenant(tenant), version: 4)
        try recorder.add(AppUnlinked(appID: AppID(UUID()), by: .policy), to: .tenant(tenant), version: 4)
        let append = recorder.append(at: time)
        #expect(append.expectations == [.tenant(tenant): 4] && append.events.count == 2)
        let receipt = AppendReceipt(events: append.events, positions: [7, 8], time: time, wasDuplicate: false)
        #expect(append.effects(receipt).count == 2)
    }

    @Test func `the expiry that is read is that of the statement`() throws {
        let expires = Timestamp.now().adding(.seconds(900))
        let key = P256.Signing.PrivateKey()
        let context = StatementContext(
            tenant: UUID(), signer: try StatementKey(bytes: Array(key.publicKey.x963Representation)),
            authority: [UInt8](repeating: 1, count: 32), ledgerSize: 4, ledgerRoot: [UInt8](repeating: 2, count: 32),
            expires: expires, nonce: [UInt8](repeating: 3, count: 32))
        let reclaim = ReclaimStatement(context: context, user: UUID(), reason: "left")
        let decided = OperatorStatement(context: context, action: "X", schema: 1, subject: UUID(), data: [:])
        #expect(StatementContext.expiry(ofStatement: reclaim.bytes) == expires)
        #expect(StatementContext.expiry(ofStatement: decided.bytes) == expires)
    }
}
