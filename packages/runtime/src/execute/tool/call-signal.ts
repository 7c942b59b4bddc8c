import type { ToolCallMeta } from '../../contract/meta.js'
import type { Mutable } from '../../contract/mutable.js'
import type { Abortable, RunningCall } from './running-call.js'

/** The fields of a meta beside its signal. */
type MetaFields = Omit<ToolCallMeta, 'signal'>

/** The fields of a meta while they are filled in. */
export type OpenMeta = Mutable<MetaFields>

/**
 * A meta with the signal of its call, which is made only when somebody asks for it. One getter serves all metas: a
 * getter of its own would cost each call more than the rest of it.
 */
class LazySignal implements MetaFields {
  readonly toolCallId: string
  readonly labels: MetaFields['labels']
  readonly attempt = 1
  readonly #running: RunningCall

  static readonly descriptor: PropertyDescriptor = {
    get(this: LazySignal): AbortSignal {
      return this.#running.signal
    },
    enumerable: true,
  }

  /** Whether a meta is the first one of its call; a copy has the signal as an ordinary value. */
  static isFirst(meta: MetaFields): boolean {
    return #running in meta
  }

  constructor(running: RunningCall, toolCallId: string, labels: MetaFields['labels']) {
    this.#running = running
    this.toolCallId = toolCallId
    this.labels = labels
  }
}

/** The meta of a call's first attempt, still to be filled. */
export function openMeta(running: RunningCall, toolCallId: string, labels: MetaFields['labels']): OpenMeta {
  return new LazySignal(running, toolCallId, labels)
}

/** Ends the filling: a frozen meta with the signal of its call. A copy of the meta has the signal as an ordinary value. */
export function closedMeta(meta: OpenMeta): ToolCallMeta {
  return Object.freeze(Object.defineProperty(meta, 'signal', LazySignal.descriptor)) as ToolCallMeta
}

/** What may end an attempt early: the call itself, or the signal that a layer gave to its copy of the meta. */
export function limitOf(meta: ToolCallMeta, running: RunningCall): Abortable {
  if (LazySignal.isFirst(meta)) return running
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
