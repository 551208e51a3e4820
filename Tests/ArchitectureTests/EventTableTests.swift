import Testing

/// The bytes of an event leave the database in Ledger only, where its code is compared.
@Suite struct EventTableTests {
    /// What reads columns of `tenure.event` beside Ledger, and which.
    private static let others: [String: String] = [
        "Keys/Shared/WrittenLog.swift": "whether there is an event",
        "IdentityService/Audit/FindGrownLedgers.swift": "versions, positions and times",
        "IdentityService/Audit/LedgerRepair.swift": "positions, times and codes",
        "IdentityService/Audit/RowComparison.swift": "positions of ends of sessions, for verify",
        "IdentityService/Audit/SealingLoop.swift": "times",
        "IdentityService/Operations/RestoredKeys.swift": "ids of streams",
        "IdentityService/Mail/MailBacklog.swift": "times of mails, for people",
        "IdentityService/Operations/ReplaceEventsKey.swift": "the number of events",
        "IdentityService/Operations/RowsOfLog.swift": "ids of streams",
        "IdentityService/Pages/WaitingFacts.swift": "ids of streams, to find whose rows to read",
    ]

    @Test func `no other target reads entries of the event table`() throws {
        let found = try Checkout.sources().map(\.file).filter { $0.text.contains("tenure.event") }
        #expect(found.count > 5, "the sources were not found")
        let outside = found.filter { file in
            !file.path.contains("Sources/Ledger/")
                && file.lines.contains { line in
                    line.contains("tenure.event") && !line.drop { $0 == " " }.hasPrefix("//")
                }
        }
        #expect(outside.map(\.path).filter { path in !Self.others.keys.contains(where: path.hasSuffix) } == [])
        let readers = outside.filter { file in
            file.lines.contains { $0.contains("SELECT") && $0.contains("entry") }
        }
        #expect(readers.map(\.path) == [])
    }
}
