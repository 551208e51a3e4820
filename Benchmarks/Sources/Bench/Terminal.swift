import Foundation

/// What is said while measuring goes to standard error, so that standard output holds the table alone.
enum Terminal {
    static func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

    /// The load averages over 1, 5 and 15 minutes.
    static var loadAverage: String {
        var averages = [Double](repeating: 0, count: 3)
        guard getloadavg(&averages, 3) == 3 else { return "unknown" }
        return averages.map { String(format: "%.1f", $0) }.joined(separator: " ")
    }
}
