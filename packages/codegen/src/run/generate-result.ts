import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { OutputOutcome } from '../write/write-output.js'
import type { DesignCounts } from './count-design.js'

/** What a run did. Paths are below the output folder, sorted. */
export interface GenerateResult {
  /** False when there were errors; then nothing on disk has changed. */
  readonly ok: boolean
  readonly diagnostics: readonly Diagnostic[]
  /** The folder to which the diagnostics' places are relative: absolute. */
  readonly root: string
  /** The output folder, relative to the root; empty when the configuration could not be read. */
  readonly output: string
  /** True when the run succeeded and wrote and removed nothing, the lock included. */
  readonly upToDate: boolean
  /** True when nothing had changed since the last run, so that neither the design nor any type was read. */
  readonly recalled: boolean
  readonly written: readonly string[]
  readonly removed: readonly string[]
  readonly unchanged: readonly string[]
  readonly counts: DesignCounts
}

/** Of which project a run was. */
export type RunPlace = Pick<GenerateResult, 'root' | 'output'>

/** The result of a run that came to writing. */
export function writtenResult(
  { root, output }: RunPlace,
  counts: DesignCounts,
  found: readonly Diagnostic[],
  { written, removed, unchanged, lockWritten, ...outcome }: OutputOutcome,
): GenerateResult {
  const diagnostics = [...found, ...outcome.diagnostics]
  const ok = !diagnostics.some(({ severity }) => severity === 'error')
  const upToDate = ok && written.length + removed.length === 0 && !lockWritten
  return { ok, diagnostics, root, output, upToDate, recalled: false, written, removed, unchanged, counts }
}

/** The result of a run that errors kept from writing. */
export function failedResult({ root, output }: RunPlace, diagnostics: readonly Diagnostic[]): GenerateResult {
  const counts = { toolsets: 0, tools: 0, agents: 0 }
  const nothing = { written: [], removed: [], unchanged: [] }
  return { ok: false, diagnostics, root, output, upToDate: false, recalled: false, ...nothing, counts }
}
