import Canonical
package import ErrorCodes
import Text

/// The operator set the name that passkeys are made for, and the origins that may use them.
package struct OriginsChanged: EventPayload {
    /// The host, or a parent domain of it, that passkeys belong to (the RP ID of WebAuthn).
    package var rpID: String
    /// The origins of pages that may use them, ascending. All are of the name or below it.
    package var origins: [ClientOrigin]
    package var by: Authority

    package static let members = EventMembers<OriginsChanged>(
        "OriginsChanged", OriginsChanged.init,
        Member("rpId", \.rpID, .rpID),
        Member("origins", \.origins, .array(of: ClientOrigin.memberKind) { _ in 1...16 }),
        Member("by", \.by))
}

/// The name and the origins of passkeys. What `tenure passkey origins` set last is in force.
package enum Origins: Decider {
    package typealias Event = OriginsEvent

    /// The state, folded from the events.
    package struct State: Sendable, Equatable {
        /// What is in force; `nil` while nothing was set, and no passkeys are offered.
        package internal(set) var rules: PasskeyRules?
    }

    /// The command to set both.
    package struct Set: Sendable, Equatable {
        package var rules: PasskeyRules
        package var decision: AuthorityDecision

        package init(_ rules: PasskeyRules, decision: AuthorityDecision) {
            self.rules = rules
            self.decision = decision
        }
    }

    package enum Rejection: CodedRejection, CaseIterable {
        /// Somebody other than the operator decides.
        case notPermitted

        package var code: ErrorCode { .authorizationNotPermitted }
    }

    package static let initial = State()

    package static func evolve(_ state: inout State, _ recorded: Recorded<OriginsEvent>) {
        switch recorded.event {
        case .changed(let event): state.rules = PasskeyRules(event)
        }
    }

    /// Sets name and origins; does nothing if they are in force.
    package static func decide(_ state: State, _ command: Set) throws(Rejection) -> [OriginsEvent] {
        guard AuthorityTable.permits(.administerApps, about: .installation, by: command.decision) else {
            throw .notPermitted
        }
        let rules = command.rules
        guard state.rules != rules else { return [] }
        return [
            .changed(OriginsChanged(rpID: rules.rpID, origins: rules.origins, by: command.decision.authority))
        ]
    }
}

/// The events about the origins of passkeys.
package enum OriginsEvent: AggregateEvent {
    case changed(OriginsChanged)

    package static let cases = AggregateCases<OriginsEvent>(changed)

    package var payload: any EventPayload {
        switch self {
        case .changed(let event): event
        }
    }
}

/// The name that passkeys belong to, with the origins that may use them.
package struct PasskeyRules: Sendable, Equatable {
    /// The most origins.
    package static let maximumCount = 16

    package let rpID: String
    /// Ascending, without repetition.
    package let origins: [ClientOrigin]

    /// - Throws: ``ValueError`` with `request.invalid` and the reason.
    package init(rpID: String, origins: [String]) throws(ValueError) {
        func refusal(_ field: String, _ reason: String) -> ValueError {
            ValueError(.requestInvalid, field: field, reason: reason)
        }
        guard Self.isName(rpID) else {
            throw refusal("rpId", "a host name in lower case is expected, such as id.example.com, and no IP address")
        }
        var parsed: Swift.Set<ClientOrigin> = []
        for text in origins {
            let origin = try ClientOrigin(text)
            guard Self.covers(rpID, origin) else {
                throw refusal("origins", "\(text) is neither \(rpID) nor below it, and browsers refuse it")
            }
            parsed.insert(origin)
        }
        guard (1...Self.maximumCount).contains(parsed.count) else {
            throw refusal("origins", "one to \(Self.maximumCount) origins are expected")
        }
        self.rpID = rpID
        self.origins = parsed.sorted { $0.text < $1.text }
    }

    /// What an event says; `nil` for an event that no decision makes.
    package init?(_ event: OriginsChanged) {
        guard let rules = try? PasskeyRules(rpID: event.rpID, origins: event.origins.map(\.text)),
            rules.origins == event.origins
        else { return nil }
        self = rules
    }

    /// The rules of a service with one public URL, whose host is the name; `nil` for an IP address.
    package init?(publicURL: String) {
        guard let origin = try? ClientOrigin(publicURL), let host = origin.host,
            let rules = try? PasskeyRules(rpID: host, origins: [publicURL])
        else { return nil }
        self = rules
    }

    /// Whether the pages of a public URL may use these passkeys.
    package func fits(publicURL: String) -> Bool { origins.contains { $0.text == publicURL } }

    static func isName(_ text: String) -> Bool {
        guard let origin = try? ClientOrigin("https://\(text)"), origin.host == text else { return false }
        return text.utf8.count <= DomainName.maximumBytes && !text.hasPrefix("[")
            && text.split(separator: ".").last.map { !$0.utf8.allSatisfy(URICharacters.isDigit) } ?? false
    }

    private static func covers(_ rpID: String, _ origin: ClientOrigin) -> Bool {
        guard let host = origin.host else { return false }
        return host == rpID || host.hasSuffix(".\(rpID)")
    }
}

extension ClientOrigin {
    /// The host, without the port.
    package var host: String? {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let rest = Array(text.utf8[text.utf8.index(after: colon)...])
        return URIAuthority(scheme: String(text[..<colon]), rest: rest[...])?.host
    }
}

extension MemberKind where Value == String {
    /// A host name in lower case, and no IP address.
    fileprivate static var rpID: MemberKind {
        .text(
            .string(format: "hostname"), "a host name is expected", parse: { PasskeyRules.isName($0) ? $0 : nil },
            text: { $0 })
    }
}
