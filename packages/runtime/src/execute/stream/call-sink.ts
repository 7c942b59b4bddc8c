import type { ExecutorRequest, UpdateSink } from '../../contract/executor.js'
import { ToolFailure } from '../failure/tool-failure.js'
import { lateUpdate } from './late-update.js'

/** How the answer of a call is given. */
export interface Answering {
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** The sink of one call. Its members may be passed on alone, as listeners are. */
export function callSink(request: ExecutorRequest, { resolve, reject }: Answering): UpdateSink {
  const { signal } = request.meta
  let ended = false
  const end = (settle: () => void): boolean => {
    if (ended || signal.aborted) return false
    ended = true
    settle()
    return true
  }
  const fail = (error: unknown): boolean => end(() => reject(error))
  return Object.freeze({
    signal,
    emit: (update: unknown) => {
      const told = ended ? Promise.reject(lateUpdate()) : request.emit(update)
      // Sources that call back do not wait for it, and would go on after a fault.
      told.catch(fail)
      return told
    },
    complete: (result: unknown) => end(() => resolve(result)),
    fail,
    close: () => {
      end(() => reject(endless(request)))
    },
  })
}

function endless({ tool }: ExecutorRequest): ToolFailure {
  const message = `The tool '${tool.id}' ended without a result: its sink was neither completed nor failed.`
  return new ToolFailure(message, { reason: 'internal' })
}
