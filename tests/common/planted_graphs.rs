//! Graphs that mistakes are planted in.

use litz::types::Dtype;

/// Graphs round a template each, in which every stride matters.
pub const IN_TEMPLATES: [(Dtype, &str, &[&[i64]]); 13] = [
    (
        Dtype::Float32,
        "  input %0 \"x\": float32[2, 5, 7]
  input %1 \"y\": float32[2, 7, 20]
  input %2 \"bias\": float32[20]
  %3 = aten.bmm.default(%0, %1)
  %4 = aten.add.Tensor(%3, %2)
  output \"z\" = %4",
        &[&[2, 5, 7], &[2, 7, 20], &[20]],
    ),
    (
        Dtype::Float32,
        "  input %0 \"x\": float32[2, 4, 6, 7]
  input %1 \"w\": float32[6, 2, 3, 3]
  %2 = aten.convolution.default(%0, %1, None, [1, 1], [1, 1], [1, 1], false, [0, 0], 2)
  %3 = aten.relu.default(%2)
  output \"z\" = %3",
        &[&[2, 4, 6, 7], &[6, 2, 3, 3]],
    ),
    (
        Dtype::Float32,
        "  input %0 \"q\": float32[2, 2, 5, 4]
  input %1 \"k\": float32[2, 2, 11, 4]
  input %2 \"v\": float32[2, 2, 11, 3]
  input %3 \"mask\": float32[5, 11]
  %4 = aten.scaled_dot_product_attention.default(%0, %1, %2, %3)
  output \"z\" = %4",
        &[&[2, 2, 5, 4], &[2, 2, 11, 4], &[2, 2, 11, 3], &[5, 11]],
    ),
    (
        Dtype::Float32,
        "  input %0 \"q\": float32[2, 4, 5, 4]
  input %1 \"k\": float32[2, 2, 11, 4]
  input %2 \"v\": float32[2, 2, 11, 4]
  input %3 \"g\": float32[2, 4, 5, 4]
  input %4 \"mask\": float32[5, 11]
  %5, %6 = aten._scaled_dot_product_flash_attention_for_cpu.default(%0, %1, %2, 0.0, false, attn_mask=%4)
  %7, %8, %9 = aten._scaled_dot_product_flash_attention_for_cpu_backward.default(%3, %0, %1, %2, %5, %6, 0.0, false, attn_mask=%4)
  output \"q\" = %7
  output \"k\" = %8
  output \"v\" = %9",
        &[&[2, 4, 5, 4], &[2, 2, 11, 4], &[2, 2, 11, 4], &[2, 4, 5, 4], &[5, 11]],
    ),
    (
        Dtype::Float32,
        "  input %0 \"x\": float32[4, 3, 8]
  input %1 \"h\": float32[1, 3, 5]
  input %2 \"c\": float32[1, 3, 5]
  input %3 \"w\": float32[20, 8]
  input %4 \"u\": float32[20, 5]
  %5, %6, %7 = aten.lstm.input(%0, [%1, %2], [%3, %4], false, 1, 0.0, false, false, false)
  output \"y\" = %5
  output \"h\" = %6
  output \"c\" = %7",
        &[&[4, 3, 8], &[1, 3, 5], &[1, 3, 5], &[20, 8], &[20, 5]],
    ),
    (
        Dtype::Bfloat16,
        "  input %0 \"x\": bfloat16[2, 40, 72]
  input %1 \"y\": bfloat16[2, 72, 48]
  input %2 \"bias\": bfloat16[48]
  %3 = aten.bmm.default(%0, %1)
  %4 = aten.add.Tensor(%3, %2)
  output \"z\" = %4",
        &[&[2, 40, 72], &[2, 72, 48], &[48]],
    ),
    (
        Dtype::Bfloat16,
        "  input %0 \"x\": bfloat16[2, 64, 6, 7]
  constant %1 \"w\": bfloat16[24, 64, 3, 3] = seeded 1 mean 0.0 spread 0.5
  %2 = aten.convolution.default(%0, %1, None, [1, 1], [1, 1], [1, 1], false, [0, 0], 1)
  %3 = aten.relu.default(%2)
  output \"z\" = %3",
        &[&[2, 64, 6, 7]],
    ),
    (
        Dtype::Bfloat16,
        "  input %0 \"q\": bfloat16[2, 2, 40, 16]
  input %1 \"k\": bfloat16[2, 2, 72, 16]
  input %2 \"v\": bfloat16[2, 2, 72, 24]
  input %3 \"mask\": bfloat16[40, 72]
  %4 = aten.scaled_dot_product_attention.default(%0, %1, %2, %3)
  output \"z\" = %4",
        &[&[2, 2, 40, 16], &[2, 2, 72, 16], &[2, 2, 72, 24], &[40, 72]],
    ),
    (
        Dtype::Bfloat16,
        "  input %0 \"q\": bfloat16[2, 4, 3, 16]
  input %1 \"k\": bfloat16[2, 2, 72, 16]
  input %2 \"v\": bfloat16[2, 2, 72, 16]
  input %3 \"g\": bfloat16[2, 4, 3, 16]
  %4, %5 = aten._scaled_dot_product_flash_attention_for_cpu.default(%0, %1, %2, 0.0, false)
  %6, %7, %8 = aten._scaled_dot_product_flash_attention_for_cpu_backward.default(%3, %0, %1, %2, %4, %5, 0.0, false)
  output \"q\" = %6
  output \"k\" = %7
  output \"v\" = %8",
        &[&[2, 4, 3, 16], &[2, 2, 72, 16], &[2, 2, 72, 16], &[2, 4, 3, 16]],
    ),
    (
        Dtype::Float32,
        "  input %0 \"q\": float32[2, 2, 20, 8]
  input %1 \"k\": float32[2, 2, 72, 8]
  input %2 \"v\": float32[2, 2, 72, 8]
  %3 = aten.scaled_dot_product_attention.default(%0, %1, %2)
  output \"z\" = %3",
        &[&[2, 2, 20, 8], &[2, 2, 72, 8], &[2, 2, 72, 8]],
    ),
    (
        Dtype::Float32,
        "  input %0 \"x\": float32[3, 40]
  input %1 \"y\": float32[3, 40, 5]
  input %2 \"z\": float32[140, 12]
  %3 = aten.logcumsumexp.default(%0, 1)
  %4, %5 = aten.cummax.default(%1, 1)
  %6 = aten.cumsum.default(%2, 1)
  output \"lines\" = %3
  output \"most\" = %4
  output \"places\" = %5
  output \"short\" = %6",
        &[&[3, 40], &[3, 40, 5], &[140, 12]],
    ),
    (
        Dtype::Float32,
        "  input %0 \"x\": float32[3, 40]
  %1, %2 = aten.sort.stable(%0, stable=true, dim=1, descending=true)
  %3, %4 = aten.topk.default(%0, 5)
  output \"sorted\" = %1
  output \"places\" = %2
  output \"first\" = %3",
        &[&[3, 40]],
    ),
    (
        Dtype::Float32,
        "  input %0 \"x\": float32[7, 3]
  input %1 \"many\": float32[60, 3]
  input %2 \"few\": float32[9, 3]
  input %3 \"by\": float32[60]
  input %4 \"of\": float32[9]
  %5 = aten.argsort.default(%3, 0)
  %6 = aten.remainder.Scalar(%5, 7)
  %7 = aten.argsort.default(%4, 0)
  %8 = aten.remainder.Scalar(%7, 7)
  %9 = aten.index_add.default(%0, 0, %6, %1)
  %10 = aten.index_add.default(%0, 0, %8, %2)
  %11 = aten.index_reduce.default(%0, 0, %6, %1, \"amax\")
  output \"near\" = %9
  output \"own\" = %10
  output \"most\" = %11",
        &[&[7, 3], &[60, 3], &[9, 3], &[60], &[9]],
    ),
];
