//! Linear algebra by factorisations: the routines of Litz's second library, and what is made of them.

macro_rules! linalg_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::creation_rows! { $callback [
            $($rows)*
            LinalgCholeskyEx "aten.linalg_cholesky_ex.default" "(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L, Tensor info)" Contraction [] meta(cholesky_ex) lower(cholesky_ex) grad(cholesky);
            LinalgSolveTriangular "aten.linalg_solve_triangular.default" "(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor" Contraction [] meta(solve_triangular) lower(solve_triangular) grad(solve_triangular);
            LinalgLuFactorEx "aten.linalg_lu_factor_ex.default" "(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor pivots, Tensor info)" Contraction [] meta(lu_factor_ex) lower(lu_factor_ex) grad(lu_factor);
            LinalgLuSolve "aten.linalg_lu_solve.default" "(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor" Contraction [] meta(lu_solve_linalg) lower(lu_solve) grad(lu_solve);
            LuPermutation "litz.lu_permutation.default" "(Tensor pivots, SymInt rows) -> Tensor" Contraction [] meta(lu_permutation) lower(lu_permutation);
            Geqrf "aten.geqrf.default" "(Tensor self) -> (Tensor a, Tensor tau)" Contraction [] meta(geqrf) lower(geqrf);
            LinalgHouseholderProduct "aten.linalg_householder_product.default" "(Tensor input, Tensor tau) -> Tensor" Contraction [] meta(householder_product) lower(householder_product) grad(householder_product);
            Ormqr "aten.ormqr.default" "(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> Tensor" Contraction [] meta(ormqr) lower(ormqr) grad(ormqr);
            ReflectGradient "litz.reflect_gradient.default" "(Tensor self, Tensor tau, Tensor other, Tensor grad, bool transposed) -> (Tensor by_factors, Tensor by_tau)" Contraction [] meta(reflect_gradient) lower(reflect_gradient) grad(reflect_gradient);
            LinalgLdlFactorEx "aten.linalg_ldl_factor_ex.default" "(Tensor self, *, bool hermitian=False, bool check_errors=False) -> (Tensor LD, Tensor pivots, Tensor info)" Contraction [] meta(ldl_factor_ex) lower(ldl_factor_ex);
            LinalgLdlFactor "aten.linalg_ldl_factor.default" "(Tensor self, *, bool hermitian=False) -> (Tensor LD, Tensor pivots)" Composite [] meta(ldl_factor) decompose(ldl_factor);
            LinalgLdlSolve "aten.linalg_ldl_solve.default" "(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor" Contraction [] meta(ldl_solve) lower(ldl_solve);
            LinalgLstsq "aten.linalg_lstsq.default" "(Tensor self, Tensor b, float? rcond=None, *, str? driver=None) -> (Tensor solution, Tensor residuals, Tensor rank, Tensor singular_values)" Composite [] meta(lstsq) decompose(lstsq);
            LinalgSvdParts "aten._linalg_svd.default" "(Tensor A, bool full_matrices=False, bool compute_uv=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)" Contraction [] meta(linalg_svd_parts) lower(linalg_svd) grad(svd);
            LinalgEighParts "aten._linalg_eigh.default" "(Tensor A, str UPLO='L', bool compute_v=True) -> (Tensor eigenvalues, Tensor eigenvectors)" Contraction [] meta(linalg_eigh_parts) lower(linalg_eigh) grad(eigh);
            GeneralEig "litz.eig.default" "(Tensor self, bool pairs, bool compute_v) -> (Tensor eigenvalues, Tensor eigenvectors)" Contraction [] meta(eig_parts) lower(eig) grad(eig);
            LinalgEig "aten.linalg_eig.default" "(Tensor self) -> (Tensor eigenvalues, Tensor eigenvectors)" Spectral [] meta(linalg_eig) none();
            LinalgEigvals "aten.linalg_eigvals.default" "(Tensor self) -> Tensor" Spectral [] meta(eigvals) none();
            UnderscoreLinalgEigvals "aten._linalg_eigvals.default" "(Tensor self) -> Tensor" Spectral [] meta(eigvals) none();
            LinalgMatrixExp "aten.linalg_matrix_exp.default" "(Tensor self) -> Tensor" Contraction [] meta(matrix_exp) lower(matrix_exp) grad(matrix_exp);
            LinalgCheckErrors "aten._linalg_check_errors.default" "(Tensor info, str api_name, *, bool is_matrix) -> ()" Effect [] meta(check_errors) lower(linalg_check_errors);
            LinalgCholesky "aten.linalg_cholesky.default" "(Tensor self, *, bool upper=False) -> Tensor" Composite [] meta(square_of_floats) decompose(linalg_cholesky);
            Cholesky "aten.cholesky.default" "(Tensor self, bool upper=False) -> Tensor" Composite [] meta(square_of_floats) decompose(linalg_cholesky);
            CholeskySolve "aten.cholesky_solve.default" "(Tensor self, Tensor input2, bool upper=False) -> Tensor" Composite [] meta(cholesky_solve) decompose(cholesky_solve) grad(cholesky_solve);
            CholeskyInverse "aten.cholesky_inverse.default" "(Tensor self, bool upper=False) -> Tensor" Composite [] meta(square_of_floats) decompose(cholesky_inverse) grad(cholesky_inverse);
            LinalgLuFactor "aten.linalg_lu_factor.default" "(Tensor A, *, bool pivot=True) -> (Tensor LU, Tensor pivots)" Composite [] meta(lu_factor) decompose(lu_factor);
            LuWithInfo "aten._lu_with_info.default" "(Tensor self, bool pivot=True, bool check_errors=True) -> (Tensor LU, Tensor pivots, Tensor info)" Composite [] meta(lu_with_info) decompose(lu_with_info);
            LinalgLu "aten.linalg_lu.default" "(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)" Composite [] meta(linalg_lu) decompose(linalg_lu);
            LuUnpack "aten.lu_unpack.default" "(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True) -> (Tensor P, Tensor L, Tensor U)" Composite [] meta(lu_unpack) decompose(lu_unpack);
            LuSolve "aten.lu_solve.default" "(Tensor self, Tensor LU_data, Tensor LU_pivots) -> Tensor" Composite [] meta(lu_solve_old) decompose(lu_solve_old);
            LinalgSolveParts "aten._linalg_solve_ex.default" "(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor LU, Tensor pivots, Tensor info)" Composite [] meta(solve_parts) decompose(solve_parts) grad(solve);
            LinalgSolveEx "aten.linalg_solve_ex.default" "(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor info)" Composite [] meta(solve_ex) decompose(solve_ex);
            LinalgSolve "aten.linalg_solve.default" "(Tensor A, Tensor B, *, bool left=True) -> Tensor" Composite [] meta(linalg_solve) decompose(linalg_solve);
            TriangularSolve "aten.triangular_solve.default" "(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False) -> (Tensor solution, Tensor cloned_coefficient)" Composite [] meta(triangular_solve) decompose(triangular_solve);
            LinalgInvEx "aten.linalg_inv_ex.default" "(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)" Composite [] meta(inv_ex) decompose(inv_ex);
            LinalgInv "aten.linalg_inv.default" "(Tensor A) -> Tensor" Composite [] meta(square_of_floats) decompose(inverse);
            Inverse "aten.inverse.default" "(Tensor self) -> Tensor" Composite [] meta(square_of_floats) decompose(inverse);
            LinalgDetParts "aten._linalg_det.default" "(Tensor A) -> (Tensor result, Tensor LU, Tensor pivots)" Composite [] meta(det_parts) decompose(det_parts) grad(det);
            LinalgDet "aten.linalg_det.default" "(Tensor A) -> Tensor" Composite [] meta(det) decompose(det);
            Det "aten.det.default" "(Tensor self) -> Tensor" Composite [] meta(det) decompose(det);
            LinalgSlogdetParts "aten._linalg_slogdet.default" "(Tensor A) -> (Tensor sign, Tensor logabsdet, Tensor LU, Tensor pivots)" Composite [] meta(slogdet_parts) decompose(slogdet_parts) grad(slogdet);
            LinalgSlogdet "aten.linalg_slogdet.default" "(Tensor A) -> (Tensor sign, Tensor logabsdet)" Composite [] meta(slogdet) decompose(slogdet);
            Slogdet "aten.slogdet.default" "(Tensor self) -> (Tensor sign, Tensor logabsdet)" Composite [] meta(slogdet) decompose(slogdet);
            Logdet "aten.logdet.default" "(Tensor self) -> Tensor" Composite [] meta(det) decompose(logdet);
            LinalgQr "aten.linalg_qr.default" "(Tensor A, str mode='reduced') -> (Tensor Q, Tensor R)" Composite [] meta(linalg_qr) decompose(linalg_qr) grad(qr);
            Qr "aten.qr.default" "(Tensor self, bool some=True) -> (Tensor Q, Tensor R)" Composite [] meta(qr) decompose(qr);
            Orgqr "aten.orgqr.default" "(Tensor self, Tensor input2) -> Tensor" Composite [] meta(orgqr) decompose(orgqr);
            LinalgSvd "aten.linalg_svd.default" "(Tensor A, bool full_matrices=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)" Composite [] meta(linalg_svd) decompose(linalg_svd);
            LinalgSvdvals "aten.linalg_svdvals.default" "(Tensor A, *, str? driver=None) -> Tensor" Composite [] meta(svdvals) decompose(svdvals);
            Svd "aten.svd.default" "(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor V)" Composite [] meta(svd) decompose(svd);
            LinalgEigh "aten.linalg_eigh.default" "(Tensor self, str UPLO='L') -> (Tensor eigenvalues, Tensor eigenvectors)" Composite [] meta(linalg_eigh) decompose(linalg_eigh);
            LinalgEigvalsh "aten.linalg_eigvalsh.default" "(Tensor self, str UPLO='L') -> Tensor" Composite [] meta(eigvalsh) decompose(eigvalsh);
            MatrixExp "aten.matrix_exp.default" "(Tensor self) -> Tensor" Composite [] meta(matrix_exp) decompose(matrix_exp);
            LinalgMatrixRank "aten.linalg_matrix_rank.default" "(Tensor self, float tol, bool hermitian=False) -> Tensor" Composite [] meta(matrix_rank) decompose(matrix_rank);
            LinalgMatrixRankTolTensor "aten.linalg_matrix_rank.tol_tensor" "(Tensor input, Tensor tol, bool hermitian=False) -> Tensor" Composite [] meta(matrix_rank) decompose(matrix_rank);
            LinalgMatrixRankTensor "aten.linalg_matrix_rank.atol_rtol_tensor" "(Tensor input, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor" Composite [] meta(matrix_rank) decompose(matrix_rank);
            LinalgMatrixRankFloat "aten.linalg_matrix_rank.atol_rtol_float" "(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor" Composite [] meta(matrix_rank) decompose(matrix_rank);
            LinalgPinv "aten.linalg_pinv.default" "(Tensor self, float rcond, bool hermitian=False) -> Tensor" Composite [] meta(pinv) decompose(pinv) grad(pinv);
            LinalgPinvRcondTensor "aten.linalg_pinv.rcond_tensor" "(Tensor self, Tensor rcond, bool hermitian=False) -> Tensor" Composite [] meta(pinv) decompose(pinv) grad(pinv);
            LinalgPinvTensor "aten.linalg_pinv.atol_rtol_tensor" "(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor" Composite [] meta(pinv) decompose(pinv) grad(pinv);
            LinalgPinvFloat "aten.linalg_pinv.atol_rtol_float" "(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor" Composite [] meta(pinv) decompose(pinv) grad(pinv);
            Pinverse "aten.pinverse.default" "(Tensor self, float rcond=1e-15) -> Tensor" Composite [] meta(pinv) decompose(pinv) grad(pinv);
            LinalgCond "aten.linalg_cond.default" "(Tensor self, Scalar? p=None) -> Tensor" Composite [] meta(condition) decompose(condition);
            LinalgCondStr "aten.linalg_cond.p_str" "(Tensor self, str p) -> Tensor" Composite [] meta(condition) decompose(condition);
            LinalgTensorinv "aten.linalg_tensorinv.default" "(Tensor self, int ind=2) -> Tensor" Composite [] meta(tensorinv) decompose(tensorinv);
            LinalgTensorsolve "aten.linalg_tensorsolve.default" "(Tensor self, Tensor other, int[]? dims=None) -> Tensor" Composite [] meta(tensorsolve) decompose(tensorsolve);
            LinalgPolar "aten.linalg_polar.default" "(Tensor A) -> (Tensor U, Tensor H)" Composite [] meta(linalg_polar) decompose(linalg_polar) grad(polar);
            LinalgMatrixSqrth "aten.linalg_matrix_sqrth.default" "(Tensor self) -> Tensor" Composite [] meta(matrix_sqrth) decompose(matrix_sqrth) grad(matrix_sqrth);
            NuclearNorm "aten.nuclear_norm.default" "(Tensor self, bool keepdim=False) -> Tensor" Composite [] meta(nuclear_norm) decompose(nuclear_norm);
            NuclearNormDim "aten.nuclear_norm.dim" "(Tensor self, int[2] dim, bool keepdim=False) -> Tensor" Composite [] meta(nuclear_norm) decompose(nuclear_norm);
        ] }
    };
}
pub(crate) use linalg_rows;
