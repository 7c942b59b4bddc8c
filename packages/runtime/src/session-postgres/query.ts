/**
 * Runs one statement with its values (`$1`, `$2`, ...) and resolves when it is committed, or rejects: what a `Pool` or a
 * `Client` of pg and a PGlite database offer. The store needs no transaction over several statements, so each may run on
 * another connection of a pool.
 *
 * @example
 * const query: Query = (text, values) => pool.query(text, values)
 */
export type Query = (text: string, values: unknown[]) => Promise<{ readonly rows: readonly unknown[] }>
