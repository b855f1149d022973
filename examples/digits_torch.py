# SPDX-License-Identifier: Apache-2.0
"""Train a network for handwritten digits in PyTorch and convert it to int8: digits_torch.tflite.

Run ``python examples/digits_torch.py`` with the extra ``convert-torch``; ``-o DIR`` is the output
folder, by default ``examples/files``. The data are the same as in ``digits_keras.py``.
"""

from folder import read_folder, stop_without

try:
    import numpy as np
    import torch
    from convert_torch import convert, quantise
    from digits_data import load_digits, write_digits
    from torch import nn
except ModuleNotFoundError as error:
    stop_without(error, __doc__, "convert-torch")

SEED   = 1
EPOCHS = 20
BATCH  = 32


def build():
    """The network, in PyTorch's dimension order: channels, rows, columns."""
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 16, 3, padding=1, groups=16), nn.ReLU(),
        nn.Conv2d(16, 32, 1), nn.ReLU(),
        nn.Flatten(), nn.Linear(32 * 4 * 4, 10), nn.Softmax(dim=1))


def train(model, images, labels):
    """Train with Adam on the logarithm of the label's softmax output."""
    optimiser = torch.optim.Adam(model.parameters(), 2e-3)
    for epoch in range(EPOCHS):
        total = 0.0
        for batch in torch.randperm(len(images)).split(BATCH):
            shares = model(images[batch])
            loss   = nn.functional.nll_loss(shares.clamp_min(1e-9).log(), labels[batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            total += loss.item() * len(batch)
        print(f"epoch {epoch + 1} of {EPOCHS}: loss {total / len(images):.4f}")


def to_torch(images):
    """Images (count, rows, columns, 1) as a tensor (count, 1, rows, columns)."""
    return torch.from_numpy(np.ascontiguousarray(images.transpose(0, 3, 1, 2)))


def main():
    """Train, convert, write the files, and print the accuracy."""
    folder = read_folder(__doc__)
    torch.manual_seed(SEED)
    torch.set_num_threads(1)  # the products are too small for several
    digits = load_digits()
    model  = build()
    train(model, to_torch(digits.train[0]), torch.from_numpy(digits.train[1]).long())
    with torch.no_grad():
        right = (model(to_torch(digits.test[0])).argmax(1).numpy() == digits.test[1]).mean()
    print(f"{right:.1%} of the test images are right in float32")
    convert(model, digits.train[0][:1], folder / "digits_torch_float.tflite")
    quantise(folder / "digits_torch_float.tflite", digits.train[0], folder / "digits_torch.tflite")
    write_digits(folder, digits)


if __name__ == "__main__":
    main()
