import { guardLayer } from '../call/layer-guard.js'
import { ignoreErrors } from '../call/telemetry.js'
import { payloadCodec } from '../codec/codecs.js'
import type { Codec, Constraint } from '../types/codec.js'
import type { JsonText } from '../types/json.js'
import type { ToolLayer } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { AgentToolSpec, ToolCallRef } from '../types/tool.js'
import { retry } from './retry.js'

/**
 * Ends a call with the reason `timeout` after a time limit. At this time, the layer aborts the signal of the tool, and ignores later results of
 * the tool. If you attach the layer outside `retry`, the limit applies to all attempts together. Inside `retry`, the limit applies to each
 * attempt.
 *
 * @param milliseconds time limit, from 0 to 2,147,483,647
 * @throws {RangeError} if `milliseconds` is not in this range.
 *
 * @example
 * registration.layer(timeout(5_000))
 */
export function timeout(milliseconds: number): ToolLayer {
  if (!(milliseconds >= 0 && milliseconds <= 2_147_483_647)) {
    throw new RangeError(`timeout: the limit must be 0 to 2147483647 milliseconds, but is ${milliseconds}`)
  }
  return (next) => (request) =>
    new Promise((resolve, reject) => {
      const { meta } = request
      const outer = meta.signal
      const controller = new AbortController()
      const end = (reason: unknown): void => {
        controller.abort(reason)
        request.fail(reason).then(resolve, reject)
      }
      const cancel = (): void => controller.abort(outer.reason)
      const timer = setTimeout(() => {
        end(new DOMException(`the call took longer than ${milliseconds} ms`, 'TimeoutError'))
      }, milliseconds)
      if (outer.aborted) cancel()
      else outer.addEventListener('abort', cancel)
      next(request.withMeta({ ...meta, signal: controller.signal }))
        .then(resolve, reject)
        .finally(() => {
          clearTimeout(timer)
          outer.removeEventListener('abort', cancel)
        })
    })
}

/** Issues that make a call fail. `strict`: every issue. `lenient`: only missing fields, wrong types, and values that match no variant of a union. */
type InputSchemaMode = 'strict' | 'lenient'

/**
 * Validates the arguments of hand-written tools. Without this layer, the runtime only sends the schemas of hand-written tools to models.
 * The layer does nothing for generated tools, because their codecs have already validated the arguments.
 *
 * @example
 * const weather = tool({ description: '…', parameters, run }).layer(inputSchema('strict'))
 */
export function inputSchema(mode: InputSchemaMode): ToolLayer {
  return (next) => {
    let codec: Pick<Codec<never, unknown>, 'decodeValue'> | undefined
    return async (request) => {
      if (request.tool.provider !== 'function') return next(request)
      const sent = await request.decode()
      if (!sent.ok) return next(request)
      codec ??= payloadCodec({ schema: request.tool.arguments })
      const checked = codec.decodeValue(sent.value)
      const issues = checked.ok ? [] : checked.issues.filter(({ constraint }) => fails(mode, constraint))
      if (issues.length === 0) return next(request)
      return request.failInvalid(issues)
    }
  }
}

function fails(mode: InputSchemaMode, constraint: Constraint): boolean {
  return mode === 'strict' || LENIENT.has(constraint)
}

const LENIENT: ReadonlySet<Constraint> = new Set<Constraint>(['missing_field', 'invalid_type', 'no_variant_matches'])

/**
 * Returns a layer with a timeout of 30 seconds per attempt. The layer retries a failed call once, under the conditions of the layer `retry`.
 *
 * @example
 * support.layer(recommended())
 */
export function recommended(): ToolLayer {
  return stack(timeout(30_000), retry({ attempts: 2 }))
}

/**
 * Combines several layers into one layer. The last argument is the outermost layer, as with a chain of `.layer` calls.
 *
 * @example
 * const careful = stack(timeout(5_000), retry(), approval())
 */
export function stack(...layers: readonly ToolLayer[]): ToolLayer
export function stack<A>(a: ToolLayer<A>): ToolLayer<A>
export function stack<A, B>(a: ToolLayer<A>, b: ToolLayer<B>): ToolLayer<A & B>
export function stack<A, B, C>(a: ToolLayer<A>, b: ToolLayer<B>, c: ToolLayer<C>): ToolLayer<A & B & C>
export function stack<A, B, C, D>(
  a: ToolLayer<A>,
  b: ToolLayer<B>,
  c: ToolLayer<C>,
  d: ToolLayer<D>,
): ToolLayer<A & B & C & D>
export function stack<A, B, C, D, E>(
  a: ToolLayer<A>,
  b: ToolLayer<B>,
  c: ToolLayer<C>,
  d: ToolLayer<D>,
  e: ToolLayer<E>,
): ToolLayer<A & B & C & D & E>
export function stack<Env>(...layers: readonly ToolLayer<Env>[]): ToolLayer<Env>
export function stack(...layers: readonly ToolLayer<any>[]): ToolLayer<any> {
  // `any`: the overloads combine the `env` types of the layers.
  return (next) => layers.reduce((service, layer) => guardLayer(layer, service), next)
}

/** Duration and outcome of a call that a `tracing` layer measured. Inside a retry layer, each attempt has its own span. */
export interface TraceSpan {
  readonly call: ToolCallRef
  /** Number of the attempt, starting with 1. Greater than 1 only inside a retry layer. */
  readonly attempt: number
  /** Start time in milliseconds since the Unix epoch. */
  readonly start: number
  readonly durationMs: number
  readonly status: ToolOutcome['status']
}

/**
 * Calls `report` for each call that passes through this layer. Inside a retry layer, calls `report` for each attempt. The layer ignores
 * errors of `report`. For OpenTelemetry, use `@toolgen/runtime/otel`.
 *
 * @param now returns the current time in milliseconds since the Unix epoch. Default: `Date.now`
 *
 * @example
 * runConfig().layer(tracing((span) => console.debug(span.call.tool, span.status, span.durationMs)))
 */
export function tracing(report: (span: TraceSpan) => void, now: () => number = Date.now): ToolLayer {
  return (next) => async (request) => {
    const start = now()
    const outcome = await next(request)
    const { call, meta } = request
    const { status } = outcome
    ignoreErrors(() => report({ call, attempt: meta.attempt, start, durationMs: Math.max(0, now() - start), status }))
    return outcome
  }
}

/**
 * Changes the JSON text that the model receives as the result of a completed call. Does not change `result.data`, which the application reads.
 * If `transform` throws, the call fails.
 *
 * @example
 * support.layer(transformOutput((json) => (json.length > 20_000 ? '"The result is too long; ask for less."' : json)))
 */
export function transformOutput(
  transform: (json: JsonText, context: { readonly tool: AgentToolSpec }) => JsonText | Promise<JsonText>,
): ToolLayer {
  return (next) => async (request) => {
    const outcome = await next(request)
    if (outcome.status !== 'completed') return outcome
    const json: unknown = await transform(outcome.json, { tool: request.tool })
    if (typeof json !== 'string') throw new TypeError('transformOutput: the function must return a string')
    return { ...outcome, json }
  }
}
