import BLS12381
import CMemcheck
import Foundation
import MPinCryptography

/// Marks secrets as undefined memory and runs on them what handles secrets. Memcheck then reports every branch and every
/// address that depends on one; there must be none. Run it by `scripts/memcheck-mpin`.
@main struct Memcheck {
    static func main() throws {
        guard memcheck_is_running() != 0 else {
            print("This program says nothing by itself. Run scripts/memcheck-mpin.")
            exit(64)
        }
        var watch = Watch()
        try checkControls(&watch)
        try checkArithmetic(&watch)
        try checkIssuing(&watch)
        try checkClient(&watch)
        exit(watch.failures == 0 ? 0 : 1)
    }

    /// Shows that a dependence would be reported: a refusal of hidden bytes is one.
    private static func checkControls(_ watch: inout Watch) throws {
        var bytes = [UInt8](repeating: 0x11, count: 32)
        Watch.hide(&bytes)
        try watch.expect(1...8, in: "control: reading a hidden scalar branches on the verdict") {
            try Scalar(encoded: bytes).encoded
        }
    }

    private static func checkArithmetic(_ watch: inout Watch) throws {
        var scalar = try Scalar(reducing: Array(100..<148))
        let other = try Scalar(reducing: Array(10..<58))
        var point = try G1Point(digest: [UInt8](repeating: 0x5a, count: 32))
        let publicPoint = point
        var wide: [UInt8] = Array(50..<98)
        Watch.hide(&scalar)
        Watch.hide(&point)
        Watch.hide(&wide)
        watch.expect(0...0, in: "sum of scalars") { (scalar + other + scalar).encoded }
        try watch.expect(0...0, in: "48 bytes reduced modulo r") { try Scalar(reducing: wide).encoded }
        watch.expect(0...0, in: "multiplication in G1, and encoding") {
            publicPoint.multiplied(by: scalar).encoded
        }
        watch.expect(0...0, in: "multiplication in G2, and encoding") {
            G2Point.generator.multiplied(by: scalar).encoded
        }
        watch.expect(0...0, in: "hidden points added, negated and multiplied") {
            (point + -point.multiplied(by: scalar) + publicPoint).encoded
        }
    }

    private static func checkIssuing(_ watch: inout Watch) throws {
        var master = [UInt8](repeating: 0x33, count: MPinMasterSecret.byteCount)
        Watch.hide(&master)
        let identity = try MPinIdentityPoint(mpinID: Array("ana@example.org".utf8))
        let tenant: [UInt8] = Array(0..<16)
        try watch.expect(0...0, in: "share of a client key from a hidden master secret") {
            let share = try MPinMasterSecret(bytes: master).share(tenantID: tenant, epoch: 1)
            return share.clientKeyShare(for: identity).encoded
        }
        try watch.expect(0...0, in: "share of a server key from a hidden master secret") {
            let share = try MPinMasterSecret(bytes: master).share(tenantID: tenant, epoch: 1)
            return share.serverKeyShare().encoded
        }
    }

    private static func checkClient(_ watch: inout Watch) throws {
        let identity = try MPinIdentityPoint(mpinID: Array("ana@example.org".utf8))
        let masters = try (1...2).map { try MPinMasterSecret(bytes: [UInt8](repeating: $0, count: 32)) }
        var shares = try masters.map { try $0.share(tenantID: Array(0..<16), epoch: 1).clientKeyShare(for: identity) }
        var pin = try MPinPIN("4711")
        var token = try MPinClientKey(adding: shares).token(without: pin, for: identity)
        let challenge = MPinChallenge()
        for index in shares.indices { Watch.hide(&shares[index]) }
        // The number of digits, which lies behind scalar and point, is no secret.
        Watch.hide(&pin, count: MemoryLayout<Scalar>.size)
        Watch.hide(&token, count: MemoryLayout<G1Point>.size)
        try watch.expect(1...1, in: "token from hidden shares and a hidden PIN: one branch, infinity or not") {
            try MPinClientKey(adding: shares).token(without: pin, for: identity).encoded
        }
        watch.expect(0...0, in: "pass 1 with a hidden random number") {
            var generator = HiddenGenerator()
            return MPinProver(identity: identity, using: &generator).commitment.encoded
        }
        try watch.expect(0...0, in: "pass 2 with hidden random number, token and PIN") {
            var generator = HiddenGenerator()
            let prover = MPinProver(identity: identity, using: &generator)
            return try prover.respond(to: challenge, token: token, pin: pin).encoded
        }
        var bytes = token.encoded
        try watch.expect(1...1, in: "reading a hidden token: one branch, the verdict") {
            // The prefix is the same for all.
            unsafe bytes.withUnsafeMutableBytes { unsafe memcheck_show($0.baseAddress, 1) }
            return try MPinToken(encoded: bytes, digits: 4).encoded
        }
    }
}
