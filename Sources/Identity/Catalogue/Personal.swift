public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A text about a person: sealed under that person's key in the log, and unreadable once the key is destroyed.
public struct Personal: Sendable, Equatable {
    /// The user or employee whose key seals the text; the key's identifier too.
    public var owner: UUID
    /// The text, or nil once it is erased.
    public var text: String?

    /// Makes a text of a person.
    public init(owner: UUID, text: String?) {
        self.owner = owner
        self.text = text
    }

    /// Makes a text of an employee.
    public init(_ owner: EmployeeID, _ text: String?) { self.init(owner: owner.uuid, text: text) }

    /// Makes a text of a user.
    public init(_ owner: UserID, _ text: String?) { self.init(owner: owner.uuid, text: text) }

    /// Whether owner and text are the same; texts are compared by their bytes.
    public static func == (left: Personal, right: Personal) -> Bool {
        guard left.owner == right.owner else { return false }
        switch (left.text, right.text) {
        case (nil, nil): return true
        case (let a?, let b?): return a.utf8.elementsEqual(b.utf8)
        default: return false
        }
    }
}

/// Seals and opens the personal members of one event; it knows the ledger and the event, which the seal binds.
public protocol PersonalDataCoder {
    /// The sealed value for the member at a JSON pointer of the entry, such as `/data/email`.
    func seal(_ personal: Personal, at pointer: String) throws -> JSONValue
    /// The text of a sealed value found at that pointer; its text is nil when the key is destroyed.
    func open(_ value: JSONValue, at pointer: String) throws -> Personal
}
