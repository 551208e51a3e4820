package import Canonical
package import FoundationEssentials

/// A personal text, encrypted in the log under its owner's key and unreadable once the key is destroyed.
package struct Personal: Sendable, Equatable {
    /// The id of the user or employee whose key encrypts the text, which is also the key's id.
    package var owner: UUID
    /// The text; `nil` once erased.
    package var text: String?

    package init(owner: UUID, text: String?) {
        self.owner = owner
        self.text = text
    }

    package init(_ owner: EmployeeID, _ text: String?) { self.init(owner: owner.uuid, text: text) }

    package init(_ owner: UserID, _ text: String?) { self.init(owner: owner.uuid, text: text) }

    /// Whether owner and text are equal; texts are compared as bytes.
    package static func == (left: Personal, right: Personal) -> Bool {
        guard left.owner == right.owner else { return false }
        switch (left.text, right.text) {
        case (nil, nil): return true
        case (let a?, let b?): return a.utf8.elementsEqual(b.utf8)
        default: return false
        }
    }
}

/// Encrypts and decrypts the personal members of one event. Ledger and event are bound as associated data.
package protocol PersonalDataCoder {
    /// Encrypts the member at a JSON pointer of the entry, such as `/data/email`.
    ///
    /// - Throws: The error of the implementation.
    func seal(_ personal: Personal, at pointer: String) throws -> JSONValue
    /// Decrypts the member at a JSON pointer. The text is `nil` if the key is destroyed.
    ///
    /// - Throws: The error of the implementation.
    func open(_ value: JSONValue, at pointer: String) throws -> Personal
}

extension Member where Value == Personal, Context == any PersonalDataCoder {
    /// A personal text, encrypted by the coder.
    init(_ name: String, _ get: @escaping @Sendable (Object) -> Personal) {
        self.init(name, .object(name: "Personal"), get, since: 1, .required) { json, place, coder in
            try coder.open(json, at: place.pointer)
        } write: { personal, place, coder in
            try coder.seal(personal, at: place.pointer)
        }
    }
}

extension Member where Value == Personal?, Context == any PersonalDataCoder {
    /// A personal text, encrypted by the coder, that may be absent.
    init(optional name: String, _ get: @escaping @Sendable (Object) -> Personal?) {
        self.init(name, .object(name: "Personal"), get, since: 1, .optional(nil)) { json, place, coder in
            try coder.open(json, at: place.pointer)
        } write: { personal, place, coder in
            try personal.map { try coder.seal($0, at: place.pointer) }
        }
    }
}
