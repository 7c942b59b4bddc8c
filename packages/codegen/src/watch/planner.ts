import process from 'node:process'
import { Worker } from 'node:worker_threads'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { Evaluated } from '../run/compile-project.js'
import { failedInBackground, overdue, unfinished } from '../run/evaluated-faults.js'
import type { PlannedProject, PlannerNews, WatchPlan } from './planner-messages.js'
import { SentPlans } from './sent-plans.js'

/** What became of a plan. */
export type PlannerAnswer =
  | { readonly kind: 'planned'; readonly plan: WatchPlan }
  /** What was evaluated did not let the planner come to its end, or a defect of this package did not. */
  | { readonly kind: 'failed'; readonly diagnostic: Diagnostic }
  | { readonly kind: 'ended' }

/** A planner's settings. */
export interface PlannerOptions {
  readonly project: PlannedProject
  /** How long the configuration and the design may take to evaluate, in milliseconds. */
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
export class Planner {
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
    worker.on('message', (news: PlannerNews) => this.#hear(thread, news))
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

  #hear(thread: Thread, news: PlannerNews): void {
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
