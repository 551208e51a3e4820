public import Canonical
public import Identity
public import Ledger

/// Folds ledgers of tenants up to a moment: what was so yesterday.
public struct StateAt: Sendable {
    /// Up to where a ledger is folded.
    public enum Moment: Sendable, Hashable {
        /// To the end.
        case now
        /// Up to an event, itself included.
        case position(Int64)
        /// All events of a time and before.
        case time(Timestamp)
    }

    private let reader: LedgerReader

    /// Folds what a reader reads.
    public init(reader: LedgerReader) { self.reader = reader }

    /// The states of a company at two moments, read once; the later one is not before the earlier one.
    ///
    /// - Throws: As ``company(_:at:)``.
    public func company(
        _ tenant: TenantID, from: Moment, to: Moment
    ) async throws -> (before: CompanyState, after: CompanyState) {
        let before = try await company(tenant, at: from)
        let after = try await fold(tenant, onto: before, to: to)
        return (before, after)
    }

    /// The state of a company at a moment; without a tenant when it was not founded then.
    ///
    /// - Throws: `LedgerError`, and what decoding throws, for an unknown type too.
    public func company(_ tenant: TenantID, at moment: Moment = .now) async throws -> CompanyState {
        try await fold(tenant, onto: CompanyState(), to: moment)
    }

    /// Folds on what a state lacks.
    public func company(_ tenant: TenantID, onto state: CompanyState) async throws -> CompanyState {
        try await fold(tenant, onto: state, to: .now)
    }

    private func fold(_ tenant: TenantID, onto: CompanyState, to moment: Moment) async throws -> CompanyState {
        var state = onto
        while true {
            let page = try await reader.ledger(LedgerID(tenant.uuid), after: state.position)
            for event in page.events {
                guard moment.includes(event) else { return state }
                try state.apply(event)
            }
            guard page.hasMore else { return state }
        }
    }
}

extension StateAt.Moment {
    /// Whether an event is not after the moment. Within a ledger, once one is after it, all that follow are.
    func includes(_ event: RecordedEvent) -> Bool {
        switch self {
        case .now: true
        case .position(let position): event.position <= position
        case .time(let time): event.time <= time
        }
    }
}
