import type { ToolCallRef } from '../../contract/call.js'
import type { ProvenanceDetail, ToolExecutor } from '../../contract/executor.js'
import type { JsonValue } from '../../contract/json.js'
import type { Mutable } from '../../contract/mutable.js'
import type { Provenance } from '../../contract/outcome.js'
import { peek } from '../failure/peek.js'
import { plainJson } from '../failure/plain-json.js'

/** The facts of a call that its executor knows, and that hold however the call ends. */
export interface CallDetail extends ProvenanceDetail {
  /** The calls of the run that serves the call. */
  readonly children?: readonly ToolCallRef[]
}

/** The cost of a call so far, and what its executor said about it. */
export interface CallCost extends Pick<Provenance, 'durationMs' | 'attempts'> {
  readonly detail?: CallDetail | undefined
}

/**
 * The provenance of a call: one form for completed, failed and suspended calls.
 *
 * @param executor names the service, unless the detail does; absent for an unknown tool
 */
export function callProvenance(
  tool: string,
  executor: ToolExecutor | undefined,
  { durationMs, attempts, detail }: CallCost,
): Provenance {
  const provenance: Mutable<Provenance> = { tool, durationMs, attempts }
  const service = peek(executor, 'service')
  if (typeof service === 'string') provenance.service = service
  // Not by a spread: most calls have no detail.
  if (detail !== undefined) Object.assign(provenance, detail)
  return Object.freeze(provenance)
}

const TOKENS = ['promptTokens', 'completionTokens'] as const

/** The cost of an attempt that stays part of the call when it is tried again: nested calls and tokens. */
export function spentIn(detail: CallDetail | undefined): CallDetail | undefined {
  const { children, extra = {} } = detail ?? {}
  const tokens = TOKENS.flatMap((name) => (typeof extra[name] === 'number' ? [[name, extra[name]] as const] : []))
  if (children === undefined && tokens.length === 0) return undefined
  return {
    ...(children !== undefined && { children }),
    ...(tokens.length > 0 && { extra: Object.fromEntries(tokens) }),
  }
}

/** The facts of an attempt with the cost of those before it. */
export function withSpent(before: CallDetail, { children, extra, ...rest }: CallDetail = {}): CallDetail {
  const tokens = TOKENS.flatMap((name) => {
    const counts = [before.extra?.[name], extra?.[name]].filter((count) => typeof count === 'number')
    return counts.length === 0 ? [] : [[name, counts.reduce((sum, count) => sum + count, 0)] as const]
  })
  const calls = [...(before.children ?? []), ...(children ?? [])]
  return {
    ...((before.children ?? children) !== undefined && { children: calls }),
    ...rest,
    ...((extra !== undefined || tokens.length > 0) && { extra: { ...extra, ...Object.fromEntries(tokens) } }),
  }
}

/**
 * What an executor added to the provenance, as plain data that the outcome owns. A result is worth more than what is
 * said about it: a part that JSON cannot carry is left out, and the call completes.
 */
export function provenanceDetail(detail: unknown): ProvenanceDetail {
  const model = peek(detail, 'model')
  const service = peek(detail, 'service')
  const extra = extraOf(peek(detail, 'extra'))
  return {
    ...(typeof model === 'string' && { model }),
    ...(typeof service === 'string' && { service }),
    ...(extra !== undefined && { extra }),
  }
}

function extraOf(given: unknown): Readonly<Record<string, JsonValue>> | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined
  try {
    const entries = Object.entries(given).flatMap(([name, part]) => {
      const value = plainJson(part)
      return value === undefined ? [] : [[name, value] as const]
    })
    return Object.fromEntries(entries)
  } catch {
    // What cannot be read tells nothing.
    return undefined
  }
}
