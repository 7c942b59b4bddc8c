import type { StepLayer } from '../contract/layer.js'
import type { RunMeta } from '../contract/planner.js'
import type { StopSignal } from '../contract/stop-signal.js'

/** What the hooks around a question to the model know of its step. */
export interface StepFrame {
  readonly env: unknown
  readonly turn: number
  /** Reasons to end the run that they add. */
  readonly stops: StopSignal[]
}

/** The steps under way by the meta of their runs: neither planners nor drivers are told the env. */
export class StepFrames {
  readonly #frames = new WeakMap<RunMeta, StepFrame>()

  /** Opens the frame of a step; innermost, since outer layers may change what it is asked with. */
  readonly layer: StepLayer = (next) => async (request) => {
    const { env, meta, turn } = request
    const frame: StepFrame = { env, turn, stops: [] }
    this.#frames.set(meta, frame)
    const result = await next(request)
    return frame.stops.length === 0 ? result : { ...result, stops: [...frame.stops, ...(result.stops ?? [])] }
  }

  /** @throws {TypeError} where the question belongs to no step. */
  of(meta: RunMeta): StepFrame {
    const frame = this.#frames.get(meta)
    if (frame !== undefined) return frame
    throw new TypeError('a model with hooks was asked outside of a step: pass the `meta` of the run on as it is')
  }
}
