/// A budget and its shares in plain arithmetic, as credentials.md section 5 has them. Times are microseconds.
struct BudgetModel {
    struct Charged: Equatable {
        var isCharged: Bool
        var spent: Int
        var isExhausted: Bool
        var retryAfterSeconds: Int
    }

    struct Row {
        var spent = 0
        var lifetime = 0
        var refilledAt: Int64
        var blockedUntil: Int64?
    }

    struct Part {
        let key: [UInt8]
        let limit: Int
        let cap: Int
        var row: Row?

        mutating func refund(_ count: Int) {
            guard var row else { return }
            guard max(row.spent, row.lifetime) > count else {
                self.row = nil
                return
            }
            row.spent = max(0, row.spent - count)
            row.lifetime = max(0, row.lifetime - count)
            row.blockedUntil = nil
            self.row = row
        }
    }

    var parts: [Part] = []
    let refillSeconds: Int
    let free: Int
    let delaySeconds: Int
    private(set) var refusals = 0

    init(random: inout some RandomNumberGenerator) {
        refillSeconds = Int.random(in: 5...900, using: &random)
        free = Int.random(in: 0...4, using: &random)
        delaySeconds = Int.random(in: 1...30, using: &random)
        for number in 1...Int.random(in: 1...3, using: &random) {
            let cap = Bool.random(using: &random) ? 0 : Int.random(in: 60...200, using: &random)
            parts.append(
                Part(
                    key: Array(repeating: UInt8(number), count: 32), limit: Int.random(in: 2...20, using: &random),
                    cap: cap))
        }
    }

    private var refill: Int64 { Int64(refillSeconds) * 1_000_000 }

    /// Charges all parts or none.
    mutating func charge(at time: Int64) -> Charged {
        for index in parts.indices where parts[index].row == nil { parts[index].row = Row(refilledAt: time) }
        if let wait = parts.compactMap({ waitBefore($0, time) }).max() {
            refusals += 1
            return Charged(
                isCharged: false, spent: 0, isExhausted: true, retryAfterSeconds: max(1, Self.seconds(wait)))
        }
        var isExhausted = false, isOver = false, wait: Int64 = 0
        for index in parts.indices {
            var row = refilled(parts[index], time)
            if free > 0, row.spent >= free {
                let delay = Int64(delaySeconds) * 1_000_000 << Int64(min(20, row.spent - free))
                row.blockedUntil = time + min(3_600_000_000, delay)
            }
            row.spent += 1
            row.lifetime += 1
            parts[index].row = row
            let part = parts[index]
            if part.cap > 0, row.lifetime >= part.cap { isOver = true }
            if row.spent >= part.limit {
                isExhausted = true
                wait = max(wait, refill - (time - row.refilledAt) % refill)
            }
            if let blocked = row.blockedUntil, blocked > time { wait = max(wait, blocked - time) }
        }
        return Charged(
            isCharged: true, spent: parts[0].row?.spent ?? 0, isExhausted: isExhausted || isOver,
            retryAfterSeconds: isOver ? 0 : Self.seconds(wait))
    }

    private func waitBefore(_ part: Part, _ time: Int64) -> Int64? {
        guard let row = part.row else { return nil }
        var wait: Int64?
        if let blocked = row.blockedUntil, blocked > time { wait = blocked - time }
        if refilled(part, time).spent >= part.limit || (part.cap > 0 && row.lifetime >= part.cap) {
            wait = max(wait ?? 0, refill - (time - row.refilledAt) % refill)
        }
        return wait
    }

    /// The row with the attempts that came back by a time.
    private func refilled(_ part: Part, _ time: Int64) -> Row {
        var row = part.row ?? Row(refilledAt: time)
        let age = time - row.refilledAt
        let refills = age > 0 ? Int(age / refill) : 0
        if refills >= row.spent {
            row.spent = 0
            row.refilledAt = max(row.refilledAt, time)
        } else {
            row.spent -= refills
            row.refilledAt += Int64(refills) * refill
        }
        return row
    }

    private static func seconds(_ wait: Int64) -> Int { Int((wait + 999_999) / 1_000_000) }
}
