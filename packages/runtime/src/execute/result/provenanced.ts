import type { ProvenanceDetail } from '../../contract/executor.js'

/** Marks what {@link provenanced} made; a symbol, because no service can send one, registered for copies of the package. */
const MARK: unique symbol = Symbol.for('toolgen.provenanced') as never

/** A result with what its executor knows about where it comes from. */
export interface Provenanced<Value = unknown> {
  readonly [MARK]: true
  readonly value: Value
  readonly detail: ProvenanceDetail
}

/**
 * Adds to the provenance of a call. An executor, a method or a mapper returns it in place of the bare result, or throws it
 * in place of the bare error: a failed call then keeps these facts, and the error inside is classified as always. Around
 * another one, the outer detail counts. The detail is copied; parts that are not JSON are left out.
 *
 * @example
 * return provenanced(order, { service: 'orders-v2', extra: { cache: 'hit' } })
 *
 * @example
 * throw provenanced(error, { model, extra: { promptTokens: 120, completionTokens: 0 } })
 */
export function provenanced<Value>(
  value: Value | Provenanced<Value>,
  detail: ProvenanceDetail = {},
): Provenanced<Value> {
  if (isProvenanced(value)) return provenanced(value.value, { ...value.detail, ...detail })
  return Object.freeze({ [MARK]: true, value, detail })
}

/** Whether an executor's answer came from {@link provenanced}. */
export function isProvenanced<Value>(answer: Value | Provenanced<Value>): answer is Provenanced<Value> {
  return typeof answer === 'object' && answer !== null && Object.hasOwn(answer, MARK)
}
