/// The name of a choice of curve, map and hash. It is stored with every issued key, because a key serves in its own suite
/// only.
package enum MPinSuite: String, Sendable, Hashable, CaseIterable {
    /// The curve BLS12-381, the map of AMCL version 3 and SHA-256: the suite of everything in this module.
    case bls12381AMCL3SHA256 = "BLS12381-AMCL3-SHA256"
}
