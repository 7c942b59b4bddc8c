import type { ToolCallMeta } from '../../contract/meta.js'

/**
 * A meta whose signal nobody can abort. The signal is made when somebody asks for it: making one costs more than the
 * rest of a call. A copy of the meta has the signal as an ordinary value.
 */
export function withIdleSignal(meta: Omit<ToolCallMeta, 'signal'>): ToolCallMeta {
  let signal: AbortSignal | undefined
  return Object.freeze({
    ...meta,
    get signal(): AbortSignal {
      signal ??= new AbortController().signal
      return signal
    },
  })
}

/** The signal that may end a call early; `undefined` where there is none to listen to. */
export function limitOf(meta: ToolCallMeta): AbortSignal | undefined {
  return Object.getOwnPropertyDescriptor(meta, 'signal')?.get === undefined ? meta.signal : undefined
}
