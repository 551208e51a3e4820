import Canonical
import TenureAPI
import TenureClient

extension Fingerprint {
    /// A device key as people compare it with another screen: a line with its words, then one with its digits.
    static func compared(_ fingerprint: String, on terminal: Terminal) -> String {
        """
          \(Style.strong.apply(FingerprintWords(hex: fingerprint).text, on: terminal))
          \(Style.quiet.apply(readable(fingerprint), on: terminal))

        """
    }
}
