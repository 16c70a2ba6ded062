# swarmrun alone in an image: no shell, no package manager, not root. What agents start with Bash or as servers must be added
# in an image of your own, FROM this one. What `swarmrun version` says there:
# --build-arg VERSION=$(git describe --tags --always) --build-arg COMMIT=$(git rev-parse HEAD).
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION
ARG COMMIT
RUN make build BIN=/root-of-image/usr/bin/swarmrun
RUN mkdir -p /root-of-image/etc/ssl/certs /root-of-image/tmp /root-of-image/home/nonroot /root-of-image/workspace \
 && cp /etc/ssl/certs/ca-certificates.crt /root-of-image/etc/ssl/certs/ \
 && echo 'nonroot:x:65532:65532::/home/nonroot:/sbin/nologin' >/root-of-image/etc/passwd \
 && chmod 1777 /root-of-image/tmp && chown -R 65532:65532 /root-of-image/home/nonroot /root-of-image/workspace

FROM scratch
COPY --from=build /root-of-image/ /
USER 65532:65532
ENV HOME=/home/nonroot
WORKDIR /workspace
ENTRYPOINT ["/usr/bin/swarmrun"]
