import Canonical

extension ServiceError {
    /// Whether the same call would be refused again; what passes by itself is not kept.
    var isFinal: Bool {
        code.status < 500 && code.status != 429 && code != .idempotencyInProgress && code != .requestStale
    }

    var stored: JSONValue {
        var members: [String: JSONValue] = ["code": .string(code.rawValue)]
        if let challenge { members["challenge"] = .string(Base64URL.encode(challenge)) }
        members["members"] = .array(
            self.members.map { .object(["pointer": .string($0.pointer), "detail": .string($0.detail)]) })
        return .object(members)
    }

    init(stored: JSONValue) throws {
        var reader = try ObjectReader(stored)
        self.init(Code(rawValue: try reader.string("code")) ?? .requestInvalid)
        challenge = try reader.optionalBytes("challenge")
        members = try reader.objects("members").map { object in
            var object = object
            return Member(pointer: try object.string("pointer"), detail: try object.string("detail"))
        }
    }
}
