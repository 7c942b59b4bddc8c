import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { Ran } from './project.fixture.js'

/** How long to wait for a command line, in milliseconds: only one that hangs reaches it. */
const longestMs = 300_000

let thread: Thread | undefined

/** What a command line did. */
export interface RanInThread extends Ran {
  /** What it printed, in order. */
  readonly both: string
}

/** Where a command line is run: the folder and the variables that its process would have. */
export interface Place {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/**
 * Runs a command line in a thread that has loaded the command already: starting a process for each would take most of
 * the tests' time. Whatever is about the process itself needs one: a design that ends it, that waits for ever, that
 * prints, signals, variables of the environment.
 *
 * @throws where it does not come to an end
 */
export function runInThread(args: readonly string[], place: Place): RanInThread {
  thread ??= new Thread()
  const ran = thread.run(args, place)
  if (ran !== undefined) return ran
  thread.end()
  thread = undefined
  throw new Error(`toolgen ${args.join(' ')} did not come to an end; does it need a process of its own?`)
}

class Thread {
  readonly #state = new Int32Array(new SharedArrayBuffer(4))
  readonly #worker: Worker
  readonly #port

  constructor() {
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    this.#worker = new Worker(new URL('command-thread.worker.mjs', import.meta.url), {
      workerData: { port: port2, state: this.#state },
      transferList: [port2],
      execArgv: [],
    })
    this.#worker.unref()
    port1.unref()
  }

  /** What the command line did; `undefined` where it took too long. */
  run(args: readonly string[], place: Place): RanInThread | undefined {
    this.#port.postMessage({ args, ...place })
    if (Atomics.wait(this.#state, 0, 0, longestMs) === 'timed-out') return undefined
    Atomics.store(this.#state, 0, 0)
    return receiveMessageOnPort(this.#port)?.message
  }

  end(): void {
    void this.#worker.terminate()
  }
}
