import BLS12381
import Foundation
import Testing
@testable import MPinCryptography

@Suite struct VectorTests {
    @Test func `every field and verdict of the committed records is reproduced`() throws {
        let records = try VectorRecord.own()
        #expect(records.count == 60)
        #expect(try records.filter { try $0.isRight() }.count == 40)
        for (index, record) in records.enumerated() { try Self.check(record, index) }
    }

    /// Reads a file that somebody else published, as it is.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["TENURE_MPIN_VECTORS"] != nil))
    func `every field and verdict of the file in TENURE_MPIN_VECTORS is reproduced`() throws {
        let path = try #require(ProcessInfo.processInfo.environment["TENURE_MPIN_VECTORS"])
        let records = try VectorRecord.read(Data(contentsOf: URL(fileURLWithPath: path)))
        try #require(!records.isEmpty)
        for (index, record) in records.enumerated() { try Self.check(record, index) }
    }

    @Test func `both published forms are read alike`() throws {
        let lines =
            "TEST = 1,\nMS1 = 00ff,\nPIN1 = 330,\nPIN2 = 12345,\nAuthResult = -19,\n\nTEST = 2,\nAuthResult = 0,\n"
        let json = """
            [{"TEST": 1, "MS1": "00ff", "PIN1": 330, "PIN2": 12345, "AuthResult": -19}, {"TEST": 2, "AuthResult": 0}]
            """
        for text in [lines, json] {
            let records = try VectorRecord.read(Data(text.utf8))
            try #require(records.count == 2)
            #expect(try records[0].bytes("MS1") == [0, 255] && records[0].pins() == ("00330", "12345"))
            #expect(try records[0].isRight() == false && records[1].isRight())
            #expect(throws: VectorRecord.Failure.self) { try records[1].bytes("MS1") }
        }
    }

    private static func check(_ record: VectorRecord, _ index: Int) throws {
        func expect(_ bytes: [UInt8], _ key: String) throws {
            #expect(try bytes == record.bytes(key), "record \(index + 1), \(key)")
        }
        let identity = try MPinIdentityPoint(mpinID: record.bytes("MPINId"))
        let masters = try ["MS1", "MS2"].map { MPinMasterShare(try Scalar(encoded: record.scalarBytes($0))) }
        let serverShares = masters.map { $0.serverKeyShare() }
        try expect(serverShares[0].encoded, "SS1")
        try expect(serverShares[1].encoded, "SS2")
        let serverKey = try MPinServerKey(adding: serverShares)
        try expect(serverKey.encoded, "SS")

        let clientShares = masters.map { $0.clientKeyShare(for: identity) }
        try expect(clientShares[0].encoded, "CS1")
        try expect(clientShares[1].encoded, "CS2")
        let clientKey = try MPinClientKey(adding: clientShares)
        try expect(clientKey.encoded, "CS")
        let (registered, entered) = try record.pins()
        let token = clientKey.token(without: try MPinPIN(registered), for: identity)
        try expect(token.encoded, "TOKEN")

        let prover = MPinProver(identity: identity, scalar: try Scalar(encoded: record.scalarBytes("X")))
        let commitment = prover.commitment
        try expect(commitment.encoded, "U")
        let challenge = try MPinChallenge(encoded: record.scalarBytes("Y"))
        let response = try prover.respond(to: challenge, token: token, pin: try MPinPIN(entered))
        try expect(response.encoded, "V")
        let verdict = serverKey.accepts(response, to: challenge, after: commitment, from: identity)
        #expect(try verdict == record.isRight(), "record \(index + 1), AuthResult")

        // The same from bytes, as the two sides exchange them.
        let read = try MPinServerKey(encoded: record.bytes("SS")).accepts(
            MPinResponse(encoded: record.bytes("V")), to: challenge,
            after: MPinCommitment(encoded: record.bytes("U")), from: identity)
        #expect(read == verdict)
    }
}
