"""Brings exported networks back to a form that can be trained on: every clone goes on from `models/`.

An export folds each batch normalisation into its convolution. Here the folded weights are put into the
convolution, and the normalisation is set from the activations measured on pictures so that it changes
nothing at first: mean m and variance v of a channel give scale sqrt(v + eps) and offset m + bias.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import onnx
import torch
from torch import nn


def folded_weights(file: Path) -> tuple[dict[str, torch.Tensor], list[tuple[torch.Tensor, torch.Tensor]]]:
    """All weights of an exported network by name, and (weight, bias) of its convolutions in order."""
    graph = onnx.load(str(file)).graph
    named = {
        i.name.removesuffix("_half"): torch.from_numpy(onnx.numpy_helper.to_array(i).astype(np.float32))
        for i in graph.initializer
    }
    convolutions = [
        (named[n.input[1]], named[n.input[2]])
        for n in graph.node
        if n.op_type == "Conv" and len(n.input) == 3 and n.input[1] in named
    ]
    return named, convolutions


Folded = list[tuple[nn.Conv2d, nn.BatchNorm2d, torch.Tensor, torch.Tensor]]


def unfold(net: nn.Module, pairs: Folded, pictures: Iterable[torch.Tensor]) -> None:
    """Give each convolution and its normalisation the folded weight and bias; `net` computes the same."""
    sums: dict[nn.Module, list[torch.Tensor]] = {}

    def measure(norm: nn.Module, inputs: tuple[torch.Tensor, ...]) -> None:
        x = inputs[0].float().double()
        new = [torch.tensor(x.numel() / x.shape[1]), x.sum((0, 2, 3)), (x * x).sum((0, 2, 3))]
        sums[norm] = [a + b for a, b in zip(sums.get(norm, [torch.zeros(1)] * 3), new, strict=True)]

    with torch.no_grad():
        for conv, norm, weight, bias in pairs:
            conv.weight.copy_(weight)
            norm.running_mean.zero_()
            norm.running_var.fill_(1 - norm.eps)
            norm.weight.fill_(1)
            norm.bias.copy_(bias)
        hooks = [norm.register_forward_pre_hook(measure) for _, norm, _, _ in pairs]
        net.eval()
        for batch in pictures:
            net(batch)
        for hook in hooks:
            hook.remove()
        for _, norm, _, bias in pairs:
            count, total, squares = sums[norm]
            mean = total / count
            variance = (squares / count - mean**2).clamp(min=1e-4)
            norm.running_mean.copy_(mean)
            norm.running_var.copy_(variance)
            norm.weight.copy_((variance + norm.eps).sqrt())
            norm.bias.copy_(bias + mean)
