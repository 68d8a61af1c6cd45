//! The decomposition rules, by family of operators; a row of the operator table names the function.
