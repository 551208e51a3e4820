import Credentials

/// A message of a challenge's length with a signature of a device key.
struct SignedMessage: Sendable {
    private let message = [UInt8](repeating: 7, count: 400)
    private let key: EmployeePublicKey
    private let signature: Signature

    init(_ person: BenchPerson) throws {
        key = try EmployeePublicKey(bytes: person.publicKey)
        signature = try Signature(raw: person.sign(message))
    }

    /// The processor time of one verification, while every core verifies.
    func milliseconds() async throws -> Double {
        try await CredentialBench.millisecondsOnEveryCore(times: 4_000) { try key.verify(signature, over: message) }
    }
}
