import type { Mutable } from '../../contract/mutable.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import type { StoredOutcome } from '../../contract/suspension.js'
import type { ToolTable } from '../../execute/call/tool-table.js'
import { restoredError } from '../../execute/hint/tool-error.js'
import { acknowledgedOutcome } from '../../execute/result/acknowledged-outcome.js'
import { SuspensionError } from './suspension-error.js'

type Completed = Extract<StoredOutcome, { readonly status: 'completed' }>

/** An outcome as plain data. */
export function storedOutcome(table: Pick<ToolTable, 'find'>, outcome: ToolOutcome): StoredOutcome {
  const { call, provenance } = outcome
  switch (outcome.status) {
    case 'completed': {
      const { json, acknowledgement } = outcome
      const stored: Mutable<Completed> = { call, provenance, status: 'completed', json }
      if (acknowledgement !== undefined) return { ...stored, acknowledgement }
      const encoded = table.find(call.tool)?.tool.result.encodeValue(outcome.result.data)
      if (encoded?.ok && encoded.json !== json) stored.data = encoded.json
      return stored
    }
    case 'failed': {
      const { reason, message } = outcome.error
      return { call, provenance, status: 'failed', error: { reason, message }, hint: outcome.hint }
    }
    case 'suspended':
      return { call, provenance, status: 'suspended', suspension: outcome.suspension }
  }
}

/**
 * The outcome that was stored.
 *
 * @throws {SuspensionError} when a result does not fit its tool any more.
 */
export function restoredOutcome(table: ToolTable, stored: StoredOutcome): ToolOutcome {
  if (stored.status === 'failed') {
    return Object.freeze({ ...stored, error: restoredError(stored.error, stored.hint) })
  }
  if (stored.status === 'suspended') return Object.freeze({ ...stored })
  const { call, provenance, json, acknowledgement } = stored
  if (acknowledgement !== undefined) return acknowledgedOutcome(call, provenance, acknowledgement)
  const result = Object.freeze({ data: dataOf(table, stored), provenance })
  return Object.freeze({ call, provenance, status: 'completed', result, json })
}

function dataOf(table: ToolTable, { call, json, data = json }: Completed): unknown {
  const tool = table.find(call.tool)?.tool
  const decoded = tool?.result.decode(data)
  if (decoded?.ok) return decoded.value
  if (tool === undefined) return plain(data, call.tool)
  throw new SuspensionError(
    'changed_result',
    `The result of the call '${call.toolCallId}' does not fit the tool '${call.tool}' any more.`,
    decoded?.ok === false ? decoded.issues : [],
  )
}

/** The result of a tool that there is no more. */
function plain(json: string, tool: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new SuspensionError('invalid_form', `The suspension holds a result of '${tool}' that is no JSON.`)
  }
}
