import { deepEqual } from '../schema/json-values.js'
import type { ToolLayer, ToolRequest, ToolService } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { AgentToolSpec } from '../types/tool.js'
import { CallRequest } from './call-request.js'
import { isContentPart } from './content.js'
import { isFailureReason } from './tool-failure.js'

/** A layer reads the spec to decide whether the layer applies to the tool. */
const tools = new WeakMap<ToolService<any>, AgentToolSpec>()

export function serving<S extends ToolService<any>>(service: S, tool: AgentToolSpec | undefined): S {
  if (tool !== undefined) tools.set(service, tool)
  return service
}

export function toolServedBy(service: ToolService<any>): AgentToolSpec | undefined {
  return tools.get(service)
}

/** @throws {TypeError} if `layer` is not a function, or does not return a function. */
export function guardLayer(layer: ToolLayer<any>, next: ToolService<any>): ToolService<any> {
  // `any`: TypeScript checks the `env` of layers where they are added and where calls start.
  const service: unknown = requireLayer(layer)(next)
  if (typeof service !== 'function') {
    throw new TypeError(
      'The layer did not return a function. Write a layer as (next) => async (request) => next(request).',
    )
  }
  // The layer does nothing for this tool.
  if (service === next) return next
  return serving(async (request: ToolRequest<any>) => {
    try {
      const outcome: unknown = await service(request)
      if (!isOutcome(outcome)) {
        return await request.fail(
          new TypeError('A layer did not return an outcome. Return the outcome of next(request).'),
        )
      }
      const execution = request instanceof CallRequest ? request.execution : undefined
      const accepted = outcome.call === request.call ? outcome : ownCopy(outcome, execution?.lastOutcome)
      if (accepted === undefined) return await request.fail(otherCall(request))
      if (execution !== undefined) execution.lastOutcome = accepted
      return accepted
    } catch (error) {
      return await request.fail(error)
    }
  }, toolServedBy(next))
}

/**
 * A layer can return the outcome of another call, for example from a cache. Such an outcome may belong to another user. Models reuse call ids, so an
 * equal id does not identify the same call.
 */
function otherCall({ tool }: ToolRequest<any>): TypeError {
  return new TypeError(
    `A layer of '${tool.id}' returned the outcome of another call. Return the outcome of next(request) or a copy with the same \`call\` and \`provenance\`. For a stored result, call request.complete(value).`,
  )
}

function ownCopy(outcome: ToolOutcome, latest: ToolOutcome | undefined): ToolOutcome | undefined {
  if (latest === undefined) return undefined
  const { call, provenance } = latest
  const isCopy = deepEqual(outcome.call, call) && deepEqual(outcome.provenance, provenance)
  return isCopy ? Object.freeze({ ...outcome, call }) : undefined
}

export function requireLayer<Layer>(layer: Layer): Layer {
  if (typeof layer === 'function') return layer
  throw new TypeError('.layer() expects one layer: a function (next) => async (request) => next(request).')
}

function isFinal({ reason, value }: { readonly reason?: unknown; readonly value?: unknown }): boolean {
  return reason === 'final' && value !== undefined
}

function isOutcome(value: unknown): value is ToolOutcome {
  if (!isObject(value) || !isObject(value.call) || !isObject(value.provenance)) return false
  const { stop } = value
  if (stop !== undefined && !(isObject(stop) && (stop.reason === 'guardrail' || isFinal(stop)))) return false
  switch (value.status) {
    case 'completed':
      return (
        isObject(value.result) &&
        typeof value.json === 'string' &&
        (value.content === undefined || (Array.isArray(value.content) && value.content.every(isContentPart)))
      )
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

const SUSPENSION_KINDS: ReadonlySet<unknown> = new Set(['approval', 'external', 'clarification', 'elicitation'])

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
