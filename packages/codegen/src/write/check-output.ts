import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { type Disk, isDiskError } from './disk.js'
import { type Drift, driftOf } from './drift.js'
import { refused } from './output-diagnostics.js'
import { type PlannedOutput, readOutputState } from './output-state.js'

/** In what the disk differs from the plan; reads only. */
export function checkOutput(
  disk: Disk,
  planned: PlannedOutput,
): { readonly diagnostics: readonly Diagnostic[]; readonly drift: readonly Drift[] } {
  try {
    const reading = readOutputState(disk, planned, { replaceLock: false })
    if ('diagnostics' in reading) return { diagnostics: reading.diagnostics, drift: [] }
    return { diagnostics: [], drift: driftOf(planned.output, reading.state.verdicts) }
  } catch (error) {
    if (!isDiskError(error)) throw error
    return { diagnostics: [refused(planned.output, error)], drift: [] }
  }
}
