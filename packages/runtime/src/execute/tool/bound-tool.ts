import { payloadCodec } from '../../codec/payload-codec.js'
import type { Codec } from '../../contract/codec.js'
import type { ToolExecutor } from '../../contract/executor.js'
import type { JsonAdapter, ToolsetRegistration } from '../../contract/registration.js'
import type { AgentToolSpec, ServerOwnedField } from '../../contract/spec.js'
import type { StandardCheck } from '../../contract/standard-schema.js'
import type { ToolId } from '../../contract/tool-id.js'
import { agentSpec } from '../binding/agent-spec.js'
import { selectedTools, useName } from '../binding/use-name.js'

/** One tool, ready to be called: all that the pipeline needs of it. */
export interface BoundTool {
  /** The id by which calls name it: `<name of the use>.<tool>`. */
  readonly id: ToolId
  readonly spec: AgentToolSpec
  readonly payload: Pick<Codec<never, unknown>, 'decode' | 'decodeValue'>
  readonly result: Pick<Codec<any, unknown>, 'decodeValue' | 'encode'> // what decodeValue yields is what encode takes
  /** The fields that the runtime fills, each with its own rule. */
  readonly serverOwned: readonly OwnedField[]
  readonly executor: ToolExecutor
  readonly payloadAdapter: JsonAdapter | undefined
  readonly resultAdapter: JsonAdapter | undefined
  readonly decodeInExecutor: boolean
  readonly check: StandardCheck | undefined
}

/** A field that the runtime fills, with the codec of its own rule. */
export interface OwnedField extends Pick<ServerOwnedField, 'field' | 'from'> {
  readonly rule: Pick<Codec<never, unknown>, 'decodeValue'>
}

/** The tools of a registration, in the order of the toolset. */
export function boundTools(registration: ToolsetRegistration): readonly BoundTool[] {
  const { use, executor, checks } = registration
  return selectedTools(use).map((tool) => ({
    id: `${useName(use)}.${tool.spec.name}`,
    spec: agentSpec(use, tool),
    payload: tool.payload,
    result: tool.result,
    serverOwned: tool.spec.serverOwned.map(({ field, from, schema }) => ({
      field,
      from,
      rule: payloadCodec({ schema }),
    })),
    executor,
    payloadAdapter: registration.payloadAdapter,
    resultAdapter: registration.resultAdapter,
    decodeInExecutor: registration.decodeInExecutor ?? false,
    check: checks !== undefined && Object.hasOwn(checks, tool.spec.name) ? checks[tool.spec.name] : undefined,
  }))
}
