import { deepEqual } from '../schema/json-values.js'
import type { ToolLayer, ToolRequest, ToolService } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'
import { isFailureReason } from './tool-failure.js'
import { CallRequest } from './tool-request.js'

/**
 * Applies a layer so that it cannot harm: what it throws, and a response that is no outcome of this call, become a failure of
 * the call before outer layers see it.
 *
 * @throws {TypeError} when the layer is no layer.
 */
export function guardLayer(layer: ToolLayer<any>, next: ToolService<any>): ToolService<any> {
  // `any`: what layers need of the env is checked by the types of `layer` and of the calls, not here.
  const service: unknown = requireLayer(layer)(next)
  if (typeof service !== 'function') {
    throw new TypeError('a layer returned no service: write (next) => async (request) => next(request)')
  }
  return async (request) => {
    try {
      const outcome: unknown = await service(request)
      if (!isOutcome(outcome)) {
        return await request.fail(new TypeError('a layer returned no outcome: return the outcome of next(request)'))
      }
      const own = request instanceof CallRequest ? request.running : undefined
      const accepted = outcome.call === request.call ? outcome : ownCopy(outcome, own?.last)
      if (accepted !== undefined) {
        if (own !== undefined) own.last = accepted
        return accepted
      }
      return await request.fail(otherCall(request))
    } catch (error) {
      return await request.fail(error)
    }
  }
}

/** A cached outcome, for example, may be one of another user. Equal ids prove nothing: models reuse them. */
function otherCall({ tool }: ToolRequest<any>): TypeError {
  return new TypeError(
    `a layer of '${tool.id}' returned the outcome of another call: return the outcome of next(request) or a copy of it, and build a stored result again with request.complete(value); keep \`call\` and \`provenance\` in a copy, or set \`call: request.call\``,
  )
}

/** A deep copy, perhaps changed, of the outcome that the call reached, with the call itself; `undefined` for any other outcome. */
function ownCopy(outcome: ToolOutcome, reached: ToolOutcome | undefined): ToolOutcome | undefined {
  if (reached === undefined) return undefined
  const { call, provenance } = reached
  const isCopy = deepEqual(outcome.call, call) && deepEqual(outcome.provenance, provenance)
  return isCopy ? Object.freeze({ ...outcome, call }) : undefined
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

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
