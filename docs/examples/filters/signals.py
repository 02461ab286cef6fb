"""The signals of the examples: recordings from the folder that FENCHEL_DATA names, else made-up ones.

Files in it: aec_speech/x.wav.gz and d.wav.gz, foetal_ecg/foetal_ecg.dat.gz,
ecg_mitbih208/ecg_mlii_adc.txt.gz.
"""

import gzip
import io
import os
import sys
import wave
from pathlib import Path

import numpy as np

FOLDER = os.environ.get("FENCHEL_DATA")
ROOM = np.array([0.0, 0.6, -0.3, 0.15, 0.05, -0.1])


def recordings(*names):
    """The files, or None where one is missing, which is said."""
    files = [Path(FOLDER, name) for name in names] if FOLDER else []
    if files and all(file.is_file() for file in files):
        return files
    needed = " and ".join(names)
    where = f"{FOLDER} has no" if FOLDER else "set FENCHEL_DATA to a folder with"
    print(f"a made-up signal: {where} {needed}", file=sys.stderr)
    return None


def made_up(samples=8000, seed=0):
    """Noise that comes and goes, as speech does."""
    rng = np.random.default_rng(seed)
    loudness = np.sin(np.arange(samples) / 500.0) ** 2
    return loudness * np.convolve(rng.standard_normal(samples), [1.0, 0.8, 0.5])[:samples]


def sound(file):
    """Samples of a 16-bit WAV file in [-1, 1)."""
    with wave.open(io.BytesIO(gzip.decompress(file.read_bytes()))) as recorded:
        return np.frombuffer(recorded.readframes(recorded.getnframes()), "<i2") / 32768.0


def far_voice_and_microphone():
    """What a loudspeaker plays, and what the microphone beside it hears; 8000 samples a second."""
    files = recordings("aec_speech/x.wav.gz", "aec_speech/d.wav.gz")
    if files:
        return sound(files[0]), sound(files[1])
    far = made_up()
    return far, np.convolve(far, ROOM)[: len(far)] + 0.1 * made_up(seed=1)


def chest_and_belly():
    """A mother's heart at her chest; at her belly, with her child's; 500 samples a second."""
    files = recordings("foetal_ecg/foetal_ecg.dat.gz")
    if files:
        leads = np.loadtxt(files[0])
        return leads[:, 6], leads[:, 1]
    t = np.arange(2500) / 500.0
    mother, child = (10.0 * np.sin(np.pi * rate * t) ** 40 for rate in (1.3, 2.2))
    return 30.0 * mother, 5.0 * np.convolve(mother, ROOM)[: len(t)] + child


def heart():
    """One lead of a heart in mV, 360 samples a second."""
    files = recordings("ecg_mitbih208/ecg_mlii_adc.txt.gz")
    if files:
        return (np.loadtxt(files[0]) - 1024.0) / 200.0
    t = np.arange(20_000) / 360.0
    return np.sin(np.pi * 1.2 * t) ** 40 + 0.1 * np.sin(2.0 * np.pi * 0.3 * t)
