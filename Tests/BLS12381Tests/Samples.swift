@testable import BLS12381

/// Fixed points, computed with py_ecc and written as hexadecimal.
enum Samples {
    /// p and r, big-endian.
    static let p = bytes(
        "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab")
    static let r = bytes("73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001")

    /// The generator of G1 that all implementations of BLS12-381 use.
    static let g1GeneratorBytes = bytes(
        "04"
            + "17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb"
            + "08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1")
    static let g1Generator: G1Point = {
        let x = Fp.read(g1GeneratorBytes[1..<49]).value
        let y = Fp.read(g1GeneratorBytes[49...]).value
        return G1Point(point: ProjectivePoint(x: x, y: y, z: .one))
    }()

    /// (0, 2), a point of order 3 on the curve of G1.
    static let g1Order3 = [4] + [UInt8](repeating: 0, count: 95) + [2]
    /// A point of order 11 on the curve of G1.
    static let g1Order11 = bytes(
        "04"
            + "000b9529a7b23788075a6c33c7b77b3dcf4da4f58af5310f32e739a6c653a5a8f7cf7f19a297bd6a8f3f19ea82cf9419"
            + "02ecc645926cbd45f215b3fa17df0d7a50e5814f9631c502f2b2c2457926089a452bd11bf89ee72baa1981f99f88acb2")
    /// A point of order 13 on the curve of G2.
    static let g2Order13 = bytes(
        "0cf8145ba956c8c3ef89134bf689bad435e9632916907ba1f1cc6d3a66f36fdbef8d788a2108a72a88e477cfd96de773"
            + "0fa5d80363bc7c260dc63b0c9c5ba3995a5b27b6cd04238bc31f7c3f8d8235aa899bf24854e31b1c212ac64eafa07180"
            + "1624ab4fc89d47e1ad13a76cec1ac5c455ae5f28eb7f5335261b313bca9679a3c62058eee47e3cc9274bc3da05f3cfcc"
            + "0973b1660ee35a340247c83b7bb5daaf5ee2e0ca729ebed3900a3c2d83fd2b50fc0879e4286d2b8b8e2a6f4a2156fcc0")
    /// The point with x = 1 + 2u on the curve of G2, in no small subgroup.
    static let g2WithCofactor =
        [UInt8](repeating: 0, count: 47) + [1] + [UInt8](repeating: 0, count: 47) + [2]
        + bytes(
            "16746f5f81e2489a956b72cebb4a23e9ad2f337488bc9540c190c6b89451434858a81977dffa1286d83c57df5f92ae70"
                + "f9a36a774aa58432e4d620453dea1a4bc03b799d0db1d4f820bbdfc17a6376f80edb777db2152a0eb5c3e87f02355ac")

    /// The pairing of the two generators, cubed: factors of w⁰ to w⁵, each with the part without u first.
    static let pairingOfGenerators = [
        "1250ebd871fc0a92a7b2d83168d0d727272d441befa15c503dd8e90ce98db3e7b6d194f60839c508a84305aaca1789b6",
        "089a1c5b46e5110b86750ec6a532348868a84045483c92b7af5af689452eafabf1a8943e50439f1d59882a98eaa0170f",
        "000eaeb26779eb53ae44eaa07f760c899befc6893fb45fe3888b855d43f9b6f763992a7b2aab8fc1aa6a7dd91b80c20e",
        "13056fab81ba378cab9b13a99bd9f5d78ef1cfda01622729bf5e520394f115f602aee495b2510f47a9d41e3d2a29ff91",
        "1368bb445c7c2d209703f239689ce34c0378a68e72a6b3b216da0e22a5031b54ddff57309396b38c881c4c849ec23e87",
        "193502b86edb8857c273fa075a50512937e0794e1e65a7617c90d8bd66065b1fffe51d7a579973b1315021ec3c19934f",
        "08485dc56c3727614e2c3fae08409e119c5cb7d1c296f857ea23bca17b18a79aa5bcb776932105369e6b4b8ccc1cf054",
        "16cc029491d0e9c6880057ead66635ba9dd6620c88cf7b8c4668cbf3c0a8cd13a303ef3910b40225fbdc6e5f3da51109",
        "01b2f522473d171391125ba84dc4007cfbf2f8da752f7c74185203fcca589ac719c34dffbbaad8431dad1c1fb597aaa5",
        "018107154f25a764bd3c79937a45b84546da634b8f6be14a8061e55cceba478b23f7dacaa35c8ca78beae9624045b4b6",
        "153b90c6ec777c0148f70c51d0bbafb5c2ed630bbddbbeba4ab3f6f94329cffa79b103f9aaf1ba3428f60fdbd2efc6bc",
        "0abf2c63d5c0ddcb449534ea73312e1028caa6adc6dbdd7a88316a34f94300e04a1d55da016f81e0bc1ab6c7c498447a",
    ]

    /// The bytes of pairs of hexadecimal digits; an odd count takes a leading zero.
    static func bytes(_ hex: String) -> [UInt8] {
        let digits = Array((hex.count % 2 == 0 ? hex : "0" + hex).utf8)
        return stride(from: 0, to: digits.count, by: 2).map { index in
            UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) ?? 0
        }
    }

    /// The big-endian sum of two integers of equal length, without a last carry.
    static func sum(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
        var result = a
        var carry = 0
        for index in a.indices.reversed() {
            carry += Int(a[index]) + Int(b[index])
            result[index] = UInt8(carry & 0xff)
            carry >>= 8
        }
        return result
    }

    /// The scalar r − 1.
    static let minusOne: Scalar = {
        var bytes = r
        bytes[31] = 0
        return (try? Scalar(encoded: bytes)) ?? Scalar(0)
    }()
}
