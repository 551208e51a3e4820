import Canonical
import Foundation
import Ledger
import Testing

@Suite struct LedgerIDTests {
    @Test func `fixed ledgers keep their ids for ever`() {
        #expect(LedgerID.system.description == "00000000-0000-8000-8000-000000000000")
        #expect(LedgerID.directory(0).description == "00000000-0000-8000-8000-000000000100")
        #expect(LedgerID.directory(0xAB).description == "00000000-0000-8000-8000-0000000001ab")
        #expect(Set(LedgerID.directories + [.system]).count == 257)
    }

    @Test func `ledgers are ordered by their bytes`() {
        let high = LedgerID(UUID(uuid: (0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        #expect(LedgerID.system < .directory(0) && LedgerID.directory(0) < .directory(1))
        #expect(LedgerID.directory(255) < high && !(high < high))
    }

    @Test func `descriptions of errors hold no content`() {
        let error = LedgerError(.busy, "too many appends wait")
        #expect(error.description == "ledger.busy: too many appends wait")
    }
}
