/// The tags that keep one kind of bytes from ever being taken for another.
///
/// A tag of a signed message is its first line: the tag and a newline. A tag of hashed, derived or evaluated bytes
/// stands at their front without a newline.
enum Tag {
    static let answers = Array("tenure/v1/answers".utf8)
    static let passphrase = Array("tenure/v1/passphrase".utf8)
    static let scrypt = Array("tenure/v1/scrypt".utf8)
    static let seal = Array("tenure/v1/seal".utf8)
    static let sealAnswers = Array("tenure/v1/seal/answers".utf8)
    static let sealPassphrase = Array("tenure/v1/seal/passphrase".utf8)
    static let oprf = Array("tenure/v1/oprf".utf8)
    static let oprfAnswers = Array("tenure/v1/oprf/answers".utf8)
    static let oprfPassphrase = Array("tenure/v1/oprf/passphrase".utf8)
    static let question = Array("tenure/v1/question".utf8)
    static let subject = Array("tenure/v1/subject".utf8)
    static let record = Array("tenure/v1/record".utf8)
    static let appAuthority = Array("tenure/v1/app-authority".utf8)
    static let decoy = Array("tenure/v1/decoy".utf8)
    static let decoyTenant = Array("tenure/v1/decoy-tenant".utf8)
}
