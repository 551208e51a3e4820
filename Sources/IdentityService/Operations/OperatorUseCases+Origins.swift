import EventCoding
package import Identity
package import Ledger

extension OperatorUseCases {
    /// Sets the name and the origins of passkeys.
    ///
    /// - Returns: Whether anything changed.
    /// - Throws: ``OperatorKeyError``.
    @discardableResult
    package func setOrigins(_ rules: PasskeyRules) async throws -> Bool {
        try await optimistic {
            let known = try await StateLoader(reader: context.reader).origins()
            let events = try await signing.decide(on: .origins) { decision in
                try Origins.decided(known.state, Origins.Set(rules, decision: decision))
            }
            guard !events.isEmpty else { return false }
            try await append(events.map(\.payload), to: .origins, version: known.version)
            return true
        }
    }

    /// The name and the origins of passkeys; `nil` while none are set.
    package func origins() async throws -> PasskeyRules? {
        try await StateLoader(reader: context.reader).origins().state.rules
    }
}

/// The refusal to start under a public URL that is none of the origins of passkeys.
package struct PasskeyOriginsMissed: Error, Sendable, Hashable, CustomStringConvertible {
    /// The origins in force.
    package let origins: [String]
    /// The public URL of the settings.
    package let url: String

    package var description: String {
        "the public URL is \(url), and passkeys belong to \(origins.joined(separator: ", "))"
    }

    /// Checks the public URL of a service that starts; a log without origins has no passkeys.
    ///
    /// - Throws: ``PasskeyOriginsMissed``.
    package static func check(_ url: String, _ reader: LedgerReader) async throws {
        guard let rules = try await StateLoader(reader: reader).origins().state.rules, !rules.fits(publicURL: url)
        else { return }
        throw PasskeyOriginsMissed(origins: rules.origins.map(\.text), url: url)
    }
}

extension ServiceContext {
    /// The rules for passkeys, from the log; `nil` if the service offers none: nothing was set, or the public URL of its
    /// pages is not among the origins.
    ///
    /// - Parameter everywhere: Whether the pages of apps that the operator listed may have asked, or the own ones alone.
    package func passkeyRules(everywhere: Bool = false) async throws -> PasskeyRules? {
        let rules = try await StateLoader(reader: reader).origins().state.rules
        let url = settings.pagesURL ?? settings.tokenIssuer
        guard let rules, rules.fits(publicURL: url) else { return nil }
        return everywhere ? rules : try PasskeyRules(rpID: rules.rpID, origins: [url])
    }
}
