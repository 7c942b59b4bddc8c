import { join, resolve } from 'node:path'
import { configNames } from '../config/find-config.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { ProjectChoice } from '../run/compile-project.js'
import { rootOf } from '../run/compile-project.js'
import { failedResult, type GenerateResult, writtenResult } from '../run/generate-result.js'
import { nodeDisk } from '../write/disk.js'
import { hashOf } from '../write/file.js'
import { lockPath } from '../write/lock-text.js'
import { thisRun } from '../write/run-identity.js'
import { writeOutput } from '../write/write-output.js'
import { Changes } from './changes.js'
import { Planner } from './planner.js'
import type { WatchPlan } from './planner-messages.js'
import { modulesBelow, searchedFolders } from './watched-folders.js'
import { WatchedState } from './watched-state.js'

/** What {@link watchProject} can be told. */
export interface WatchOptions extends Pick<ProjectChoice, 'cwd' | 'config'> {
  /** Also overwrite generated files that were changed by hand, in every run. */
  readonly force: boolean
  /** How long the configuration and the design may take to evaluate, in milliseconds. */
  readonly timeLimit: number
  /** Ends the watching; what is being written is written to its end. */
  readonly signal: AbortSignal
  /** Told of each run when it is over. */
  readonly onRun: (run: WatchRun) => void
}

/** One run of a watched project. */
export interface WatchRun {
  readonly result: GenerateResult
  /** What changed before it: absolute, sorted; nothing before the first run. */
  readonly changed: readonly string[]
  readonly milliseconds: number
}

/**
 * Generates, and again after each change of anything that the last run read, searched or wrote, until the signal comes.
 * Runs follow each other: whatever changes during a run makes one more. A configuration or design with errors is waited
 * upon like any other.
 *
 * @throws an error of the disk where the operating system cannot watch the folders
 */
export async function watchProject(options: WatchOptions): Promise<void> {
  const { cwd, config, signal, timeLimit } = options
  const state = new WatchedState()
  const changes = new Changes(state)
  const planner = new Planner({ project: { cwd, ...(config !== undefined && { config }) }, timeLimit })
  const end = (): void => void planner.end()
  signal.addEventListener('abort', end, { once: true })
  let last: WatchPlan = { diagnostics: [], root: rootOf(options), read: [], repeatable: 'yes', installed: [] }
  try {
    for (let changed: readonly string[] = []; !signal.aborted; changed = await changes.next(signal)) {
      const started = { at: Date.now(), ticks: performance.now() }
      const installed = new Set(last.installed)
      if (changed.some((path) => installed.has(path))) await planner.renew()
      const answer = await planner.plan()
      if (answer.kind === 'ended') break
      last = answer.kind === 'planned' ? answer.plan : withoutAnswer(last, answer.diagnostic)
      learn(state, last, options, started.at)
      changes.listen()
      const result = await write(last, options.force, state)
      changes.listen()
      const milliseconds = Math.round(performance.now() - started.ticks)
      options.onRun({ result, changed: [...changed].sort(), milliseconds })
    }
  } finally {
    signal.removeEventListener('abort', end)
    changes.close()
    await planner.end()
  }
}

/** What is known where the planner was cut off: nobody told what it read, so it may be any module below the root. */
function withoutAnswer({ planned: _, ...last }: WatchPlan, diagnostic: Diagnostic): WatchPlan {
  return { ...last, diagnostics: [diagnostic], read: [...new Set([...last.read, ...modulesBelow(last.root)])] }
}

/** After a run that failed, any module below the root can be what is missing. */
function learn(state: WatchedState, plan: WatchPlan, { cwd, config }: WatchOptions, startedAt: number): void {
  const { root, read, installed, planned } = plan
  const output = plan.config?.output ?? ''
  const patterns = [...(plan.config?.patterns ?? []), ...(planned === undefined ? ['**/*'] : [])]
  const configs = config === undefined ? configNames : [config]
  const named = configs.map((name) => resolve(cwd, name))
  const files = [...read, ...installed, ...named]
  const folders = searchedFolders({ root, patterns, output, modules: [...read, ...named] })
  state.learn({ files, folders, outputFolder: output === '' ? '' : join(root, output) }, startedAt)
}

async function write(plan: WatchPlan, force: boolean, state: WatchedState): Promise<GenerateResult> {
  const { planned, counts, diagnostics, root } = plan
  const place = { root, output: plan.config?.output ?? '' }
  if (planned === undefined || counts === undefined) return failedResult(place, diagnostics)
  const marks = new Map(
    [...planned.files, { path: lockPath, text: planned.lock }].map(
      (file) => [join(root, place.output, file.path), hashOf(file)] as const,
    ),
  )
  const outcome = await writeOutput({ disk: nodeDisk, run: thisRun() }, planned, {
    force,
    differs: state.differs(marks),
  })
  const result = writtenResult(place, counts, diagnostics, outcome)
  state.leave(marks, { isWritten: result.ok })
  return result
}
