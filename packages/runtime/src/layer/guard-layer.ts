import type { ToolLayer, ToolService } from '../contract/layer.js'
import type { ToolOutcome } from '../contract/outcome.js'
import type { ToolRequest } from '../contract/tool-request.js'
import { isFailureReason } from '../execute/failure/reasons.js'

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
      if (!isOutcome(outcome)) {
        return await request.fail(new TypeError('a layer answered with no outcome: return what next(request) gave'))
      }
      // Of another user, perhaps.
      if (isOf(outcome, request)) return outcome
      return await request.fail(new TypeError('a layer answered with the outcome of another call'))
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

/** Whether a value is an outcome as far as others rely on it. */
function isOutcome(value: unknown): value is ToolOutcome {
  if (!isObject(value) || !isObject(value.call) || !isObject(value.provenance) || !isStop(value.stop)) return false
  switch (value.status) {
    case 'completed':
      return isObject(value.result) && typeof value.json === 'string'
    case 'failed':
      return isObject(value.error) && isObject(value.hint) && isHint(value.hint)
    case 'suspended':
      return isObject(value.suspension) && isWait(value.suspension.kind)
    default:
      return false
  }
}

function isWait(kind: unknown): boolean {
  return kind === 'approval' || kind === 'external' || kind === 'clarification'
}

function isStop(stop: unknown): boolean {
  return stop === undefined || (isObject(stop) && stop.reason === 'final' && stop.value !== undefined)
}

function isHint({ reason, message, tool }: Readonly<Record<string, unknown>>): boolean {
  return isFailureReason(reason) && typeof message === 'string' && typeof tool === 'string'
}

/** Copies of an outcome keep its call. Equal ids prove nothing: models number the calls of each conversation anew. */
function isOf({ call }: ToolOutcome, request: ToolRequest<any>): boolean {
  return call === request.call
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
