/// Who may found a tenant on the hosted pages.
///
/// Apps with a secret of their own are not asked: they found with the role CREATION.
package enum FoundingRule: String, Sendable, Hashable, CaseIterable {
    /// Nobody.
    case off
    /// Whoever has a code that the operator made for the tenant's name.
    case code
    /// Everybody.
    case open
}
