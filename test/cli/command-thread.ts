import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { Ran } from './project.fixture.js'

/** Maximum duration of a command line, in milliseconds. Only a hanging command reaches it. */
const longestMs = 300_000

let thread: Thread | undefined

/** Result of a command line. */
export interface RanInThread extends Ran {
  /** Stdout and stderr in the order of the writes. */
  readonly both: string
}

/** Working directory and environment variables of a command line. */
export interface Place {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/**
 * Runs a command line in a thread that has already loaded the command, because starting processes would take most of the time of the tests. Tests of
 * signals, environment variables, or designs that print, exit or never end need a process.
 *
 * @throws if the command does not end
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

  /** Returns the result of the command line, or `undefined` after the maximum duration. */
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
