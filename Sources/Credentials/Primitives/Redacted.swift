/// A secret: printing, interpolating, dumping or reflecting it shows "[redacted]" and nothing else.
public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
    /// Always "[redacted]".
    public var description: String { "[redacted]" }
    /// Always "[redacted]".
    public var debugDescription: String { "[redacted]" }
    /// A mirror without children, so that `dump` and test failures cannot show the stored bytes.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
