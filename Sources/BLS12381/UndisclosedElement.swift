/// A value that may be secret. Printing, interpolating, dumping or reflecting it shows only "[undisclosed]".
public protocol UndisclosedElement: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension UndisclosedElement {
    /// Always "[undisclosed]".
    public var description: String { "[undisclosed]" }
    /// Always "[undisclosed]".
    public var debugDescription: String { "[undisclosed]" }
    /// A mirror without children, so that `dump` and test failures cannot show the stored limbs.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
