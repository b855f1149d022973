# SPDX-License-Identifier: Apache-2.0
"""Training layers in double precision on labelled images, with fixed seeds."""

import numpy as np

from .float_layers import forward

__all__ = ["train"]

EPOCHS  = 60
BATCH   = 50
DECAY   = 1e-4  #: Weight decay, a step.
MOMENTS = (0.9, 0.999)


class _Adam:
    """Adam optimiser."""

    def __init__(self, layers):
        self.layers  = layers
        self.moments = [[[np.zeros_like(value), np.zeros_like(value)] for value in layer.parameters]
                        for layer in layers]
        self.count   = 0

    def step(self, rate):
        """Update the parameters with learning rate ``rate``."""
        self.count += 1
        for layer, kept in zip(self.layers, self.moments, strict=True):
            for value, gradient, moments in zip(
                    layer.parameters, layer.gradients, kept, strict=True):
                self._move(value, gradient, moments, rate)

    def _move(self, value, gradient, moments, rate):
        for index, power in enumerate((1, 2)):
            moments[index] += (1 - MOMENTS[index]) * (gradient ** power - moments[index])
        mean, square = (moment / (1 - beta ** self.count)
                        for moment, beta in zip(moments, MOMENTS, strict=True))
        value -= rate * (mean / (np.sqrt(square) + 1e-8) + DECAY * value)


def _shift_images(images, rng):
    """All ``images`` shifted by at most a pixel along rows and columns."""
    rows, cols = rng.integers(-1, 2, 2)
    height, width = images.shape[2:]
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    return padded[:, :, 1 + rows:1 + rows + height, 1 + cols:1 + cols + width]


def _backward(layers, scores, labels):
    """Back-propagate the mean cross entropy for softmax(``scores``)."""
    likely = np.exp(scores - scores.max(axis=1, keepdims=True))
    likely /= likely.sum(axis=1, keepdims=True)
    gradient = (likely - np.eye(scores.shape[1])[labels]) / len(labels)
    gradient = gradient[:, :, np.newaxis, np.newaxis]
    for layer in reversed(layers):
        gradient = layer.backward(gradient)


def train(layers, images, labels, rate, rng):
    """Train ``layers`` on ``images`` (count, channels, rows, columns) and ``labels`` (count,)."""
    adam = _Adam(layers)
    for epoch in range(EPOCHS):
        step = rate * (1 + np.cos(np.pi * epoch / EPOCHS)) / 2
        for batch in np.array_split(rng.permutation(len(images)), len(images) // BATCH):
            scores = forward(layers, _shift_images(images[batch], rng))
            _backward(layers, scores, labels[batch])
            adam.step(step)
