import type { ToolLayer, ToolService } from '../contract/layer.js'
import type { ToolOutcome } from '../contract/outcome.js'

/**
 * Applies a layer so that it cannot harm: what it throws, and an answer that is no outcome, become a failure of the call
 * before outer layers see it.
 *
 * @throws {TypeError} when the layer is no layer.
 */
export function guardLayer(layer: ToolLayer<any>, next: ToolService<any>): ToolService<any> {
  // `any`: what layers need of the env is checked by the types of `layer` and of the calls, not here.
  const service: unknown = requireLayer(layer)(next)
  if (typeof service !== 'function') {
    throw new TypeError('a layer gave back no service: write (next) => async (request) => next(request)')
  }
  return async (request) => {
    try {
      const outcome: unknown = await service(request)
      if (isOutcome(outcome)) return outcome
      return await request.fail(new TypeError('a layer answered with no outcome: return what next(request) gave'))
    } catch (error) {
      return await request.fail(error)
    }
  }
}

/** @throws {TypeError} when what is given is no layer. */
export function requireLayer<Layer>(layer: Layer): Layer {
  if (typeof layer === 'function') return layer
  throw new TypeError('.layer() takes one layer, a function (next) => async (request) => next(request)')
}

function isOutcome(value: unknown): value is ToolOutcome {
  if (typeof value !== 'object' || value === null || !('status' in value)) return false
  const { status } = value
  return status === 'completed' || status === 'failed' || status === 'suspended'
}
