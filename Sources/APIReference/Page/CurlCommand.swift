/// A call of an operation with curl that can be copied to a shell.
///
/// `TENURE_URL`, `TENURE_APP_ID`, `TENURE_APP_SECRET` and `TENURE_ACCESS_TOKEN` are variables. So are parameters of the
/// path that have no example.
struct CurlCommand: CustomStringConvertible {
    let description: String

    /// Writes the call. `schemes` are the contract's security schemes; the operation's first one is used.
    init(
        _ operation: ReferenceOperation, content: ReferenceOperation.Content?, body: ContractValue?,
        schemes: [ReferenceContract.Scheme]
    ) {
        var words = ["curl"]
        if operation.method == "HEAD" {
            words.append("--head")
        } else if operation.method != (body == nil ? "GET" : "POST") {
            words.append("--request " + operation.method)
        }
        words.append(Self.doubleQuoted("$TENURE_URL", Self.path(of: operation) + Self.query(of: operation)))
        if let credentials = Self.credentials(operation, schemes) { words.append(credentials) }
        for parameter in operation.parameters where parameter.place == "header" && parameter.isRequired {
            words.append("--header " + Self.doubleQuoted("", parameter.name + ": " + Self.text(of: parameter)))
        }
        if let content, let body { words += Self.data(body, content.mediaType) }
        description = words.dropFirst().reduce("curl") { text, word in
            // The address stays beside `curl`, however long it is.
            let isShort = text.split(separator: "\n").last.map { $0 == "curl" || $0.count + word.count < 56 } == true
            return text + (isShort && !word.contains("\n") && !word.hasPrefix("--data") ? " " : " \\\n  ") + word
        }
    }

    private static func credentials(
        _ operation: ReferenceOperation, _ schemes: [ReferenceContract.Scheme]
    ) -> String? {
        guard !operation.schemes.contains(""), let name = operation.schemes.first,
            let scheme = schemes.first(where: { $0.name == name })
        else { return nil }
        if scheme.kind == "basic" { return "--user \"$TENURE_APP_ID:$TENURE_APP_SECRET\"" }
        let variable = name == "employee" ? "TENURE_ACCESS_TOKEN" : "TENURE_" + Self.variable(name) + "_TOKEN"
        return "--header \"Authorization: Bearer $\(variable)\""
    }

    private static func data(_ body: ContractValue, _ mediaType: String) -> [String] {
        if mediaType == "application/x-www-form-urlencoded" {
            return body.members.map { "--data-urlencode " + singleQuoted($0.name + "=" + ($0.value.scalar ?? "")) }
        }
        let text = body.string.flatMap { mediaType.hasSuffix("json") ? nil : $0 } ?? JSONText(body).description
        return ["--header 'Content-Type: \(mediaType)'", "--data " + singleQuoted(text)]
    }

    private static func path(of operation: ReferenceOperation) -> String {
        var path = ""
        var rest = operation.path[...]
        while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
            let name = String(rest[rest.index(after: start)..<end])
            let parameter = operation.parameters.first { $0.place == "path" && $0.name == name }
            path += rest[..<start]
            path += parameter?.example?.scalar.map(percentEncoded) ?? "$" + variable(name)
            rest = rest[rest.index(after: end)...]
        }
        return path + rest
    }

    private static func query(of operation: ReferenceOperation) -> String {
        let fields = operation.parameters.filter { $0.place == "query" && $0.isRequired }.map { parameter in
            parameter.name + "=" + (parameter.example?.scalar.map(percentEncoded) ?? text(of: parameter))
        }
        return fields.isEmpty ? "" : "?" + fields.joined(separator: "&")
    }

    private static func text(of parameter: ReferenceOperation.Parameter) -> String {
        parameter.example?.scalar ?? "$" + variable(parameter.name)
    }

    /// `companyEmployeeId` as `COMPANY_EMPLOYEE_ID`.
    private static func variable(_ name: String) -> String {
        var variable = ""
        for character in name {
            if character.isUppercase, !variable.isEmpty { variable += "_" }
            variable += character.isLetter || character.isNumber ? character.uppercased() : "_"
        }
        return variable
    }

    /// Encodes all but unreserved characters (RFC 3986 §2.3).
    private static func percentEncoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return text.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            return character.isASCII && (character.isLetter || character.isNumber || "-._~".contains(character))
                ? String(character) : "%" + String(digits[Int(byte >> 4)]) + String(digits[Int(byte & 15)])
        }.joined()
    }

    /// Text in double quotes after a variable. A `$` before a capital letter starts a variable too.
    private static func doubleQuoted(_ variable: String, _ text: String) -> String {
        var quoted = "\"" + variable
        var rest = text[...]
        while let character = rest.popFirst() {
            let startsVariable = character == "$" && rest.first.map { $0.isASCII && $0.isUppercase } == true
            if "\"\\`$".contains(character), !startsVariable { quoted += "\\" }
            quoted.append(character)
        }
        return quoted + "\""
    }

    private static func singleQuoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
