FROM swift:6.3 AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libcurl4-openssl-dev libpq-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build
# First what changes seldom, so that the dependencies stay in the cache.
COPY Package.swift Package.resolve[d] ./
RUN swift package resolve
COPY Sources Sources
COPY openapi.yaml ./
COPY schema schema
COPY Tests Tests
COPY Examples Examples
RUN swift build --configuration release --static-swift-stdlib --product tenure \
    && cp "$(swift build --configuration release --static-swift-stdlib --show-bin-path)/tenure" /usr/local/bin/tenure

FROM swift:6.3-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libcurl4 libpq5 curl \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin tenure
COPY --from=build /usr/local/bin/tenure /usr/local/bin/tenure
USER tenure
ENV SWIFT_BACKTRACE=interactive=no
EXPOSE 8080 9464
ENTRYPOINT ["/usr/local/bin/tenure"]
