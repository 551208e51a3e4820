import Canonical
import Crypto
import Foundation
@testable import Identity
import Keys
import Ledger
import Postgres
import TestSupport
import Testing

@testable import Credentials

/// What a thief of one user's secrets would look for: the secrets, and every value from which a guess can be confirmed.
///
/// In blind mode all of it is made on the device alone, from the secret and the service's evaluation.
struct Confirmers {
    /// Each secret and each value, in the forms in which it might stand somewhere.
    let forms: [Forms]
    private let needles: Needles

    /// Whatever of it is there, by name.
    func found(in haystack: Data) -> Set<String> { needles.found(in: haystack) }

    /// Makes them of what somebody knows and of what the database and the master keys have of the credentials.
    init(_ person: Person, _ stored: StoredSecrets) throws {
        let context = stored.context
        var forms: [Forms] = []
        let pairs = zip(context.questionIds, person.questions).map { (questionId: $0, answer: $1.answer) }
        let answers = try SuppliedAnswers(pairs, questionIds: context.questionIds)
        var inputs = context.acceptsAnswers ? answers.inputs(context) : []
        if let phrase = person.passphrase {
            inputs.append(
                VOPRFInput(
                    credentialId: context.credentialId, passphrase: try Passphrase(supplied: phrase).secret.bytes))
        }
        let keys = try stored.seed.keys()
        for input in inputs {
            let output = try keys.key(for: input.slot).evaluator()(input)
            forms += [
                Forms("input \(input.slot)", bytes: input.bytes),
                Forms("output \(input.slot)", bytes: output.bytes),
                Forms(
                    "sealing key \(input.slot)",
                    bytes: try SealedCopy.sealingKey(output, slot: input.slot, context: context).bytes),
            ]
        }
        if let input = inputs.first {
            let output = try keys.key(for: input.slot).evaluator()(input)
            let userKey = try SealedCopy.open(
                try stored.sealed.copy(in: input.slot), under: output, slot: input.slot, context: context)
            forms.append(Forms("user key", bytes: userKey.secret.bytes))
        }
        var secrets = person.questions.map { ("answer", $0.answer) }
        if let phrase = person.passphrase { secrets.append(("passphrase", phrase)) }
        for (name, secret) in secrets {
            for spelling in Set([secret, secret.lowercased()]) {
                let bytes = Array(spelling.utf8)
                forms += [
                    Forms("SHA-256 of an \(name)", bytes: Array(SHA256.hash(data: bytes))),
                    Forms("SHA-384 of an \(name)", bytes: Array(SHA384.hash(data: bytes))),
                    Forms("SHA-1 of an \(name)", bytes: Array(Insecure.SHA1.hash(data: bytes))),
                    Forms("MD5 of an \(name)", bytes: Array(Insecure.MD5.hash(data: bytes))),
                ]
            }
        }
        self.forms = forms + secrets.map { Forms($0.0, $0.1) }
        needles = Needles(self.forms)
    }
}

/// What the database has of one user's credentials, and the seed as who has the master keys reads it.
struct StoredSecrets {
    let sealed: SealedCredentials
    let seed: OPRFSeed
    /// The seed as it lies in the database, wrapped.
    let wrapped: [[UInt8]]

    var context: OpeningContext { sealed.context }

    /// The credentials that were set last in a world.
    static func last(in world: TenureWorld) async throws -> StoredSecrets {
        let rows = try await world.superuser { connection in
            try await connection.query(
                "SELECT ledger_id, entry FROM tenure.event WHERE type = 'CredentialsSet' ORDER BY time DESC LIMIT 1")
        }
        let (ledger, entry) = try #require(rows.first).decode(UUID.self, [UInt8].self)
        let data = try StrictJSON.parse(entry)["data"]
        let record = try StoredCredentials(bytes: try bytes(base64url: data?["record"]?.text)).record
        let credential = record.sealed.context.credentialId
        let wrapped = try await world.superuser { connection in
            try await connection.query("SELECT wrapped FROM tenure.oprf_seed WHERE credential_id = \(credential)")
        }
        let masters = world.masters
        let seeds = try await world.database.withPool { pool in
            try await OPRFSeeds(pool: pool, masters: masters).load(credentialId: credential, ledger: ledger)
        }
        return StoredSecrets(
            sealed: record.sealed, seed: try OPRFSeed(bytes: try #require(seeds).answers.bytes),
            wrapped: try wrapped.map { try $0.decode([UInt8].self) })
    }
}
