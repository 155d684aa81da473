"""compare.py CACHE ROUNDS: called by run.sh.

Each round measures every candidate once, one after the other, so that a busy
machine is busy for all of them; a candidate's figure is the least of its rounds.
Processor time is compared, not the clock.
"""
import os, re, subprocess, sys, time
import numpy as np
import onnxruntime as ort

TOKENS = 128
TARGETS = [  # kernel, compared with, at most
    ("avx512vnni", "onnxruntime int8", 0.8),
    ("avx512", "onnxruntime f32", 0.85),
    ("avx2", "onnxruntime f32", 1.4),
]


def session(path):
    opt = ort.SessionOptions()
    opt.intra_op_num_threads = opt.inter_op_num_threads = 1
    return ort.InferenceSession(path, opt, providers=["CPUExecutionProvider"])


def onnx_ms(run, texts):
    """Processor milliseconds a text, in batches of so many texts."""
    ids = np.random.default_rng(1).integers(1000, 30000, (texts, TOKENS))
    feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    run(None, feed)
    n, begin = 0, time.process_time()
    while time.process_time() - begin < 1:
        run(None, feed)
        n += texts
    return (time.process_time() - begin) * 1000 / n


def go_ms(binary, kernels):
    """The same by the Go encoder, for each kernel; batches of two texts."""
    pattern = f"BenchmarkPassage128/^({'|'.join(kernels)})$"
    out = subprocess.run([binary, "-test.run=^$", f"-test.bench={pattern}", "-test.cpu=1", "-test.benchtime=1s"],
                         env=dict(os.environ, GOMAXPROCS="1"), check=True, capture_output=True, text=True).stdout
    found = re.findall(r"Passage128/(\S+).*?([\d.]+) cpu-ms/text", out)
    return {kernel: float(ms) for kernel, ms in found}


def main():
    cache, rounds = sys.argv[1], int(sys.argv[2])
    f32, int8 = session(f"{cache}/f32.onnx"), session(f"{cache}/int8.onnx")
    least = {}
    for _ in range(rounds):
        got = {"onnxruntime f32": min(onnx_ms(f32.run, 1), onnx_ms(f32.run, 2)),
               "onnxruntime int8": min(onnx_ms(int8.run, 1), onnx_ms(int8.run, 2)),
               **go_ms(f"{cache}/e5.test", [k for k, _, _ in TARGETS] + ["neon"])}
        for name, ms in got.items():
            least[name] = min(ms, least.get(name, ms))
    print(f"onnxruntime {ort.__version__}, one thread, processor ms per text of {TOKENS} tokens, least of {rounds} rounds")
    for name, ms in least.items():
        print(f"  {name:18} {ms:7.1f}")
    missed = 0
    for kernel, other, limit in TARGETS:
        if kernel in least:
            ratio = least[kernel] / least[other]
            missed += ratio > limit
            print(f"  {kernel} / {other}: {ratio:.2f}, at most {limit}{'  MISSED' if ratio > limit else ''}")
    sys.exit(1 if missed else 0)


main()
