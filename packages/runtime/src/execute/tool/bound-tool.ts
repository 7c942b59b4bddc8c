import { payloadCodec } from '../../codec/payload-codec.js'
import { resultCodec } from '../../codec/result-codec.js'
import type { Codec } from '../../contract/codec.js'
import type { ToolExecutor } from '../../contract/executor.js'
import type { JsonAdapter, RegistrationOptions, ToolsetRegistration } from '../../contract/registration.js'
import type { AgentToolSpec, ServerOwnedField, ToolSpec } from '../../contract/spec.js'
import type { StandardCheck } from '../../contract/standard-schema.js'
import type { TelemetryBuilder } from '../../contract/telemetry.js'
import type { ToolId } from '../../contract/tool-id.js'
import { type HintTemplate, hintTemplate } from '../../event/hint-text.js'
import { agentSpec } from '../binding/agent-spec.js'
import { selectedTools, useName } from '../binding/use-name.js'
import { type PayloadTool, payloadTool } from './payload-door.js'
import { ToolExamples } from './tool-examples.js'

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
  /** Runs the tool where its payload is there at once; absent where the executor wants a request. */
  readonly direct: PayloadTool | undefined
  readonly payloadAdapter: JsonAdapter | undefined
  readonly resultAdapter: JsonAdapter | undefined
  readonly decodeInExecutor: boolean
  readonly check: StandardCheck | undefined
  readonly examples: ToolExamples
  /** What people are shown, the registration's templates before the design's. */
  readonly hints: ToolHints
  readonly telemetryBuilder: TelemetryBuilder | undefined
}

/** What people are shown of a call, over its payload and over its result; absent where nothing is. */
export interface ToolHints {
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
    direct: payloadTool(executor, tool.spec.name),
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
