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
 * Ends a call that takes longer, with the reason `timeout`. The tool is notified by its signal; its later results and errors
 * are ignored. Around `retry` the limit applies to all attempts together, inside it to each attempt.
 *
 * @param milliseconds from 0 to 2,147,483,647
 * @throws {RangeError} for another number.
 *
 * @example
 * registration.layer(timeout(5_000))
 */
export function timeout(milliseconds: number): ToolLayer {
  if (!(milliseconds >= 0 && milliseconds <= 2_147_483_647)) {
    throw new RangeError(`timeout(${milliseconds}): give milliseconds from 0 to 2147483647`)
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

/**
 * `strict`: any issue fails the call. `lenient`: missing and ill-typed fields fail it; unknown ones and values out of
 * their bounds pass.
 */
type InputSchemaMode = 'strict' | 'lenient'

/**
 * Holds the arguments of hand-written tools against their schema; without this layer it is only advertised. Around a
 * generated tool it does nothing: its codec has checked already.
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
 * The defaults that suit most tools: each attempt may take 30 seconds, and there is one retry where the hint allows it.
 *
 * @example
 * support.layer(recommended())
 */
export function recommended(): ToolLayer {
  return stack(timeout(30_000), retry({ attempts: 2 }))
}

/**
 * Several layers as one: the last is the outermost, as if each had been chained by `.layer`.
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
  // `any`: the overloads add up what each layer needs.
  return (next) => layers.reduce((service, layer) => guardLayer(layer, service), next)
}

/** One passage of a call through a tracing layer. */
export interface TraceSpan {
  readonly call: ToolCallRef
  /** 1 for the first attempt, where the layer stands beneath a retry. */
  readonly attempt: number
  /** In milliseconds since the epoch. */
  readonly start: number
  readonly durationMs: number
  readonly status: ToolOutcome['status']
}

/**
 * Reports each passage of a call through this place of the layers. Spans for OpenTelemetry come from
 * `@toolgen/runtime/otel`. What `report` throws is dropped.
 *
 * @param now milliseconds since the epoch; default: the machine's clock
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
 * Changes the JSON that a model reads of completed calls; `result.data` stays the declared value. What the function
 * throws makes the call fail as `internal`.
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
    if (typeof json !== 'string') throw new TypeError('transformOutput: the function answered with no text')
    return { ...outcome, json }
  }
}
