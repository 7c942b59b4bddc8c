import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { type BoundToolset, Runtime, ToolFailure, type ToolOutcome, toolsetRegistration } from '@toolgen/runtime'
import {
  codeMode,
  type ProgramChecker,
  quickJsSandbox,
  type SandboxLimits,
  typescriptChecker,
} from '@toolgen/runtime/code-mode'
import { newToolCall, payloadCodec, resultCodec, toolSpec } from '@toolgen/runtime/codegen/v1'
import { bombs, escapes } from '../hostile-programs.js'
import { Random, randomProgram } from './random-programs.js'

/** Totals of the rounds, and faults. */
export interface ProgramRounds {
  readonly programs: number
  readonly calls: number
  readonly kills: number
  readonly workers: number
  /** Programs by kind and outcome. */
  readonly ends: ReadonlyMap<string, number>
  /** Maximum growth of the resident memory of the process, in MiB. */
  readonly growthMiB: number
  /** Delay of the event loop, and of an idle thread on the same machine, in milliseconds. */
  readonly delay: { readonly p99: number; readonly max: number; readonly idleP99: number }
  readonly faults: readonly string[]
}

const residentMiB = (): number => Math.round(process.memoryUsage.rss() / 2 ** 20)

/** Maximum growth of the memory: the compiler, and four programs with their threads. */
const maxMiB = 1_024
/** Maximum delay of the event loop in milliseconds for 99 of 100 timers. On a busy machine, an idle thread has delays too. */
const maxDelay = 50
const maxIdleDelays = 4
const lanes = 4

/**
 * Runs random programs, programs that exceed limits, and programs that try to escape, four at a time. Meanwhile, kills threads and cancels programs.
 * Every program must end as expected for its kind, no call may run twice, and all threads must end.
 */
export async function programRounds(seed: number, goesOn: (programs: number) => boolean): Promise<ProgramRounds> {
  const rounds = new Rounds(seed)
  return rounds.run(goesOn)
}

/** Source of a thread that measures the delay of its event loop. */
const idleThread = `const { parentPort } = require('node:worker_threads')
const delay = require('node:perf_hooks').monitorEventLoopDelay({ resolution: 5 })
delay.enable()
parentPort.once('message', () => parentPort.postMessage(delay.percentile(99) / 1e6))`

const secret = process.version

class Rounds {
  readonly #random: Random
  readonly #box = new Box()
  readonly #checker = typescriptChecker({ timeLimitMs: 120_000 })
  readonly #sandbox = quickJsSandbox({ memoryMiB: 32, idle: 2 })
  readonly #workers = new Set<Worker>()
  readonly #ends = new Map<string, number>()
  readonly #faults: string[] = []
  #started = 0
  #kills = 0
  #created = 0
  readonly #startMiB = residentMiB()
  #growthMiB = 0

  constructor(seed: number) {
    this.#random = new Random(seed)
  }

  async run(goesOn: (programs: number) => boolean): Promise<ProgramRounds> {
    const idle = new Worker(idleThread, { eval: true })
    // Started before threads are recorded, so that it is not killed.
    await once(idle, 'online')
    const observe = (worker: Worker): void => {
      this.#created += 1
      this.#workers.add(worker)
      worker.once('exit', () => this.#workers.delete(worker))
    }
    process.on('worker', observe)
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    await Promise.all(
      Array.from({ length: lanes }, async () => {
        while (goesOn(this.#started)) await this.#program()
      }),
    )
    delay.disable()
    const idleP99 = await new Promise<number>((resolve) => {
      idle.once('message', resolve)
      idle.postMessage('end')
    })
    await Promise.all([this.#checker.close(), this.#sandbox.close()])
    // A thread reports its end after `terminate` has resolved.
    for (let count = 0; count < 100 && this.#workers.size > 0; count += 1) await sleep(20)
    process.off('worker', observe)
    const p99 = delay.percentile(99) / 1e6
    if (this.#workers.size > 0) this.#faults.push(`${this.#workers.size} threads are left`)
    if (this.#growthMiB > maxMiB)
      this.#faults.push(`the process grew by ${this.#growthMiB} MiB; the limit is ${maxMiB} MiB`)
    const limit = Math.max(maxDelay, maxIdleDelays * idleP99)
    if (p99 > limit) this.#faults.push(`the event loop was late by ${p99.toFixed(1)} ms (p99); limit: ${limit} ms`)
    this.#faults.push(...this.#box.repeated.map((id) => `call ${id} ran twice`))
    return {
      programs: this.#started,
      calls: this.#box.count,
      kills: this.#kills,
      workers: this.#created,
      ends: this.#ends,
      growthMiB: this.#growthMiB,
      delay: { p99, max: delay.max / 1e6, idleP99 },
      faults: this.#faults,
    }
  }

  async #program(): Promise<void> {
    this.#started += 1
    const number = this.#started
    this.#growthMiB = Math.max(this.#growthMiB, residentMiB() - this.#startMiB)
    const kind = this.#random.of([
      'random',
      'random',
      'random',
      'random',
      'killed',
      'cancelled',
      'bomb',
      'escape',
    ] as const)
    const end = await this.#ended(kind, number).catch((error: unknown) => {
      this.#faults.push(`program ${number} (${kind}): ${error instanceof Error ? error.message : String(error)}`)
      return 'fault'
    })
    const key = `${kind}: ${end}`
    this.#ends.set(key, (this.#ends.get(key) ?? 0) + 1)
  }

  #ended(kind: 'random' | 'killed' | 'cancelled' | 'bomb' | 'escape', number: number): Promise<string> {
    if (kind === 'bomb') return this.#bomb()
    return kind === 'escape' ? this.#escape() : this.#randomProgram(kind, number)
  }

  async #randomProgram(kind: 'random' | 'killed' | 'cancelled', number: number): Promise<string> {
    const { code, ids, value } = randomProgram(this.#random, number * 1_000)
    const isChecked = this.#random.below(4) > 0
    const programs = isChecked ? this.#programs(this.#checker) : this.#programs(unchecked)
    const controller = new AbortController()
    const source = isChecked ? code : code.replace('const out: Json[]', 'const out')
    const running = execute(programs, source, controller.signal)
    if (kind !== 'random') {
      await sleep(this.#random.below(12))
      if (kind === 'cancelled') controller.abort()
      else this.#kill()
    }
    const outcome = await running
    const ran = this.#box.calls.filter((id) => Math.floor(id / 1_000) === number)
    const unknown = ran.filter((id) => !ids.includes(id))
    if (unknown.length > 0) throw new Error(`calls ${unknown.join()} ran, which the program does not make:\n${code}`)
    if (outcome.status === 'completed') {
      const { value: returned } = JSON.parse(outcome.json)
      if (JSON.stringify(returned) !== JSON.stringify(value))
        throw new Error(`${outcome.json} instead of ${JSON.stringify(value)}\n${code}`)
      if (ran.length !== ids.length) throw new Error(`${ran.length} of ${ids.length} calls ran:\n${code}`)
      return 'completed'
    }
    if (outcome.status === 'suspended') throw new Error('suspended')
    // A kill can also hit another program.
    const isDisturbed = ['cancelled', 'internal'].includes(outcome.hint.reason)
    if (value !== undefined && !isDisturbed) throw new Error(`${outcome.hint.message}\n${code}`)
    return isDisturbed ? outcome.hint.reason : 'failed'
  }

  /** Terminates a random thread, like a crash. */
  #kill(): void {
    const workers = [...this.#workers]
    if (workers.length === 0) return
    this.#kills += 1
    void this.#random.of(workers).terminate()
  }

  async #bomb(): Promise<string> {
    const { name, body, limits: own } = this.#random.of(bombs)
    const outcome = await execute(
      this.#programs(unchecked, { computeMs: 300, totalMs: 5_000, ...own, calls: 100, resultCharacters: 10_000 }),
      body,
    )
    if (outcome.status !== 'failed') throw new Error(`${name}: ${JSON.stringify(outcome).slice(0, 500)}`)
    return 'failed'
  }

  async #escape(): Promise<string> {
    const body = this.#random.of(escapes)
    const outcome = await execute(this.#programs(unchecked), body)
    if (JSON.stringify(outcome).includes(secret)) throw new Error(`${body}: ${JSON.stringify(outcome)}`)
    if (Object.hasOwn(Object.prototype, 'polluted')) throw new Error(`${body} changed Object.prototype`)
    return outcome.status
  }

  #programs(checker: ProgramChecker, limits: Partial<SandboxLimits> = {}): BoundToolset {
    const options = { checker, sandbox: this.#sandbox, limits: { totalMs: 60_000, ...limits } }
    return new Runtime().registerToolset(codeMode(this.#box.tools, options))
  }
}

/** Accepts every program: the sandbox must be safe without the check. */
const unchecked: ProgramChecker = {
  check: async (_, code) => ({ ok: true, javascript: `async function program() {\n${code}\n}` }),
  close: async () => undefined,
}

const execute = (programs: BoundToolset, code: string, signal?: AbortSignal): Promise<ToolOutcome> =>
  programs.execute({ tool: 'run_program', arguments: JSON.stringify({ code }) }, signal ? { signal } : {})

const field = (type: 'number' | 'string'): object => ({ type })
const objectOf = (properties: Readonly<Record<string, object>>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

/** Tools that record the ids of their calls. */
class Box {
  readonly calls: number[] = []
  readonly tools: BoundToolset
  readonly repeated: number[] = []
  count = 0
  readonly #seen = new Set<number>()

  constructor() {
    const number = field('number')
    const tools = [
      descriptorOf('add', { id: number, a: number, b: number }, { sum: number }),
      descriptorOf('text', { id: number, size: number }, { text: field('string') }),
      descriptorOf('wait', { id: number, ms: number }, { waited: number }),
      descriptorOf('fail', { id: number }, {}),
      // For programs that exceed limits or try to escape.
      descriptorOf('echo', {}, {}, true),
    ]
    const toolset = { name: 'tools', namespace: 'default', description: 'Tools.', tools }
    const registration = toolsetRegistration(
      { toolset, provider: 'function' },
      {
        execute: async ({ tool, payload }) =>
          this.#execute(tool.name, (await payload()) as Readonly<Record<string, number>>),
      },
    )
    this.tools = new Runtime().registerToolset(registration)
  }

  async #execute(name: string, args: Readonly<Record<string, number>>): Promise<object> {
    const { id = 0, a = 0, b = 0, size = 0, ms = 0 } = args
    // Programs that try to escape use the same ids, or no ids.
    if (id >= 1_000) {
      if (this.#seen.has(id)) this.repeated.push(id)
      this.#seen.add(id)
      this.calls.push(id)
    }
    this.count += 1
    if (name === 'echo') return args
    if (name === 'add') return { sum: a + b }
    if (name === 'text') return { text: 'x'.repeat(size) }
    if (name === 'fail') throw new ToolFailure('It is closed.')
    await sleep(ms)
    return { waited: ms }
  }
}

function descriptorOf(
  name: string,
  args: Readonly<Record<string, object>>,
  properties: Readonly<Record<string, object>>,
  isOpen = false,
) {
  const payload = payloadCodec<never, unknown>({
    schema: { ...objectOf(args), additionalProperties: isOpen },
    unknown: isOpen ? 'keep' : 'reject',
  })
  const result = resultCodec<unknown, unknown>({
    schema: { ...objectOf(properties), additionalProperties: isOpen },
    unknown: isOpen ? 'keep' : 'strip',
  })
  const parts = { id: `tools.${name}`, title: name, description: '', examples: [], hash: '' } as const
  const spec = toolSpec(parts, payload, result)
  return { spec, payload, result, call: (own: never) => newToolCall(spec, payload, own) }
}
