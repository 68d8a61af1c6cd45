//! Where the elements of a strided tensor lie, in the order of its sizes.
//!
//! Deliberately absent: whether these places lie in some memory. Those who read or write there check that.

/// The offsets of the elements, in elements.
pub fn offsets(shape: &[i64], strides: &[i64]) -> impl Iterator<Item = i64> {
    let count: usize = shape.iter().map(|size| (*size).max(0) as usize).product();
    let mut index = vec![0i64; shape.len()];
    (0..count).map(move |_| {
        let offset = index.iter().zip(strides).map(|(i, stride)| i * stride).sum();
        for k in (0..index.len()).rev() {
            index[k] += 1;
            if index[k] < shape[k] {
                break;
            }
            index[k] = 0;
        }
        offset
    })
}

#[cfg(test)]
mod tests {
    use super::offsets;

    #[test]
    fn elements_come_in_the_order_of_sizes() {
        assert_eq!(offsets(&[2, 3], &[1, 2]).collect::<Vec<_>>(), [0, 2, 4, 1, 3, 5]);
        assert_eq!(offsets(&[2, 2], &[0, 1]).collect::<Vec<_>>(), [0, 1, 0, 1]);
        assert_eq!(offsets(&[], &[]).collect::<Vec<_>>(), [0]);
        assert_eq!(offsets(&[2, 0], &[1, 1]).count(), 0);
    }
}
