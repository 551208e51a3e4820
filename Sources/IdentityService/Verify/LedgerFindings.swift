import Credentials
import FoundationEssentials
import Identity
import Ledger

/// What was found in one ledger.
struct LedgerFindings: Sendable {
    let events: Int64
    let sealed: Int64
    var violations: [Violation]
    /// The user keys that validations in a company's ledger were signed with.
    var validated = ValidatedKeys()
    /// The chain that was asked for, when this ledger has it.
    var chain: [AuthorityLink] = []

    /// Takes what an inspector of a whole ledger remembers at the end.
    mutating func take(_ inspector: LogInspector, of ledger: LedgerID, _ request: VerifyRequest) {
        if ledger.isDirectory {
            violations += inspector.validated.violations
            return
        }
        validated = inspector.validated
        validated.recoveries.complete(ledger)
        if let wanted = request.chainFingerprint { chain = inspector.trail.chains.chain(of: wanted) }
        guard let pinned = request.founderFingerprint, ledger == request.ledger else { return }
        let root = inspector.trail.root.flatMap { try? EmployeePublicKey(bytes: $0.bytes).fingerprint }
        if root != pinned {
            violations.append(
                Violation(.signature, ledger: ledger, "the founder's first key is not the pinned one"))
        }
    }
}

extension VerifyReport {
    mutating func add(_ findings: LedgerFindings) {
        ledgers += 1
        events += findings.events
        sealedEvents += findings.sealed
        violations += findings.violations
        if chain.isEmpty { chain = findings.chain }
    }
}
