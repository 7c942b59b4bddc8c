import { join, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { elementAt } from '../defined.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
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

interface WatchOptions extends Pick<ProjectOptions, 'cwd' | 'config'> {
  readonly force: boolean
  readonly timeLimit: number
  /** If a write has started, the write is completed before watching ends. */
  readonly signal: AbortSignal
  readonly onRun: (run: WatchRun) => void
}

export interface WatchRun {
  readonly result: GenerateResult
  /** Sorted absolute paths. Empty for the first run. */
  readonly changed: readonly string[]
  readonly milliseconds: number
}

/**
 * Changes during a run cause one more run. Errors in the configuration or design do not end watching.
 * @throws a file system error if the folders cannot be watched
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
      const started = { at: Date.now(), ticks: performance.now() }
      if (changed.some((path) => last.installed.includes(path))) await planner.renew()
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

/** Adds all modules of the project to the watched files, because a thread that ended early did not report which files it read. */
function withoutAnswer({ planned: _, ...last }: WatchPlan, diagnostic: Diagnostic): WatchPlan {
  return { ...last, diagnostics: [diagnostic], read: [...new Set([...last.read, ...modulesBelow(last.root)])] }
}

function learn(state: WatchedState, plan: WatchPlan, { cwd, config }: WatchOptions, startedAt: number): void {
  const { root, read, installed, planned } = plan
  const { output = '', patterns = [] } = plan.config ?? {}
  const configs = (config === undefined ? configNames : [config]).map((name) => resolve(cwd, name))
  const allPatterns = planned === undefined ? [...patterns, '**/*'] : patterns
  const folders = searchedFolders({ root, patterns: allPatterns, output, modules: [...read, ...configs] })
  state.learn(
    { files: [...read, ...installed, ...configs], folders, outputFolder: output === '' ? '' : join(root, output) },
    startedAt,
  )
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

type PlannerAnswer =
  | { readonly kind: 'planned'; readonly plan: WatchPlan }
  | { readonly kind: 'failed'; readonly diagnostic: Diagnostic }
  | { readonly kind: 'ended' }

interface Thread {
  readonly worker: Worker
  readonly sent: SentPlans
  settle?: (answer: PlannerAnswer) => void
  evaluates: Evaluated
  timer?: NodeJS.Timeout
}

/**
 * Uses a thread, because the code of a design can call `process.exit` or contain an endless loop. The planner then starts a new thread for the next
 * plan.
 */
class Planner {
  readonly #project: PlannedProject
  readonly #timeLimit: number
  #thread: Thread | undefined
  #ended = false

  constructor(project: PlannedProject, timeLimit: number) {
    this.#project = project
    this.#timeLimit = timeLimit
  }

  async plan(): Promise<PlannerAnswer> {
    if (this.#ended) return { kind: 'ended' }
    const thread = this.#thread ?? this.#start()
    this.#thread = thread
    const answer = await new Promise<PlannerAnswer>((resolve) => {
      thread.settle = resolve
      thread.worker.postMessage('plan')
    })
    if (answer.kind !== 'planned' || answer.plan.repeatable === 'yes') return answer
    await this.renew()
    return answer.plan.repeatable === 'stale' ? this.plan() : answer
  }

  /** The next plan then starts without cached results. */
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
    // Standard output is reserved for data.
    worker.stdout.on('data', (text: Uint8Array) => void process.stderr.write(text))
    const thread: Thread = { worker, sent: new SentPlans(), evaluates: 'configuration' }
    const fail = (diagnostic: Diagnostic): void => void this.#stop(thread, { kind: 'failed', diagnostic })
    worker.on('message', (message: PlannerMessage) => {
      clearTimeout(thread.timer)
      if (message.kind === 'evaluates') {
        thread.evaluates = message.what
        thread.timer = setTimeout(() => fail(overdue(message.what, this.#timeLimit)), this.#timeLimit)
      }
      if (message.kind === 'planned') this.#give(thread, { kind: 'planned', plan: thread.sent.unpack(message.plan) })
      if (message.kind === 'broken') fail(message.diagnostic)
    })
    worker.on('error', (error) => fail(failedInBackground(error, thread.evaluates)))
    worker.on('exit', () => fail(unfinished(thread.evaluates)))
    return thread
  }

  #give(thread: Thread, answer: PlannerAnswer): void {
    clearTimeout(thread.timer)
    thread.settle?.(answer)
    delete thread.settle
  }

  async #stop(thread: Thread, answer: PlannerAnswer): Promise<void> {
    if (this.#thread === thread) this.#thread = undefined
    this.#give(thread, answer)
    await thread.worker.terminate()
  }
}

export type PlannedProject = Pick<ProjectOptions, 'cwd' | 'config'>

export type PlannerMessage =
  | { readonly kind: 'evaluates'; readonly what: Evaluated }
  | { readonly kind: 'evaluated' }
  | { readonly kind: 'planned'; readonly plan: SentPlan }
  | { readonly kind: 'broken'; readonly diagnostic: Diagnostic }

export interface WatchPlan extends Pick<ProjectReading, 'repeatable'> {
  readonly diagnostics: readonly Diagnostic[]
  readonly root: string
  readonly config?: { readonly output: string; readonly patterns: readonly string[] }
  readonly planned?: PlannedOutput
  readonly counts?: DesignCounts
  /** Absolute paths, including missing files. */
  readonly read: readonly string[]
  /**
   * Absolute paths of files that affect installed packages and module resolution. If such a file changes, the next plan needs a new thread, because
   * Node caches installed packages.
   */
  readonly installed: readonly string[]
}

/** If a file has not changed since the previous plan, `files` contains the index of the file in the previous plan. */
interface SentPlan extends Omit<WatchPlan, 'planned'> {
  readonly planned?: Omit<PlannedOutput, 'files'> & { readonly files: readonly (EmittedFile | number)[] }
}

/**
 * Sends an unchanged file only once, because the receiver keeps the files of the previous plan. An instance must therefore process every plan, and
 * must not be used for both directions.
 */
export class SentPlans {
  #files: readonly EmittedFile[] = []

  pack({ planned, ...plan }: WatchPlan): SentPlan {
    if (planned === undefined) return plan
    const locations = new Map(this.#files.map(({ path }, location) => [path, location] as const))
    const files = planned.files.map((file) => {
      const location = locations.get(file.path)
      return location !== undefined && this.#files[location]?.text === file.text ? location : file
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
