"""torchaudio: models of speech and music, and the transforms before them."""

import torch
import torchaudio
from torchaudio import models, transforms

from .given import Given

MODELS = {}


def add(name, make):
    MODELS[f"torchaudio/{name}"] = make


class Whole(torch.nn.Module):
    """A model of sequences that are all of full length, said when it is exported: it makes a number of Python of the longest."""

    def __init__(self, inner, length):
        super().__init__()
        self.inner, self.length = inner, length

    def forward(self, x):
        return self.inner(x, torch.tensor([self.length] * x.shape[0]))


WAVE = {
    "extractor_mode": "group_norm", "extractor_conv_layer_config": [(16, 10, 5), (16, 3, 2), (16, 2, 2)], "extractor_conv_bias": False,
    "encoder_embed_dim": 32, "encoder_projection_dropout": 0.0, "encoder_pos_conv_kernel": 16, "encoder_pos_conv_groups": 2,
    "encoder_num_layers": 2, "encoder_num_heads": 4, "encoder_attention_dropout": 0.0, "encoder_ff_interm_features": 64,
    "encoder_ff_interm_dropout": 0.0, "encoder_dropout": 0.0, "encoder_layer_norm_first": False, "encoder_layer_drop": 0.0, "aux_num_out": 12,
}  # fmt: skip
add("wav2vec2", lambda: Given(models.wav2vec2_model(**WAVE), (torch.randn(2, 1600),)))
add("wavlm", lambda: Given(models.wavlm_model(**{k: v for k, v in WAVE.items()}, encoder_num_buckets=32, encoder_max_distance=64), (torch.randn(2, 1600),)))
add("wav2letter", lambda: Given(models.Wav2Letter(num_classes=10, input_type="mfcc", num_features=13), (torch.randn(2, 13, 64),)))
add("deepspeech", lambda: Given(models.DeepSpeech(n_feature=16, n_hidden=32, n_class=10), (torch.randn(2, 1, 12, 16),)))
add("conformer", lambda: Given(Whole(models.Conformer(input_dim=16, num_heads=4, ffn_dim=32, num_layers=2, depthwise_conv_kernel_size=7), 20), (torch.randn(2, 20, 16),), batch=False))
add("emformer", lambda: Given(Whole(models.Emformer(16, 4, 32, 2, segment_length=4, left_context_length=4, right_context_length=2), 16), (torch.randn(2, 18, 16),), batch=False))
add("emformer_memory", lambda: Given(Whole(models.Emformer(16, 4, 32, 2, segment_length=4, left_context_length=4, right_context_length=2, max_memory_size=2), 16), (torch.randn(2, 18, 16),), batch=False))
add("conv_tasnet", lambda: Given(models.ConvTasNet(num_sources=2, enc_kernel_size=8, enc_num_feats=16, msk_num_feats=8, msk_num_hidden_feats=16, msk_num_layers=2, msk_num_stacks=2), (torch.randn(2, 1, 400),)))
add("hdemucs", lambda: Given(models.HDemucs(sources=["a", "b"], audio_channels=2, channels=8), (torch.randn(1, 2, 16384),), batch=False))
add("wavernn", lambda: Given(models.WaveRNN(upsample_scales=[2, 2, 4], n_classes=16, hop_length=16, n_res_block=2, n_rnn=16, n_fc=16, kernel_size=3, n_freq=8, n_hidden=8, n_output=8), (torch.randn(2, 1, 16 * 6), torch.randn(2, 1, 8, 8))))


class Encoder(torch.nn.Module):
    """The encoder of Tacotron 2, whose decoder stops when its own result says so."""

    def __init__(self):
        super().__init__()
        whole = models.Tacotron2(n_symbol=40, symbol_embedding_dim=32, encoder_embedding_dim=32, n_mels=8, postnet_embedding_dim=16)
        self.embedding, self.convolutions, self.lstm, self.postnet = whole.embedding, whole.encoder.convolutions, whole.encoder.lstm, whole.postnet

    def forward(self, tokens, mel):
        x = self.embedding(tokens).transpose(1, 2)
        for convolution in self.convolutions:
            x = torch.relu(convolution(x))
        return self.lstm(x.transpose(1, 2))[0], self.postnet(mel)


add("tacotron2_encoder_postnet", lambda: Given(Encoder(), (torch.randint(0, 40, (2, 12)), torch.randn(2, 8, 14))))
add("rnnt_predictor_joiner", lambda: Given(Joined(), (torch.randn(2, 18, 16), torch.randint(0, 10, (2, 5))), batch=False))


class Joined(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torchaudio.models.rnnt.emformer_rnnt_model(
            input_dim=16, encoding_dim=32, num_symbols=11, segment_length=4, right_context_length=2, time_reduction_input_dim=8, time_reduction_stride=2,
            transformer_num_heads=4, transformer_ffn_dim=32, transformer_num_layers=1, transformer_dropout=0.0, transformer_activation="relu",
            transformer_left_context_length=4, transformer_max_memory_size=0, transformer_weight_init_scale_strategy="depthwise", transformer_tanh_on_mem=True,
            symbol_embedding_dim=16, num_lstm_layers=1, lstm_layer_norm=True, lstm_layer_norm_epsilon=1e-3, lstm_dropout=0.0,
        )  # fmt: skip

    def forward(self, sources, targets):
        return self.inner(sources, torch.tensor([16, 16]), targets, torch.tensor([5, 5]), None)


add("squim_objective", lambda: Given(models.squim_objective_model(feat_dim=16, win_len=16, d_model=16, nhead=2, hidden_dim=16, num_blocks=1, rnn_type="LSTM", chunk_size=7), (torch.randn(1, 800),), batch=False))


class Chain(torch.nn.Sequential):
    """Transforms one after the other."""


add("spectrogram", lambda: Given(transforms.Spectrogram(n_fft=64), (torch.randn(2, 400),)))
add("mel_spectrogram_db", lambda: Given(Chain(transforms.MelSpectrogram(16000, n_fft=128, n_mels=16), transforms.AmplitudeToDB()), (torch.randn(2, 1600),), batch=False))
add("mfcc", lambda: Given(transforms.MFCC(16000, 13, melkwargs={"n_fft": 128, "n_mels": 20}), (torch.randn(2, 1600),), batch=False))
add("lfcc", lambda: Given(transforms.LFCC(16000, 16, 13, speckwargs={"n_fft": 128}), (torch.randn(2, 1600),), batch=False))
add("griffin_lim", lambda: Given(transforms.GriffinLim(n_fft=64, n_iter=3, rand_init=False), (torch.rand(2, 33, 20),), batch=False))
add("resample", lambda: Given(transforms.Resample(16000, 11025), (torch.randn(2, 800),)))
add("time_stretch", lambda: Given(Chain(transforms.Spectrogram(n_fft=64, power=None), transforms.TimeStretch(n_freq=33, fixed_rate=1.3)), (torch.randn(2, 400),), batch=False))
add("volume_and_emphasis", lambda: Given(Chain(transforms.Vol(0.5), transforms.Deemphasis(), transforms.Preemphasis()), (torch.randn(2, 400),), batch=False))
