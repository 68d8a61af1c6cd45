"""torchao: weights of language models quantised, and a convolutional network quantised by PT2E."""

import torch

from .given import Given, ids

MODELS = {}


def llama(width=64):
    import transformers as t

    config = t.LlamaConfig(
        vocab_size=99, hidden_size=width, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, intermediate_size=2 * width, max_position_embeddings=64,
        use_cache=False,
    )  # fmt: skip
    return t.LlamaForCausalLM(config).eval()


def quantised(config, dtype=torch.float32, width=64):
    from torchao.quantization import quantize_
    from torchao.utils import unwrap_tensor_subclass

    module = llama(width).to(dtype)
    quantize_(module, config())
    unwrap_tensor_subclass(module)
    return Given(module, (), {"input_ids": ids()}, stir=False)


def config(name, **options):
    import torchao.quantization as q

    return lambda: getattr(q, name)(**options)


for name, made in {
    "llama_int8_weight_only": lambda: quantised(config("Int8WeightOnlyConfig")),
    "llama_int8_dynamic": lambda: quantised(config("Int8DynamicActivationInt8WeightConfig")),
    "llama_int4_weight_only": lambda: quantised(config("IntxWeightOnlyConfig", weight_dtype=torch.int4)),
    "llama_int8_dynamic_int4": lambda: quantised(config("Int8DynamicActivationIntxWeightConfig", weight_dtype=torch.int4)),
    "llama_float8_weight_only": lambda: quantised(config("Float8WeightOnlyConfig")),
}.items():  # fmt: skip
    MODELS[f"torchao/{name}"] = made


class Conv(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm = torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8)
        self.second, self.last = torch.nn.Conv2d(8, 16, 3, stride=2), torch.nn.Linear(16, 10)

    def forward(self, x):
        x = torch.relu(self.norm(self.first(x)))
        x = torch.nn.functional.adaptive_avg_pool2d(torch.relu(self.second(x)), 1)
        return self.last(x.flatten(1))


def pt2e(make, x):
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
    from torchao.quantization.pt2e.quantizer.x86_inductor_quantizer import X86InductorQuantizer, get_default_x86_inductor_quantization_config

    module = torch.export.export(make().eval(), (x,)).module()
    module = prepare_pt2e(module, X86InductorQuantizer().set_global(get_default_x86_inductor_quantization_config()))
    module(x)
    module = convert_pt2e(module)
    # Moved to evaluation already; eval() itself is refused for exported modules.
    module.eval = lambda: module
    module.train = lambda mode=True: module
    return Given(module, (x,), batch=False, stir=False)


MODELS["torchao/pt2e_conv"] = lambda: pt2e(Conv, torch.randn(2, 3, 16, 16))


def resnet():
    import torchvision

    return torchvision.models.resnet18(weights=None)


MODELS["torchao/pt2e_resnet18"] = lambda: pt2e(resnet, torch.randn(1, 3, 64, 64))
