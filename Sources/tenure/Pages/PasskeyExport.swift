import ArgumentParser
import Canonical
import Credentials
import Crypto
import EventCoding
import FoundationEssentials
import Identity
import Ledger
import Projections

/// Prints an assertion that the log holds, in the form that libraries of other programs take.
struct PasskeyExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print what a passkey signed for an event, for another program to verify.",
        discussion: """
            The event presents a passkey, is a log-in, or is a decision that a passkey signed. The result is one JSON \
            object: the bytes that were signed for, the key that the log holds, and the parts of the assertion. Bytes are \
            base64url. Its challenge is the SHA-256 of "message".

            Needs TENURE_READER_DATABASE_URL and TENURE_MASTER_KEY_FILE.

            Example:
              tenure passkey export 42 --company harbour.example
            """)

    @Argument(help: "The position of the event in the company's ledger.")
    var position: Int64

    @Option(help: "The company's name.")
    var company: String

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        let (company, position) = (company, position)
        let settings = try await options.settings()
        try await ReaderSession.run(settings) { session in
            let log = EventLog(pool: session.pool, codes: session.codes, keys: session.keys)
            var selection = ReplaySelection(ledgers: try await log.ledgers())
            try await selection.limit(to: company, nil, withAttempts: false, session)
            guard let ledger = selection.ledgers.first?.id else {
                throw CommandFailure(.notFound, "there is no company of that name")
            }
            let export = try await LoggedAssertion.read(log, ledger, position)
            try Output.standardOutput().write(JSONLines.line(try export.json()))
        }
    }
}

/// What a passkey signed for an event, and what the log holds of its key.
struct LoggedAssertion: Sendable {
    /// The exact bytes of the challenge or statement.
    let message: [UInt8]
    let assertion: PasskeyAssertion
    let key: EmployeePublicKey
    /// What was recorded when the key was presented.
    let facts: PasskeyFacts

    /// Reads the event at a position, and the presentation of its key up to there.
    ///
    /// - Throws: ``CommandFailure`` with exit code 6 if no passkey signed for the event, or there is none.
    static func read(_ log: some EventSource, _ ledger: LedgerID, _ position: Int64) async throws -> LoggedAssertion {
        let nothing = CommandFailure(.notFound, "no passkey signed for an event at position \(position)")
        var found: RecordedEvent?
        try await log.replay(ledger, EventLog.Range(fromPosition: position, toPosition: position)) { events, _ in
            found = events.first?.recorded ?? found
        }
        guard let event = found, let signed = try Signed(event) else { throw nothing }
        guard case .passkey(let assertion) = try DeviceEvidence(bytes: signed.evidence) else { throw nothing }
        // The first presentation fixed what is held against every assertion.
        var presented: EmployeeKeyPresented?
        let until = EventLog.Range(toPosition: position)
        try await log.replay(ledger, until, types: [EmployeeKeyPresented.type]) { events, _ in
            for event in events {
                let payload = try EventCodec.payload(of: event.recorded) as? EmployeeKeyPresented
                guard presented == nil, let payload, payload.employeeID.uuid == signed.employee,
                    Array(SHA256.hash(data: payload.key.bytes)) == signed.fingerprint
                else { continue }
                presented = payload
            }
        }
        guard let presented, let facts = presented.passkey else { throw nothing }
        return LoggedAssertion(
            message: signed.message, assertion: assertion, key: try EmployeePublicKey(bytes: presented.key.bytes),
            facts: facts)
    }

    /// One object with the names of Web Authentication.
    func json() throws -> JSONValue {
        var signature = assertion.signature
        if assertion.algorithm == .es256 {
            signature = Array(try P256.Signing.ECDSASignature(rawRepresentation: signature).derRepresentation)
        }
        return [
            "message": .bytes(message), "rpId": .string(facts.rpID), "origin": .string(assertion.clientData.origin),
            "algorithm": .integer(assertion.algorithm == .es256 ? -7 : -257),
            "publicKey": .bytes(key.subjectPublicKeyInfo), "key": .bytes(key.bytes),
            "credentialId": .bytes(facts.credentialID), "userHandle": .bytes(facts.userHandle.bytes),
            "authenticatorData": .bytes(assertion.authenticatorData.bytes),
            "clientDataJSON": .bytes(assertion.clientData.bytes), "signature": .bytes(signature),
        ]
    }
}

/// The bytes that a device key signed for an event, from the event alone.
private struct Signed {
    let message: [UInt8]
    let evidence: [UInt8]
    let fingerprint: [UInt8]
    /// The account whose key signed.
    let employee: UUID

    /// `nil` if no device key signed for the event.
    init?(_ event: RecordedEvent) throws {
        switch try EventCodec.payload(of: event) {
        case let payload as EmployeeKeyPresented:
            guard let facts = payload.passkey else { return nil }
            (message, evidence, employee) = (facts.challenge, facts.evidence.bytes, payload.employeeID.uuid)
            fingerprint = Array(SHA256.hash(data: payload.key.bytes))
        case let payload as PasskeyValidated:
            (message, evidence, employee) = (payload.challenge, payload.evidence.bytes, payload.employeeID.uuid)
            fingerprint = payload.fingerprint.bytes
        default:
            guard let by = event.data["by"], let key = Self.bytes(by["key"]),
                let statement = Self.bytes(by["statement"]), let signature = Self.bytes(by["signature"]),
                case .string(let id)? = by["employee"], let signer = EmployeeID(entered: id)
            else { return nil }
            (message, evidence, employee) = (statement, signature, signer.uuid)
            fingerprint = Array(SHA256.hash(data: key))
        }
    }

    private static func bytes(_ value: JSONValue?) -> [UInt8]? {
        guard case .string(let text)? = value else { return nil }
        return Base64URL.decode(text)
    }
}
