/// The place of a value in a document. Its JSON pointer is made only for an error or a nested object.
public struct MemberPlace: Sendable {
    private let container: String
    private let step: Step
    /// The schema version of the object that has the value.
    public let schema: Int

    /// The way from the container to the value.
    private enum Step {
        case member(String)
        case element(Int)
    }

    private init(container: String, step: Step, schema: Int) {
        self.container = container
        self.step = step
        self.schema = schema
    }

    /// The place of a member of the object found at `object`, a JSON pointer.
    public init(of name: String, in object: String, schema: Int = 1) {
        self.init(container: object, step: .member(name), schema: schema)
    }

    /// The place of an element of the array found at `array`, a JSON pointer.
    @usableFromInline
    init(of index: Int, in array: String, schema: Int) {
        self.init(container: array, step: .element(index), schema: schema)
    }

    /// The place as a JSON pointer (RFC 6901).
    public var pointer: String {
        switch step {
        case .member(let name): JSONError.pointer(container, member: name)
        case .element(let index): "\(container)/\(index)"
        }
    }

    /// Returns the error for a value of the right type that is not allowed; `reason` must not repeat the value.
    public func invalid(_ reason: String) -> JSONError {
        JSONError(code: .invalidValue, pointer: pointer, reason: reason)
    }

    /// Returns the error for a value of another type, such as "a string" where an integer is found.
    func mismatch(_ expected: String) -> JSONError {
        JSONError(code: .wrongType, pointer: pointer, reason: "\(expected) is expected")
    }

    /// Returns the error for a member that is required and absent.
    @usableFromInline func missing() -> JSONError {
        JSONError(code: .missingMember, pointer: pointer, reason: "a member is missing")
    }
}
