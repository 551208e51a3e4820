import Canonical
import FoundationEssentials
import Transfers

/// Sends GET requests to D-TAs and reads their small answers. It follows no redirect, and logs nothing.
struct MPinAuthorityTransport: Sendable {
    /// The largest permitted number of bytes of an answer.
    static let largestBody = 8_192

    /// The answer to a request.
    struct Reply: Sendable {
        let status: Int
        let body: [UInt8]
        /// The value of the header `Date`, if it is there and in the usual form.
        let date: Timestamp?
    }

    private let certificateAuthorityFile: String?
    private let timeLimit: Duration

    /// - Throws: ``MPinAuthorityClientError/Code/certificatesUnreadable``.
    init(certificateAuthorityFile: String?, timeLimit: Duration) throws(MPinAuthorityClientError) {
        if let file = certificateAuthorityFile, !Self.holdsCertificate(file) {
            throw MPinAuthorityClientError(.certificatesUnreadable, "\(file) holds no certificates in PEM")
        }
        self.certificateAuthorityFile = certificateAuthorityFile
        self.timeLimit = timeLimit
    }

    /// Whether a file holds the base64 of a DER sequence between the lines of a certificate (RFC 7468).
    private static func holdsCertificate(_ file: String) -> Bool {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8),
            let start = text.firstRange(of: "-----BEGIN CERTIFICATE-----"),
            let end = text[start.upperBound...].firstRange(of: "-----END CERTIFICATE-----")
        else { return false }
        let content = text[start.upperBound..<end.lowerBound].filter { !$0.isWhitespace }
        return Base64.decode(String(content))?.first == 0x30
    }

    /// Sends a request, and once more if the connection failed.
    func get(_ url: String) async throws(HTTPTransfer.Failure) -> Reply {
        let end = ContinuousClock.now.advanced(by: timeLimit)
        do throws(HTTPTransfer.Failure) {
            return try await exchange(url, until: end)
        } catch {
            guard error == .unreachable, !Task.isCancelled else { throw error }
            return try await exchange(url, until: end)
        }
    }

    private func exchange(
        _ url: String, until end: ContinuousClock.Instant
    ) async throws(HTTPTransfer.Failure) -> Reply {
        let reply = try await HTTPTransfer(
            url: url, authorityFile: certificateAuthorityFile, largestBody: Self.largestBody, patience: end - .now
        ).run()
        return Reply(status: reply.status, body: reply.body, date: reply.date.flatMap(HTTPDate.read))
    }
}

/// The form of times in HTTP: `Mon, 23 Nov 2026 13:58:16 GMT`.
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Reads a time. Returns `nil` for any other form.
    static func read(_ text: String) -> Timestamp? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, words[1].count == 2, words[3].count == 4, words[5] == "GMT",
            let month = months.firstIndex(of: String(words[2]))
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        return Timestamp("\(words[3])-\(number)-\(words[1])T\(words[4]).000000Z")
    }
}
