/// A value with a secret in it, which prints as "[redacted]". Its mirror, and so a dump, shows its parts.
public protocol RedactedDescription: CustomStringConvertible, CustomDebugStringConvertible {}

/// A secret. Printing, interpolating, dumping or reflecting it shows only "[redacted]".
public protocol Redacted: RedactedDescription, CustomReflectable {}

extension RedactedDescription {
    /// Always "[redacted]".
    public var description: String { "[redacted]" }
    /// The same as `description`.
    public var debugDescription: String { description }
}

extension Redacted {
    /// A mirror without children, so that `dump` and test failures cannot show the stored bytes.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
