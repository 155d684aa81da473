"""compare.py CACHE ROUNDS: called by run.sh.

Each round measures every candidate once, one after the other, so that a busy
machine is busy for all of them; a candidate's figure is the least of its rounds.
Processor time is compared, not the clock.

Where the processor has AMX, onnxruntime multiplies bytes with it and the Go
kernels do not. It is measured with and without; the ratio is to the latter,
which is what processors outside of servers do.
"""
import ctypes, os, re, struct, subprocess, sys, time

TOKENS = 128
TARGETS = [  # kernel, compared with, at most
    ("avx512vnni", "onnxruntime int8", 0.8),
    ("avx512", "onnxruntime f32", 0.85),
    ("avx2", "onnxruntime f32", 1.4),
]


def refuse_amx():
    """Makes the kernel refuse this process the use of AMX (x86-64 Linux only)."""
    arch_prctl, req_xcomp_perm, eperm = 158, 0x1023, 1
    program = b"".join(struct.pack("HBBI", *op) for op in [
        (0x20, 0, 0, 0), (0x15, 0, 3, arch_prctl),        # is it arch_prctl
        (0x20, 0, 0, 16), (0x15, 0, 1, req_xcomp_perm),   # for more of the processor's state
        (0x06, 0, 0, 0x00050000 | eperm), (0x06, 0, 0, 0x7FFF0000)])
    code = ctypes.create_string_buffer(program)
    libc = ctypes.CDLL(None, use_errno=True)
    filters = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code))
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, filters, 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")


def onnx_ms(path):
    """Processor milliseconds a text, in batches of one or two texts, whichever is faster."""
    import numpy as np
    import onnxruntime as ort
    opt = ort.SessionOptions()
    opt.intra_op_num_threads = opt.inter_op_num_threads = 1
    run = ort.InferenceSession(path, opt, providers=["CPUExecutionProvider"]).run
    least = float("inf")
    for texts in 1, 2:
        ids = np.random.default_rng(1).integers(1000, 30000, (texts, TOKENS))
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        run(None, feed)
        n, begin = 0, time.process_time()
        while time.process_time() - begin < 1:
            run(None, feed)
            n += texts
        least = min(least, (time.process_time() - begin) * 1000 / n)
    return least


def child_ms(path, amx):
    """onnx_ms in a process of its own, since what it is refused is for good."""
    out = subprocess.run([sys.executable, __file__, "--onnx", path, "amx" if amx else ""], check=True, capture_output=True, text=True)
    return float(out.stdout)


def go_ms(binary, kernels):
    """The same by the Go encoder, for each kernel; batches of two texts."""
    pattern = f"BenchmarkPassage128/^({'|'.join(kernels)})$"
    out = subprocess.run([binary, "-test.run=^$", f"-test.bench={pattern}", "-test.cpu=1", "-test.benchtime=1s"],
                         env=dict(os.environ, GOMAXPROCS="1"), check=True, capture_output=True, text=True).stdout
    found = re.findall(r"Passage128/(\S+).*?([\d.]+) cpu-ms/text", out)
    return {kernel: float(ms) for kernel, ms in found}


def has_amx():
    try:
        return "amx_int8" in open("/proc/cpuinfo").read()
    except OSError:
        return False


def main(cache, rounds):
    least = {}
    for _ in range(rounds):
        got = {"onnxruntime f32": child_ms(f"{cache}/f32.onnx", True)}
        if has_amx():
            got["onnxruntime int8, AMX"] = child_ms(f"{cache}/int8.onnx", True)
        got["onnxruntime int8"] = child_ms(f"{cache}/int8.onnx", not has_amx())
        got.update(go_ms(f"{cache}/e5.test", ["avx512vnni", "avxvnni", "avx512", "avx2", "neon"]))
        for name, ms in got.items():
            least[name] = min(ms, least.get(name, ms))
    print(f"one thread, processor ms per text of {TOKENS} tokens, least of {rounds} rounds")
    for name, ms in least.items():
        print(f"  {name:22} {ms:6.1f}")
    missed = 0
    for kernel, other, limit in TARGETS:
        if kernel in least:
            ratio = least[kernel] / least[other]
            missed += ratio > limit
            print(f"  {kernel} / {other}: {ratio:.2f}, at most {limit}{'  MISSED' if ratio > limit else ''}")
    sys.exit(1 if missed else 0)


if sys.argv[1] == "--onnx":
    if sys.argv[3] != "amx":
        refuse_amx()
    print(onnx_ms(sys.argv[2]))
else:
    main(sys.argv[1], int(sys.argv[2]))
