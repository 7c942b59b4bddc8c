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
 * Adds to the provenance of a result; returned by an executor, a method or a mapper in place of the bare value. Around
 * another one, what is said later counts. The detail is copied; parts that are no JSON are left out.
 *
 * @example
 * return provenanced(order, { service: 'orders-v2', extra: { cache: 'hit' } })
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
