"""tinymodel.py OUT.gguf [chat]: an embedding model with random weights, to record tests with.

One layer of 32 numbers, a vocabulary of single characters and a context of 96
tokens, so that a long text is refused soon. Needs the packages gguf and numpy.
With "chat" it does not say that it is one, and so passes for a chat model. Then:

    echo "FROM ./embed.gguf" > Modelfile; ollama create recall-embed -f Modelfile
    echo "FROM ./chat.gguf" > Modelfile; ollama create recall-chat -f Modelfile
"""
import string, sys
import gguf, numpy as np

H, FFN, CONTEXT = 32, 64, 96
chars = string.ascii_lowercase + string.digits + string.punctuation
tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"] + ["\u2581" + c for c in chars] + list(chars)

w = gguf.GGUFWriter(sys.argv[1], "bert")
w.add_name("recall-embed")
w.add_context_length(CONTEXT)
w.add_embedding_length(H)
w.add_feed_forward_length(FFN)
w.add_block_count(1)
w.add_head_count(2)
w.add_head_count_kv(2)
w.add_layer_norm_eps(1e-12)
w.add_causal_attention(False)
if "chat" not in sys.argv[2:]:
    w.add_pooling_type(gguf.PoolingType.MEAN)
w.add_tokenizer_model("bert")
w.add_token_list(tokens)
w.add_token_types([3] * 4 + [1] * (len(tokens) - 4))
w.add_token_type_count(2)
w.add_pad_token_id(0)
w.add_unk_token_id(1)
w.add_bos_token_id(2)
w.add_eos_token_id(3)
w.add_sep_token_id(3)

rng = np.random.default_rng(1)


def add(name, *shape, center=0.0, spread=0.5):
    w.add_tensor(name, (center + spread * rng.standard_normal(shape)).astype(np.float32))


def norm(name):
    add(name + ".weight", H, center=1, spread=0.1)
    add(name + ".bias", H, spread=0.1)


def linear(name, out, inputs):
    add(name + ".weight", out, inputs, spread=inputs**-0.5)
    add(name + ".bias", out, spread=0.1)


add("token_embd.weight", len(tokens), H)
add("position_embd.weight", CONTEXT, H)
add("token_types.weight", 2, H)
norm("token_embd_norm")
for part in "q", "k", "v", "output":
    linear(f"blk.0.attn_{part}", H, H)
norm("blk.0.attn_output_norm")
linear("blk.0.ffn_up", FFN, H)
linear("blk.0.ffn_down", H, FFN)
norm("blk.0.layer_output_norm")
w.write_header_to_file()
w.write_kv_data_to_file()
w.write_tensors_to_file()
w.close()
