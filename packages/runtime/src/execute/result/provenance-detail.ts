import type { ProvenanceDetail } from '../../contract/executor.js'
import type { JsonValue } from '../../contract/json.js'
import { peek } from '../failure/peek.js'
import { plainJson } from '../failure/plain-json.js'

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
