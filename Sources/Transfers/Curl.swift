import CCurl

/// libcurl, which must be started once before any thread uses it.
enum Curl {
    static let isReady = ccurl_start() == CURLE_OK
}
