import CHTTPAPI
import Embedding

extension EmbeddedFiles {
    /// The pages' templates, words, scripts and styles, and `openapi.yaml`.
    static let httpAPI = unsafe EmbeddedFiles(
        count: httpapi_count, names: httpapi_names, bytes: httpapi_bytes, sizes: httpapi_sizes)
}
