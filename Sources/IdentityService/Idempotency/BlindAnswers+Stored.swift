import Canonical
import FoundationEssentials

extension CredentialOpening {
    var stored: JSONValue {
        .object(["context": .string(Base64URL.encode(context)), "record": .string(Base64URL.encode(recordHash))])
    }

    init(stored: JSONValue) throws {
        var reader = try ObjectReader(stored)
        self.init(context: try reader.bytes("context"), recordHash: try reader.bytes("record"))
    }
}

extension CredentialSetUpPlan {
    var stored: JSONValue {
        var members: [String: JSONValue] = [
            "credential": .string(credentialId.lowercased), "user": .string(userId.lowercased),
            "answers": .string(Base64URL.encode(oprfAnswers)),
            "passphrase": .string(Base64URL.encode(oprfPassphrase)), "log2N": .integer(Int64(log2N)),
            "r": .integer(Int64(r)), "p": .integer(Int64(p)),
        ]
        if let previous {
            members["previous"] = .array([
                .string(Base64URL.encode(previous.hash)), .integer(Int64(previous.generation)),
            ])
        }
        if let approvals {
            members["approvals"] = .array(
                [approvals.opened, approvals.confirmed].map { .string(Base64URL.encode($0)) })
        }
        return .object(members)
    }

    init(stored: JSONValue) throws {
        var reader = try ObjectReader(stored)
        self.init(
            credentialId: try reader.uuid("credential"), userId: try reader.uuid("user"),
            oprfAnswers: try reader.bytes("answers"), oprfPassphrase: try reader.bytes("passphrase"),
            log2N: Int(try reader.integer("log2N")), r: Int(try reader.integer("r")),
            p: Int(try reader.integer("p")), previous: try reader.optionalValue("previous").map(Self.previous),
            approvals: try reader.optionalValue("approvals").map(Self.approvals))
    }

    private static func approvals(_ value: JSONValue) throws -> Approvals {
        guard case .array(let parts) = value, parts.count == 2, case .string(let first) = parts[0],
            case .string(let second) = parts[1], let opened = Base64URL.decode(first),
            let confirmed = Base64URL.decode(second)
        else { throw ServiceError(.serviceUnavailable) }
        return Approvals(opened: opened, confirmed: confirmed)
    }

    private static func previous(_ value: JSONValue) throws -> PreviousRecord {
        guard case .array(let parts) = value, parts.count == 2, case .string(let text) = parts[0],
            let hash = Base64URL.decode(text), case .integer(let generation) = parts[1]
        else { throw ServiceError(.serviceUnavailable) }
        return PreviousRecord(hash: hash, generation: Int(generation))
    }
}

/// The evaluations of one call, as they are stored for a repeated one.
struct Evaluations: RepeatableAnswer, Equatable {
    var items: [Evaluation]

    init(_ items: [Evaluation]) { self.items = items }

    var stored: JSONValue {
        .array(
            items.map { item in
                var members: [String: JSONValue] = [
                    "slot": .integer(Int64(item.slot)), "evaluation": .string(Base64URL.encode(item.evaluation)),
                ]
                if let copy = item.sealedCopy { members["copy"] = .string(Base64URL.encode(copy)) }
                return .object(members)
            })
    }

    init(stored: JSONValue) throws {
        guard case .array(let items) = stored else { throw ServiceError(.serviceUnavailable) }
        self.items = try items.map { item in
            var reader = try ObjectReader(item)
            return Evaluation(
                slot: Int(try reader.integer("slot")), evaluation: try reader.bytes("evaluation"),
                sealedCopy: try reader.optionalBytes("copy"))
        }
    }
}
