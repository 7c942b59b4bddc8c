import { join, resolve } from 'node:path'
import process from 'node:process'
import { Worker } from 'node:worker_threads'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { elementAt } from '../ir/names.js'
import type { DesignCounts } from '../ir/types.js'
import { configNames } from '../load/toolgen-config.js'
import { type EmittedFile, hashOf, type PlannedOutput } from '../output/files.js'
import { lockPath } from '../output/lock.js'
import { writeOutput } from '../output/output.js'
import { failedResult, type GenerateResult, writtenResult } from '../plan-output.js'
import {
  type Evaluated,
  failedInBackground,
  overdue,
  type ProjectOptions,
  type ProjectReading,
  rootOf,
  unfinished,
} from '../project.js'
import { Changes, modulesBelow, searchedFolders, WatchedState } from './changes.js'

/** Options of {@link watchProject}. */
interface WatchOptions extends Pick<ProjectOptions, 'cwd' | 'config'> {
  /** Also overwrite generated files that were changed by hand, in every run. */
  readonly force: boolean
  /** Time limit for evaluating configuration and design, in milliseconds. */
  readonly timeLimit: number
  /** Ends the watching; what is being written is written to its end. */
  readonly signal: AbortSignal
  /** Called after each run. */
  readonly onRun: (run: WatchRun) => void
}

/** One run of a watched project. */
interface WatchRun {
  readonly result: GenerateResult
  /** Changed absolute paths, sorted; empty before the first run. */
  readonly changed: readonly string[]
  readonly milliseconds: number
}

/**
 * Generates, and again after each change of anything that the last run read, searched or wrote, until the signal comes.
 * Changes during a run lead to one more run. Errors of the configuration or design do not end the watching.
 *
 * @throws an error of the disk if the operating system cannot watch the folders
 */
export async function watchProject(options: WatchOptions): Promise<void> {
  const { cwd, config, signal, timeLimit } = options
  const state = new WatchedState()
  const changes = new Changes(state)
  const planner = new Planner({ cwd, ...(config !== undefined && { config }) }, timeLimit)
  const end = (): void => void planner.end()
  signal.addEventListener('abort', end, { once: true })
  let last: WatchPlan = { diagnostics: [], root: rootOf(options), read: [], repeatable: 'yes', installed: [] }
  try {
    for (let changed: readonly string[] = []; !signal.aborted; changed = await changes.next(signal)) {
      const startedAt = Date.now()
      const started = performance.now()
      if (changed.some((path) => last.installed.includes(path))) await planner.renew()
      const outcome = await planner.plan()
      if (outcome.kind === 'ended') break
      last = outcome.kind === 'planned' ? outcome.plan : failedPlan(last, outcome.diagnostic)
      learn(state, last, options, startedAt)
      changes.watch()
      const result = await write(last, options.force, state)
      changes.watch()
      const milliseconds = Math.round(performance.now() - started)
      options.onRun({ result, changed: [...changed].sort(), milliseconds })
    }
  } finally {
    signal.removeEventListener('abort', end)
    changes.close()
    await planner.end()
  }
}

/** Returns the plan of a run without a result: its dependencies are unknown, so any module below the root can be one. */
function failedPlan({ planned: _, ...last }: WatchPlan, diagnostic: Diagnostic): WatchPlan {
  return { ...last, diagnostics: [diagnostic], read: [...new Set([...last.read, ...modulesBelow(last.root)])] }
}

/** After a run that failed, any new module below the root can be the missing one. */
function learn(state: WatchedState, plan: WatchPlan, { cwd, config }: WatchOptions, startedAt: number): void {
  const { root, read, installed, planned } = plan
  const { output = '', patterns = [] } = plan.config ?? {}
  const configs = (config === undefined ? configNames : [config]).map((name) => resolve(cwd, name))
  const folders = searchedFolders({
    root,
    patterns: planned === undefined ? [...patterns, '**/*'] : patterns,
    output,
    modules: [...read, ...configs],
  })
  const outputFolder = output === '' ? '' : join(root, output)
  state.learn({ files: [...read, ...installed, ...configs], folders, outputFolder }, startedAt)
}

async function write(plan: WatchPlan, force: boolean, state: WatchedState): Promise<GenerateResult> {
  const { planned, counts, diagnostics, root } = plan
  if (planned === undefined || counts === undefined) return failedResult(plan, diagnostics)
  const files = [...planned.files, { path: lockPath, text: planned.lock }]
  const marks = new Map(files.map((file) => [join(root, planned.output.shown, file.path), hashOf(file)] as const))
  const outcome = await writeOutput(planned, { force, differs: state.differs(marks) })
  const result = writtenResult(plan, counts, diagnostics, outcome)
  state.leave(marks, { isWritten: result.ok })
  return result
}

type PlannerOutcome =
  | { readonly kind: 'planned'; readonly plan: WatchPlan }
  /** The evaluated code, or a defect of this package, prevented a result. */
  | { readonly kind: 'failed'; readonly diagnostic: Diagnostic }
  | { readonly kind: 'ended' }

interface Thread {
  readonly worker: Worker
  readonly sent: SentPlans
  /** Settles the current plan. */
  settle?: (outcome: PlannerOutcome) => void
  evaluates: Evaluated
  timer?: NodeJS.Timeout
}

/**
 * Plans a project again and again, one plan at a time, in a thread that keeps its caches. Whatever the design does (loops,
 * ends its process, throws in the background, waits for ever) ends only that thread; the next plan gets a new one.
 */
class Planner {
  readonly #project: PlannedProject
  /** For evaluating configuration and design, in milliseconds. */
  readonly #timeLimit: number
  #thread: Thread | undefined
  #ended = false

  constructor(project: PlannedProject, timeLimit: number) {
    this.#project = project
    this.#timeLimit = timeLimit
  }

  async plan(): Promise<PlannerOutcome> {
    if (this.#ended) return { kind: 'ended' }
    const thread = this.#thread ?? this.#start()
    this.#thread = thread
    const outcome = await new Promise<PlannerOutcome>((resolve) => {
      thread.settle = resolve
      thread.worker.postMessage('plan')
    })
    if (outcome.kind !== 'planned' || outcome.plan.repeatable === 'yes') return outcome
    await this.renew()
    return outcome.plan.repeatable === 'stale' ? this.plan() : outcome
  }

  /** Ends the thread, and with it all caches. */
  async renew(): Promise<void> {
    if (this.#thread !== undefined) await this.#stop(this.#thread, { kind: 'ended' })
  }

  async end(): Promise<void> {
    this.#ended = true
    await this.renew()
  }

  #start(): Thread {
    const worker = new Worker(new URL('./planner-thread.js', import.meta.url), {
      workerData: this.#project,
      stdout: true,
    })
    // Standard output is for data alone.
    worker.stdout.on('data', (text: Uint8Array) => void process.stderr.write(text))
    const thread: Thread = { worker, sent: new SentPlans(), evaluates: 'configuration' }
    const fail = (diagnostic: Diagnostic): void => void this.#stop(thread, { kind: 'failed', diagnostic })
    worker.on('message', (message: PlannerMessage) => {
      clearTimeout(thread.timer)
      if (message.kind === 'evaluates') {
        thread.evaluates = message.what
        thread.timer = setTimeout(() => fail(overdue(message.what, this.#timeLimit)), this.#timeLimit)
      }
      if (message.kind === 'planned') this.#settle(thread, { kind: 'planned', plan: thread.sent.unpack(message.plan) })
      if (message.kind === 'broken') fail(message.diagnostic)
    })
    worker.on('error', (error) => fail(failedInBackground(error, thread.evaluates)))
    worker.on('exit', () => fail(unfinished(thread.evaluates)))
    return thread
  }

  /** The first outcome counts. */
  #settle(thread: Thread, outcome: PlannerOutcome): void {
    clearTimeout(thread.timer)
    thread.settle?.(outcome)
    delete thread.settle
  }

  async #stop(thread: Thread, outcome: PlannerOutcome): Promise<void> {
    if (this.#thread === thread) this.#thread = undefined
    this.#settle(thread, outcome)
    await thread.worker.terminate()
  }
}

/** Project of a planning thread. */
export type PlannedProject = Pick<ProjectOptions, 'cwd' | 'config'>

/** Messages of a planning thread: progress, then the plan or an internal error. */
export type PlannerMessage =
  | { readonly kind: 'evaluates'; readonly what: Evaluated }
  | { readonly kind: 'evaluated' }
  | { readonly kind: 'planned'; readonly plan: SentPlan }
  | { readonly kind: 'broken'; readonly diagnostic: Diagnostic }

/** Files that a run would write, and its dependencies. */
export interface WatchPlan extends Pick<ProjectReading, 'repeatable'> {
  readonly diagnostics: readonly Diagnostic[]
  /** The folder to which the diagnostics' places are relative: absolute. */
  readonly root: string
  /** Absent where the configuration has errors. */
  readonly config?: { readonly output: string; readonly patterns: readonly string[] }
  /** Absent after an error. */
  readonly planned?: PlannedOutput
  readonly counts?: DesignCounts
  /** The files on which the plan depends, also those that are not there: absolute. */
  readonly read: readonly string[]
  /** The files that tell what is installed and how modules are resolved; only a new thread sees their changes. */
  readonly installed: readonly string[]
}

/** A plan for another thread: a file of the previous plan is sent as its index there. */
interface SentPlan extends Omit<WatchPlan, 'planned'> {
  readonly planned?: Omit<PlannedOutput, 'files'> & { readonly files: readonly (EmittedFile | number)[] }
}

/**
 * The sender or the receiver of plans. Unchanged files are not sent again, and stay the same objects for the receiver. Each
 * instance is for one direction, and processes every plan.
 */
export class SentPlans {
  #files: readonly EmittedFile[] = []

  pack({ planned, ...plan }: WatchPlan): SentPlan {
    if (planned === undefined) return plan
    const indexes = new Map(this.#files.map(({ path }, index) => [path, index] as const))
    const files = planned.files.map((file) => {
      const index = indexes.get(file.path)
      return index !== undefined && this.#files[index]?.text === file.text ? index : file
    })
    this.#files = planned.files
    return { ...plan, planned: { ...planned, files } }
  }

  unpack({ planned, ...plan }: SentPlan): WatchPlan {
    if (planned === undefined) return plan
    this.#files = planned.files.map((file) => (typeof file === 'number' ? elementAt(this.#files, file) : file))
    return { ...plan, planned: { ...planned, files: this.#files } }
  }
}
