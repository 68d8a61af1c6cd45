//! Recurrent networks: whole layers over a sequence, and single cells.

macro_rules! recurrence_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::loss_rows! { $callback [
            $($rows)*
            LstmInput "aten.lstm.input" "(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor, Tensor)" Contraction [] meta(recurrent) lower(lstm) grad(recurrent);
            GruInput "aten.gru.input" "(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)" Contraction [] meta(recurrent) lower(gru) grad(recurrent);
            RnnTanhInput "aten.rnn_tanh.input" "(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)" Contraction [] meta(recurrent) lower(rnn_tanh) grad(recurrent);
            RnnReluInput "aten.rnn_relu.input" "(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)" Contraction [] meta(recurrent) lower(rnn_relu) grad(recurrent);
            LstmCell "aten.lstm_cell.default" "(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> (Tensor, Tensor)" Composite [] meta(cell) decompose(lstm_cell);
            GruCell "aten.gru_cell.default" "(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor" Composite [] meta(cell) decompose(gru_cell);
            RnnTanhCell "aten.rnn_tanh_cell.default" "(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor" Composite [no_wide_unsigned] meta(cell) decompose(rnn_tanh_cell);
            RnnReluCell "aten.rnn_relu_cell.default" "(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor" Composite [no_wide_unsigned] meta(cell) decompose(rnn_relu_cell);
        ] }
    };
}
pub(crate) use recurrence_rows;
