# SPDX-License-Identifier: Apache-2.0
"""Synthesised words, a second each: no recordings of people.

A word is two vowels: voice pulses through three resonances, the formants, whose frequencies
glide from the first vowel to the second. Pitch, formants, length, place and loudness differ from
sound to sound, and noise is added. The class ``noise`` has no word. A network that tells these
apart shows that keyword spotting works, but has not learned speech.
"""

import numpy as np
from audio_features import RATE

#: Formants of vowels, Hz (Peterson and Barney, 1952, averages of men).
VOWELS = {"a": (730, 1090, 2440), "i": (270, 2290, 3010), "u": (300, 870, 2240),
          "e": (530, 1840, 2480)}
WORDS  = ("noise", "ai", "ia", "ua", "ue", "iu")
_BANDS = 80, 100, 140  # of the formants, Hz


def make_sounds(count, rng):
    """(sounds, float32 (count, RATE) from -1 to 1; labels, int (count,)), every word as often."""
    labels = np.arange(count) % len(WORDS)
    sounds = np.stack([_make_sound(WORDS[label], rng) for label in labels])
    return sounds.astype(np.float32), labels


def _make_sound(word, rng):
    sound = rng.normal(0, rng.uniform(0.01, 0.2), RATE)
    if word == "noise":
        return np.clip(sound, -1, 1)
    length = int(rng.uniform(0.35, 0.7) * RATE)
    voice  = _voice(word, length, rng)
    start  = rng.integers(0, RATE - length)
    sound[start:start + length] += voice * rng.uniform(0.2, 0.8) / np.abs(voice).max()
    return np.clip(sound, -1, 1)


def _voice(word, length, rng):
    """Pitch harmonics, each as loud as the formants let it pass, in ``length`` samples."""
    along = np.clip(np.linspace(-0.6, 1.6, length), 0, 1)[:, None]
    first, last = (np.array(VOWELS[vowel]) * rng.uniform(0.8, 1.25, 3) for vowel in word)
    formants = first + (last - first) * along
    pitch    = rng.uniform(90, 230) * np.linspace(1, rng.uniform(0.8, 1.1), length)
    phase    = 2 * np.pi * np.cumsum(pitch) / RATE
    voice    = np.zeros(length)
    for harmonic in range(1, int(4000 / pitch.max())):
        distance = (harmonic * pitch[:, None] - formants) / np.array(_BANDS)
        voice += (1 / (1 + distance ** 2)).sum(axis=1) * np.sin(harmonic * phase)
    return voice * np.sin(np.pi * np.linspace(0, 1, length)) ** 0.5
