//! Linear algebra by factorisations: the routines of Litz's second library, and what is made of them.

macro_rules! linalg_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::creation_rows! { $callback [
            $($rows)*
            LinalgCholeskyEx "aten.linalg_cholesky_ex.default" "(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L, Tensor info)" Contraction [] meta(cholesky_ex) lower(cholesky_ex);
            LinalgSolveTriangular "aten.linalg_solve_triangular.default" "(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor" Contraction [] meta(solve_triangular) lower(solve_triangular);
            LinalgLuFactorEx "aten.linalg_lu_factor_ex.default" "(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor pivots, Tensor info)" Contraction [] meta(lu_factor_ex) lower(lu_factor_ex);
            LinalgLuSolve "aten.linalg_lu_solve.default" "(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor" Contraction [] meta(lu_solve_linalg) lower(lu_solve);
            LuPermutation "litz.lu_permutation.default" "(Tensor pivots, SymInt rows) -> Tensor" Contraction [] meta(lu_permutation) lower(lu_permutation);
            Geqrf "aten.geqrf.default" "(Tensor self) -> (Tensor a, Tensor tau)" Contraction [] meta(geqrf) lower(geqrf);
            LinalgHouseholderProduct "aten.linalg_householder_product.default" "(Tensor input, Tensor tau) -> Tensor" Contraction [] meta(householder_product) lower(householder_product);
            Ormqr "aten.ormqr.default" "(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> Tensor" Contraction [] meta(ormqr) lower(ormqr);
            LinalgSvdParts "aten._linalg_svd.default" "(Tensor A, bool full_matrices=False, bool compute_uv=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)" Contraction [] meta(linalg_svd_parts) lower(linalg_svd);
            LinalgEighParts "aten._linalg_eigh.default" "(Tensor A, str UPLO='L', bool compute_v=True) -> (Tensor eigenvalues, Tensor eigenvectors)" Contraction [] meta(linalg_eigh_parts) lower(linalg_eigh);
            LinalgMatrixExp "aten.linalg_matrix_exp.default" "(Tensor self) -> Tensor" Contraction [] meta(matrix_exp) lower(matrix_exp);
            LinalgCheckErrors "aten._linalg_check_errors.default" "(Tensor info, str api_name, *, bool is_matrix) -> ()" Effect [] meta(check_errors) lower(linalg_check_errors);
        ] }
    };
}
pub(crate) use linalg_rows;
