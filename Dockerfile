# The images are pinned by their exact tags. A tag can be moved; a digest cannot. Pin one where a registry is at hand:
# `docker buildx imagetools inspect IMAGE` prints it, and `FROM IMAGE@sha256:…` names it.
FROM swift:6.3.1-noble AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libcurl4-openssl-dev libpq-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build
# First what changes seldom, so that the dependencies stay in the cache.
COPY Package.swift ./
COPY deploy/versions.resolved Package.resolved
RUN swift package resolve
COPY Sources Sources
COPY openapi.yaml ./
COPY schema schema
COPY Tests Tests
COPY Examples Examples
RUN swift build --configuration release --static-swift-stdlib --product tenure \
    && cp "$(swift build --configuration release --static-swift-stdlib --show-bin-path)/tenure" /usr/local/bin/tenure

# The system that the first image builds on, without Swift: the program contains what it needs of it.
FROM ubuntu:24.04
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates curl libcurl4 libpq5 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin tenure
COPY --from=build /usr/local/bin/tenure /usr/local/bin/tenure
USER tenure
ENV SWIFT_BACKTRACE=enable=no
EXPOSE 8080 9464
# For a service without a certificate of its own. docker-compose.yml has one for each of its containers.
HEALTHCHECK --interval=5s --timeout=5s --start-period=30s --retries=24 \
    CMD curl --silent --fail --output /dev/null "http://127.0.0.1:${TENURE_LISTEN_PORT:-8080}/readyz"
ENTRYPOINT ["/usr/local/bin/tenure"]
