import { join, resolve } from 'node:path'
import process from 'node:process'
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

/** Options of {@link watchProject}. */
interface WatchOptions extends Pick<ProjectOptions, 'cwd' | 'config'> {
  /** Also overwrite generated files that were changed by hand, in every run. */
  readonly force: boolean
  /** Time limit for evaluating configuration and design, in milliseconds. */
  readonly timeLimit: number
  /** Ends the watching; what is being written is written to its end. */
  readonly signal: AbortSignal
  /** Told of each run when it is over. */
  readonly onRun: (run: WatchRun) => void
}

/** One run of a watched project. */
export interface WatchRun {
  readonly result: GenerateResult
  /** Changed absolute paths, sorted; empty before the first run. */
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

/**
 * Returns the plan after the planner was ended: its dependencies are unknown, so any module below the root can be
 * one.
 */
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
  if (planned === undefined || counts === undefined) return failedResult(plan, diagnostics)
  const marks = new Map(
    [...planned.files, { path: lockPath, text: planned.lock }].map(
      (file) => [join(root, planned.output.shown, file.path), hashOf(file)] as const,
    ),
  )
  const outcome = await writeOutput(planned, { force, differs: state.differs(marks) })
  const result = writtenResult(plan, counts, diagnostics, outcome)
  state.leave(marks, { isWritten: result.ok })
  return result
}

/** Result of a planning thread. */
type PlannerAnswer =
  | { readonly kind: 'planned'; readonly plan: WatchPlan }
  /** The evaluated code, or a defect of this package, prevented a result. */
  | { readonly kind: 'failed'; readonly diagnostic: Diagnostic }
  | { readonly kind: 'ended' }

interface PlannerOptions {
  readonly project: PlannedProject
  /** Time limit for evaluating configuration and design, in milliseconds. */
  readonly timeLimit: number
}

interface Thread {
  readonly worker: Worker
  readonly sent: SentPlans
  /** Settles the plan that is under way. */
  settle?: (answer: PlannerAnswer) => void
  evaluates: Evaluated
  timer?: NodeJS.Timeout
}

/**
 * Plans a project in a thread that keeps what it learnt, again and again, one plan at a time. Whatever the design does (loops,
 * ends its process, throws in the background, waits for ever) ends that thread alone; the next plan gets a new one.
 */
class Planner {
  readonly #options: PlannerOptions
  #thread: Thread | undefined
  #ended = false

  constructor(options: PlannerOptions) {
    this.#options = options
  }

  async plan(): Promise<PlannerAnswer> {
    const answer = await this.#ask()
    if (answer.kind !== 'planned' || answer.plan.repeatable === 'yes') return answer
    await this.renew()
    return answer.plan.repeatable === 'stale' ? this.plan() : answer
  }

  /** Forgets all that was learnt. */
  async renew(): Promise<void> {
    const thread = this.#thread
    this.#thread = undefined
    if (thread !== undefined) await this.#stop(thread, { kind: 'ended' })
  }

  /** Ends the thread; a plan that is under way answers that it was ended. */
  async end(): Promise<void> {
    this.#ended = true
    await this.renew()
  }

  #ask(): Promise<PlannerAnswer> {
    if (this.#ended) return Promise.resolve({ kind: 'ended' })
    const thread = this.#thread ?? this.#start()
    this.#thread = thread
    return new Promise((resolve) => {
      thread.settle = resolve
      thread.worker.postMessage('plan')
    })
  }

  #start(): Thread {
    const worker = new Worker(new URL('./planner-thread.js', import.meta.url), {
      workerData: this.#options.project,
      stdout: true,
    })
    // Standard output is for data alone.
    worker.stdout.on('data', (text: Uint8Array) => void process.stderr.write(text))
    const thread: Thread = { worker, sent: new SentPlans(), evaluates: 'configuration' }
    const give = (answer: PlannerAnswer): void => this.#give(thread, answer)
    worker.on('message', (news: PlannerMessage) => this.#hear(thread, news))
    worker.on('error', (error) => {
      give({ kind: 'failed', diagnostic: failedInBackground(error, thread.evaluates) })
      this.#lose(thread)
    })
    worker.on('exit', () => {
      give({ kind: 'failed', diagnostic: unfinished(thread.evaluates) })
      this.#lose(thread)
    })
    return thread
  }

  #hear(thread: Thread, news: PlannerMessage): void {
    clearTimeout(thread.timer)
    switch (news.kind) {
      case 'evaluates':
        thread.evaluates = news.what
        thread.timer = setTimeout(() => {
          const diagnostic = overdue(news.what, this.#options.timeLimit)
          this.#lose(thread)
          void this.#stop(thread, { kind: 'failed', diagnostic })
        }, this.#options.timeLimit)
        return
      case 'evaluated':
        return
      case 'planned':
        this.#give(thread, { kind: 'planned', plan: thread.sent.unpack(news.plan) })
        return
      case 'broken':
        this.#lose(thread)
        void this.#stop(thread, { kind: 'failed', diagnostic: news.diagnostic })
    }
  }

  /** The first answer counts. */
  #give(thread: Thread, answer: PlannerAnswer): void {
    clearTimeout(thread.timer)
    thread.settle?.(answer)
    delete thread.settle
  }

  #lose(thread: Thread): void {
    if (this.#thread === thread) this.#thread = undefined
  }

  async #stop(thread: Thread, answer: PlannerAnswer): Promise<void> {
    this.#give(thread, answer)
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
  /** Absolute path of the folder to which the diagnostics' locations are relative. */
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

/** A plan on its way to another thread: of a file that the plan before it had too, the place among that one's files. */
interface SentPlan extends Omit<WatchPlan, 'planned'> {
  readonly planned?: Omit<PlannedOutput, 'files'> & { readonly files: readonly (EmittedFile | number)[] }
}

/**
 * One end of the way that plans take: what did not change is not sent again, and stays the same object for who receives it.
 * Each end is for one direction, and sees every plan.
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
