#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H

#include <curl/curl.h>
#include <stdint.h>

/* The functions of libcurl that take variable arguments cannot be called from Swift. */

static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

/* The initialisation of the library, with the flags that are a macro. */
static inline CURLcode ccurl_start(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

/* No other protocol, whatever the URL says. The text form came with 7.85.0. */
#if LIBCURL_VERSION_NUM >= 0x075500
static inline CURLcode ccurl_only_smtp(CURL *handle) {
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
}
static inline CURLcode ccurl_only_http(CURL *handle) {
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
}
#else
static inline CURLcode ccurl_only_smtp(CURL *handle) {
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS, (long)(CURLPROTO_SMTP | CURLPROTO_SMTPS));
}
static inline CURLcode ccurl_only_http(CURL *handle) {
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
}
#endif

/* A look-up of a name does not outlast the time limit. */
static inline CURLcode ccurl_exit_quickly(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075700
    return curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
#else
    (void)handle;
    return CURLE_OK;
#endif
}

/* The oldest version of TLS that is spoken; the constant is a macro in some versions. */
static inline CURLcode ccurl_require_tls12(CURL *handle) {
    return curl_easy_setopt(handle, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
}

/* STARTTLS or nothing. */
static inline CURLcode ccurl_require_starttls(CURL *handle) {
    return curl_easy_setopt(handle, CURLOPT_USE_SSL, (long)CURLUSESSL_ALL);
}

typedef size_t (*ccurl_reader)(char *, size_t, size_t, void *);

static inline CURLcode ccurl_set_reader(CURL *handle, ccurl_reader reader, void *context) {
    CURLcode set = curl_easy_setopt(handle, CURLOPT_READFUNCTION, reader);
    return set != CURLE_OK ? set : curl_easy_setopt(handle, CURLOPT_READDATA, context);
}

/* Where the lines of an answer's head and the bytes of its body go. */
static inline CURLcode ccurl_set_writers(CURL *handle, ccurl_reader body, ccurl_reader head, void *context) {
    CURLcode set = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body);
    if (set == CURLE_OK) set = curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
    if (set == CURLE_OK) set = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, head);
    return set != CURLE_OK ? set : curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
}

/* The last reply code of the server; 0 without one. */
static inline long ccurl_reply(CURL *handle) {
    long code = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &code);
    return code;
}

#endif
