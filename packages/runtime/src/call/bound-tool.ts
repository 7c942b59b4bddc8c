import { payloadCodec, resultCodec } from '../codec/codecs.js'
import { exampleOf } from '../schema/validate.js'
import type { Codec } from '../types/codec.js'
import type { ToolExecutor } from '../types/executor.js'
import type { JsonValue, StandardCheck } from '../types/json.js'
import type { JsonAdapter, RegistrationOptions, ToolsetRegistration } from '../types/registration.js'
import type { TelemetryBuilder } from '../types/run.js'
import type { AgentToolSpec, ServerOwnedField, ToolId, ToolSpec } from '../types/tool.js'
import { selectedTools, useName } from './binding-error.js'
import { agentSpec } from './descriptors.js'
import { type HintTemplate, hintTemplate } from './hint-text.js'

/** One tool, ready to be called: all that the pipeline needs of it. */
export interface BoundTool {
  /** The id by which calls name it: `<name of the use>.<tool>`. */
  readonly id: ToolId
  readonly spec: AgentToolSpec
  readonly payload: Pick<Codec<never, unknown>, 'decode' | 'decodeValue'>
  readonly result: Pick<Codec<never, unknown>, 'decode' | 'decodeValue' | 'encodeValue'>
  /** Writes an update; absent for a tool that answers once. */
  readonly updates: Pick<Codec<never, unknown>, 'encodeValue'> | undefined
  /** The fields that the runtime fills, each with its own rule. */
  readonly serverOwned: readonly OwnedField[]
  readonly executor: ToolExecutor
  readonly payloadAdapter: JsonAdapter | undefined
  readonly resultAdapter: JsonAdapter | undefined
  readonly decodeInExecutor: boolean
  readonly check: StandardCheck | undefined
  readonly examples: ToolExamples
  /** Hints for people; templates of the registration take precedence. */
  readonly hints: ToolHints
  readonly telemetryBuilder: TelemetryBuilder | undefined
}

/** Hints for people over the payload and the result of a call. */
interface ToolHints {
  readonly call: HintTemplate | undefined
  readonly result: HintTemplate | undefined
}

/** A field that the runtime fills, with the codec of its own rule. */
export interface OwnedField extends Pick<ServerOwnedField, 'field' | 'from'> {
  readonly rule: Pick<Codec<never, unknown>, 'decodeValue'>
}

/** The tools of a registration, in the order of the toolset. */
export function boundTools(registration: ToolsetRegistration<never>): readonly BoundTool[] {
  const { use, executor, payloadAdapter, resultAdapter, decodeInExecutor } = registration
  // An own `null`, as plain JavaScript may give it, counts as absent.
  const checks = registration.checks ?? {}
  // Nobody may add tools to what is registered already.
  Object.freeze(use.toolset.tools)
  return selectedTools(use).map((tool) => ({
    id: `${useName(use)}.${tool.spec.name}`,
    spec: agentSpec(use, tool),
    payload: tool.payload,
    result: tool.result,
    updates: tool.spec.updates === undefined ? undefined : resultCodec({ schema: tool.spec.updates }),
    serverOwned: tool.spec.serverOwned.map(({ field, from, schema }) => ({
      field,
      from,
      rule: payloadCodec({ schema }),
    })),
    executor,
    payloadAdapter: payloadAdapter ?? undefined,
    resultAdapter: resultAdapter ?? undefined,
    decodeInExecutor: decodeInExecutor ?? false,
    check: Object.hasOwn(checks, tool.spec.name) ? checks[tool.spec.name] : undefined,
    examples: new ToolExamples(tool.spec, tool.payload),
    hints: hintsOf(registration, tool.spec),
    telemetryBuilder: registration.telemetryBuilder ?? undefined,
  }))
}

function hintsOf({ hints }: RegistrationOptions, spec: ToolSpec): ToolHints {
  const own = hints !== undefined && Object.hasOwn(hints, spec.name) ? hints[spec.name] : undefined
  const call = own?.call ?? spec.callHint
  const result = own?.result ?? spec.resultHint
  return {
    call: call === undefined ? undefined : hintTemplate(call),
    result: result === undefined ? undefined : hintTemplate(result),
  }
}

/** The examples of one tool that its codec takes, each looked for once, when a call first needs it. */
class ToolExamples {
  readonly #spec: ToolSpec
  readonly #payload: Pick<Codec<never, unknown>, 'decodeValue'>
  #fitting: readonly JsonValue[] | undefined
  #made: { readonly example: JsonValue | undefined } | undefined

  constructor(spec: ToolSpec, payload: Pick<Codec<never, unknown>, 'decodeValue'>) {
    this.#spec = spec
    this.#payload = payload
  }

  /** The author's examples that really fit. */
  get fitting(): readonly JsonValue[] {
    this.#fitting ??= this.#spec.examples.filter((example) => this.#payload.decodeValue(example).ok)
    return this.#fitting
  }

  /** One made from the schema, where that can be done. */
  get made(): JsonValue | undefined {
    this.#made ??= { example: exampleOf(this.#spec.arguments) }
    return this.#made.example
  }
}
