import { storedOutcome } from '../agent/suspension/stored-outcome.js'
import type { ToolOutcome } from '../contract/outcome.js'
import type { StoredOutcome } from '../contract/suspension.js'
import { deepFreeze } from '../execute/binding/deep-freeze.js'
import { brokenCall } from '../execute/call/broken-call.js'
import type { ToolTable } from '../execute/call/tool-table.js'

/** An outcome as plain data, frozen: what layers put into it or still hold of it does no harm. */
export function plainOutcome(table: ToolTable, outcome: ToolOutcome): StoredOutcome {
  try {
    const stored = storedOutcome(table, outcome)
    return isPlain(outcome) ? Object.freeze(stored) : copied(stored)
  } catch (error) {
    return Object.freeze(storedOutcome(table, brokenCall(outcome.call, '', error)))
  }
}

/** Whether an outcome is the pipeline's own, which layers have not replaced, without any parts from elsewhere. */
function isPlain(outcome: ToolOutcome): boolean {
  const { status, provenance } = outcome
  if (status === 'suspended' || !Object.isFrozen(outcome) || !Object.isFrozen(provenance)) return false
  return provenance.extra === undefined && provenance.children === undefined
}

/** @throws where the outcome is no JSON. */
function copied(outcome: StoredOutcome): StoredOutcome {
  return deepFreeze(JSON.parse(JSON.stringify(outcome)))
}
