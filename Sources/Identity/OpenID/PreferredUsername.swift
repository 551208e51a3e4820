/// The claim `preferred_username`: a name that people recognise, and that is nobody else's e-mail address.
///
/// Ids and names of tenants may contain `@`, and a stranger may found a tenant of any free name, so that mark is
/// percent-encoded. So is `%`: no two ids have one encoding.
package enum PreferredUsername {
    /// The name for a client of listed tenants.
    ///
    /// - Parameter isOwnAddress: Whether the id is an address that this person has verified. It stays as it is.
    package static func of(_ id: String, isOwnAddress: Bool) -> String {
        isOwnAddress ? id : encode(id, "%@")
    }

    /// The name for a client of any tenant. The only `~` divides id and tenant.
    package static func of(_ id: String, at company: String) -> String {
        "\(encode(id, "%~@"))~\(encode(company, "%~@"))"
    }

    /// The id that a name stands for, and the tenant if it is one for a client of any tenant.
    package static func parse(_ name: String, ofAnyTenant: Bool) -> (id: String, company: String?) {
        let parts = name.split(separator: "~", omittingEmptySubsequences: false).map(String.init)
        return ofAnyTenant && parts.count == 2 ? (decode(parts[0]), decode(parts[1])) : (decode(name), nil)
    }

    private static func encode(_ text: String, _ marks: String) -> String {
        text.unicodeScalars.reduce(into: "") { name, scalar in
            guard marks.unicodeScalars.contains(scalar) else { return name.unicodeScalars.append(scalar) }
            name += "%" + String(scalar.value, radix: 16, uppercase: true)
        }
    }

    private static func decode(_ text: String) -> String {
        // The mark of the encoding comes last: what it stands for is not decoded again.
        text.replacing("%40", with: "@").replacing("%7E", with: "~").replacing("%25", with: "%")
    }
}
