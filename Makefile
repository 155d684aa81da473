# The same checks as .ci/run, one by one.
.PHONY: check test race vuln
export CGO_ENABLED = 0

check:
	.ci/run

test:
	go test ./...

race:
	CGO_ENABLED=1 go test -race ./...

# Needs the vulnerability database, so it is not part of check.
vuln:
	go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./...
