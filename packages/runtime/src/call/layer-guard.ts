import { deepEqual } from '../schema/json-values.js'
import type { ToolLayer, ToolRequest, ToolService } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'
import { CallRequest } from './call-request.js'
import { isFailureReason } from './tool-failure.js'

/**
 * Applies a layer. Errors, and responses other than an outcome of this call, become a failure of the call before
 * outer layers see it.
 *
 * @throws {TypeError} for a value that is no layer.
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
      const execution = request instanceof CallRequest ? request.execution : undefined
      const accepted = outcome.call === request.call ? outcome : ownCopy(outcome, execution?.lastOutcome)
      if (accepted === undefined) return await request.fail(otherCall(request))
      if (execution !== undefined) execution.lastOutcome = accepted
      return accepted
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

/** Returns a deep copy of the call's latest outcome with the call itself; `undefined` for any other outcome. */
function ownCopy(outcome: ToolOutcome, latest: ToolOutcome | undefined): ToolOutcome | undefined {
  if (latest === undefined) return undefined
  const { call, provenance } = latest
  const isCopy = deepEqual(outcome.call, call) && deepEqual(outcome.provenance, provenance)
  return isCopy ? Object.freeze({ ...outcome, call }) : undefined
}

/** @throws {TypeError} for a value that is no layer. */
export function requireLayer<Layer>(layer: Layer): Layer {
  if (typeof layer === 'function') return layer
  throw new TypeError('.layer() takes one layer, a function (next) => async (request) => next(request)')
}

/** Checks the parts of an outcome that others rely on. */
function isOutcome(value: unknown): value is ToolOutcome {
  if (!isObject(value) || !isObject(value.call) || !isObject(value.provenance)) return false
  const { stop } = value
  if (stop !== undefined && !(isObject(stop) && stop.reason === 'final' && stop.value !== undefined)) return false
  switch (value.status) {
    case 'completed':
      return isObject(value.result) && typeof value.json === 'string'
    case 'failed': {
      const { error, hint } = value
      if (!isObject(error) || !isObject(hint)) return false
      return isFailureReason(hint.reason) && typeof hint.message === 'string' && typeof hint.tool === 'string'
    }
    case 'suspended':
      return isObject(value.suspension) && SUSPENSION_KINDS.has(value.suspension.kind)
    default:
      return false
  }
}

const SUSPENSION_KINDS: ReadonlySet<unknown> = new Set(['approval', 'external', 'clarification'])

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
