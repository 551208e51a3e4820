/// Three of the five questions: one of the ten subsets 123, 124, 125, 134, 135, 145, 234, 235, 245, 345.
public struct AnswerSubset: Sendable, Hashable, CustomStringConvertible {
    /// The index in the frozen order, 0 (123) to 9 (345).
    public let index: UInt8
    /// The positions of the three questions in the record, 0 to 4, ascending.
    public let positions: [Int]

    private init(_ index: UInt8, _ positions: [Int]) {
        self.index = index
        self.positions = positions
    }

    /// All ten in the frozen order.
    public static let all: [AnswerSubset] = {
        var subsets: [AnswerSubset] = []
        for first in 0..<3 {
            for second in (first + 1)..<4 {
                for third in (second + 1)..<5 {
                    subsets.append(AnswerSubset(UInt8(subsets.count), [first, second, third]))
                }
            }
        }
        return subsets
    }()

    /// Returns the subsets of the `supplied` positions, in the frozen order.
    static func within(_ supplied: Set<Int>) -> [AnswerSubset] {
        all.filter { $0.positions.allSatisfy(supplied.contains) }
    }

    /// The positions counted from 1, such as "123".
    public var description: String { positions.map { String($0 + 1) }.joined() }
}

/// A sealed copy of the user key: under a subset of the answers, or under the passphrase.
public enum CopySlot: Sendable, Hashable {
    /// The copy under three answers.
    case answers(AnswerSubset)
    /// The copy under the passphrase.
    case passphrase

    /// The slot in hashed and derived bytes: 0 to 9 for a subset, 255 for the passphrase.
    public var byte: UInt8 {
        switch self {
        case .answers(let subset): subset.index
        case .passphrase: 255
        }
    }

    /// The slot of a byte. Returns `nil` for bytes other than 0 to 9 and 255.
    public init?(byte: UInt8) {
        if byte == 255 {
            self = .passphrase
        } else if Int(byte) < AnswerSubset.all.count {
            self = .answers(AnswerSubset.all[Int(byte)])
        } else {
            return nil
        }
    }
}
