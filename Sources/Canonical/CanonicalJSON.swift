/// Reads JSON that is in the canonical form (RFC 8785) already and holds no null.
///
/// Whatever is accepted gives the same bytes again from ``JSONValue/canonicalBytes()``, so a hash over the bytes is a
/// hash over the value.
public enum CanonicalJSON {
    /// Reads one value from UTF-8.
    ///
    /// - Throws: ``JSONError`` for all that ``StrictJSON`` refuses, for white space, members out of order, escapes
    ///   longer than needed (``JSONError/Code/notCanonical``), and for null (``JSONError/Code/nullValue``).
    public static func parse(
        _ bytes: some Collection<UInt8>, limits: StrictJSON.Limits = StrictJSON.Limits()
    ) throws(JSONError) -> JSONValue {
        try JSONParser.parse(bytes, limits: limits, canonical: true)
    }
}
