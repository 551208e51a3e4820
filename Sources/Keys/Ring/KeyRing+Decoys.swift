extension KeyRing {
    /// The 32 bytes that an unknown employee's answers are derived from, the same for ever for the same parts.
    ///
    /// HMAC-SHA-256 under the decoy key over the length-prefixed list of `tenure/v1/decoy`, the label and the parts.
    ///
    /// - Parameters:
    ///   - label: What is derived, such as `oprf/answers`, `credential` or `budget`.
    ///   - parts: What the unknown employee was named by: canonical company name and canonical employee id.
    public func decoyDigest(_ label: String, _ parts: [[UInt8]]) -> SecretKey {
        var message = LengthPrefixed(tag: "tenure/v1/decoy")
        message.append(label)
        for part in parts { message.append(part) }
        return derivedSecret(message.bytes, .decoy)
    }
}
