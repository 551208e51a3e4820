import Identity

/// The spellings of a tenant's name.
public enum CompanySpelling {
    /// The text that all spellings of one tenant's name have in common, and no other tenant's; `nil` for a malformed
    /// name.
    public static func canonical(_ companyName: String) -> String? {
        (try? CompanyName(companyName))?.canonicalText
    }
}
