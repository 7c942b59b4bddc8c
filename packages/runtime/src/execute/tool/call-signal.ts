import type { ToolCallMeta } from '../../contract/meta.js'
import type { Abortable, RunningCall } from './running-call.js'

/** The fields of a meta beside its signal. */
type MetaFields = Omit<ToolCallMeta, 'signal'>

/**
 * A meta with the signal of its call, which is made only when somebody asks for it. One getter serves all metas: a
 * getter of its own would cost each call more than the rest of it.
 */
class LazySignal {
  readonly #running: RunningCall

  static readonly #descriptor: PropertyDescriptor = {
    get(this: LazySignal): AbortSignal {
      return this.#running.signal
    },
    enumerable: true,
  }

  constructor(meta: MetaFields, running: RunningCall) {
    this.#running = running
    Object.assign(this, meta)
    Object.defineProperty(this, 'signal', LazySignal.#descriptor)
    Object.freeze(this)
  }
}

/** A frozen meta with the signal of its call. A copy of the meta has the signal as an ordinary value. */
export function withSignal(meta: MetaFields, running: RunningCall): ToolCallMeta {
  return new LazySignal(meta, running) as unknown as ToolCallMeta
}

/** What may end an attempt early: the call itself, or the signal that a layer gave to its copy of the meta. */
export function limitOf(meta: ToolCallMeta, running: RunningCall): Abortable {
  const own = Object.getOwnPropertyDescriptor(meta, 'signal')
  return own?.value instanceof AbortSignal ? abortable(own.value) : running
}

function abortable(signal: AbortSignal): Abortable {
  return {
    get aborted() {
      return signal.aborted ? { reason: signal.reason } : undefined
    },
    whenAborted: (action) => {
      const listener = (): void => action(signal.reason)
      signal.addEventListener('abort', listener)
      return () => signal.removeEventListener('abort', listener)
    },
  }
}
