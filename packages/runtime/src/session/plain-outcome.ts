import { completedOutcome, failedOutcome, suspendedOutcome } from '../agent/suspension/outcome-schema.js'
import { storedOutcome } from '../agent/suspension/stored-outcome.js'
import { payloadCodec } from '../codec/payload-codec.js'
import { shallow } from '../codec/words/any.js'
import type { Codec } from '../contract/codec.js'
import type { ToolOutcome } from '../contract/outcome.js'
import type { StoredOutcome } from '../contract/suspension.js'
import { deepFreeze } from '../execute/binding/deep-freeze.js'
import { brokenCall } from '../execute/call/broken-call.js'
import type { ServedTool, ToolTable } from '../execute/call/tool-table.js'

/**
 * An outcome as plain data, frozen, that can be stored and read again: what layers put into it or still hold of it does no
 * harm. One that is none becomes a failure.
 *
 * @param served the tool that was called
 */
export function plainOutcome(table: ToolTable, outcome: ToolOutcome, { isLayered }: ServedTool): StoredOutcome {
  try {
    const stored = storedOutcome(table, outcome)
    return !isLayered && isOwn(outcome) ? Object.freeze(stored) : checked(stored)
  } catch (error) {
    return Object.freeze(storedOutcome(table, brokenCall(outcome.call, '', error)))
  }
}

/** Whether an outcome that no layer has touched has no parts from elsewhere either. */
function isOwn({ status, provenance }: ToolOutcome): boolean {
  const { extra, children, durationMs } = provenance
  return status !== 'suspended' && extra === undefined && children === undefined && Number.isFinite(durationMs)
}

/** A copy that is what stored outcomes are. @throws where the outcome is no JSON, or none of a call. */
function checked(outcome: StoredOutcome): StoredOutcome {
  const { provenance } = outcome
  // A clock of the application's own may say anything; what a call cost is no reason to lose its result.
  const cost = { durationMs: amount(provenance.durationMs), attempts: amount(provenance.attempts) }
  const copy: unknown = JSON.parse(JSON.stringify({ ...outcome, provenance: { ...provenance, ...cost } }))
  if (!shallow(copy)) throw new TypeError('the outcome is nested too deep to be stored')
  const decoded = outcomeCodec().decodeValue(copy)
  if (!decoded.ok) throw new TypeError(`a layer answered with no outcome: ${decoded.issues[0]?.path}`)
  return deepFreeze(decoded.value)
}

function amount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0
}

let codec: Codec<never, StoredOutcome> | undefined

/** Made when a layered tool of a session ends for the first time. */
function outcomeCodec(): Codec<never, StoredOutcome> {
  // A run beneath is read when it is resumed.
  const schema = { anyOf: [completedOutcome, failedOutcome, suspendedOutcome({ type: 'object' })] }
  codec ??= payloadCodec({ schema, unknown: 'keep' })
  return codec
}
