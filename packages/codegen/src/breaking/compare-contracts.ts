import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import { loadInstalled } from '../installed/load-installed.js'
import type { DesignIr } from '../ir/types.js'
import { lockText } from '../write/lock-text.js'
import { corruptBase, newerBase } from './base/base-diagnostics.js'
import { type Base, type BaseChoice, findBase } from './base/find-base.js'
import { changeDiagnostics } from './change-diagnostic.js'
import type { ContractChange } from './changes/change.js'
import { contractChanges } from './changes/contract-changes.js'
import { placesOf } from './changes/design-places.js'
import type { Contracts } from './contracts/contracts.js'
import { readContracts } from './contracts/read-contracts.js'
import { type RecordedCall, recordedCalls } from './recorded/cassettes.js'
import { recordedChanges } from './recorded/recorded-changes.js'

/** What a design is compared with, and what was recorded. */
export interface ComparisonChoice extends BaseChoice {
  /** A pattern of paths relative to the folder in which the command was started. */
  readonly cassettes?: string
}

/** How a design stands to what it was. */
export interface Comparison {
  readonly base: Pick<Base, 'kind' | 'shown'>
  readonly changes: readonly ContractChange[]
  readonly recorded: { readonly examples: number; readonly calls: number }
}

/** Compares the contracts of a design with those of a lock. */
export async function compareContracts(ir: DesignIr, choice: ComparisonChoice): Promise<Checked<Comparison>> {
  const calls = choice.cassettes === undefined ? noCalls : recordedCalls(choice.cassettes, choice)
  const base = await findBase(choice)
  const before = [...base.diagnostics, ...calls.diagnostics]
  if (base.value === undefined || calls.value === undefined) return { diagnostics: before }
  const { kind, shown, text } = base.value
  const reading = readContracts(text)
  if (reading.kind === 'newer') return { diagnostics: [newerBase(shown, reading.contract)] }
  if (reading.kind === 'corrupt') return { diagnostics: [corruptBase(shown, reading.reason)] }
  const sides = { was: reading.contracts, is: contractsOf(ir) }
  const places = placesOf(ir)
  const [payload, result] = await Promise.all([
    loadInstalled('@toolgen/runtime/codegen/v1', 'payloadCodec', choice.root),
    loadInstalled('@toolgen/runtime/codegen/v1', 'resultCodec', choice.root),
  ])
  const codecs = payload.value && result.value && { payload: payload.value, result: result.value }
  const isAsked = choice.cassettes !== undefined
  if (codecs === undefined) {
    const changes = contractChanges(sides.was, sides.is, places, undefined)
    const diagnostics = [...changeDiagnostics(changes), notDecoded(payload.diagnostics, isAsked)]
    return { value: { base: { kind, shown }, changes, recorded: { examples: 0, calls: 0 } }, diagnostics }
  }
  const { changes: refused, ...recorded } = recordedChanges({
    ...sides,
    calls: calls.value,
    payloadCodec: codecs.payload,
    places,
    root: choice.root,
  })
  const all = [...contractChanges(sides.was, sides.is, places, codecs), ...refused]
  return { value: { base: { kind, shown }, changes: all, recorded }, diagnostics: changeDiagnostics(all) }
}

const noCalls: Checked<readonly RecordedCall[]> = { value: [], diagnostics: [] }

/** The contracts of a design, by way of the lock that it would have: both sides are read alike. */
function contractsOf(ir: DesignIr): Contracts {
  const reading = readContracts(lockText(ir, []))
  if (reading.kind !== 'read') throw new TypeError('the lock of the design cannot be read')
  return reading.contracts
}

function notDecoded([why]: readonly Diagnostic[], isAsked: boolean): Diagnostic {
  return {
    code: 'TG0036',
    severity: isAsked ? 'error' : 'warning',
    message:
      'Recorded calls were not decoded, and no values were tried that show what changed: `@toolgen/runtime` cannot be loaded ' +
      'in the project.',
    next: 'Install it in the project: `npm install @toolgen/runtime`.',
    ...(why !== undefined && { related: [{ message: why.message }] }),
  }
}
