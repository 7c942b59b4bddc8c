import type { ToolCallMeta } from '../../contract/meta.js'
import type { Abortable, RunningCall } from './running-call.js'

/**
 * A frozen meta with the signal of its call, which is made only when somebody asks for it. A copy of the meta has the
 * signal as an ordinary value.
 */
export function withSignal(meta: Omit<ToolCallMeta, 'signal'>, running: RunningCall): ToolCallMeta {
  return Object.freeze({
    ...meta,
    get signal(): AbortSignal {
      return running.signal
    },
  })
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
