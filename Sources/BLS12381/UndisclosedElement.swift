/// A value that may be secret. Printing, interpolating, dumping or reflecting it shows only "[undisclosed]".
package protocol UndisclosedElement: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension UndisclosedElement {
    /// Always "[undisclosed]".
    package var description: String { "[undisclosed]" }
    /// Always "[undisclosed]".
    package var debugDescription: String { "[undisclosed]" }
    /// A mirror without children, so that `dump` and test failures cannot show the stored limbs.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
