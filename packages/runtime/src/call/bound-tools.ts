import { payloadCodec, resultCodec } from '../codec/codecs.js'
import { exampleOf } from '../schema/examples.js'
import type { Codec } from '../types/codec.js'
import type { ToolExecutor } from '../types/executor.js'
import type { JsonValue, StandardCheck } from '../types/json.js'
import type { JsonAdapter, ToolsetRegistration, ToolsetUse } from '../types/registration.js'
import type { TelemetryBuilder } from '../types/run.js'
import type {
  AgentToolSpec,
  MaxResult,
  ServerOwnedField,
  ToolDescriptor,
  ToolId,
  ToolSpec,
  ToolsetDescriptor,
} from '../types/tool.js'
import { BindingError } from './binding-error.js'
import { type HintTemplate, hintTemplate } from './hint-template.js'
import { keepsPseudonyms } from './redaction.js'
import { selectedTools, toolNameIn, useErrors, useName } from './registrations.js'
import { type SensitivePlan, sensitivePlan } from './sensitive-plan.js'

function agentSpec(use: ToolsetUse, { spec }: ToolDescriptor, ofAgent: MaxResult | undefined): AgentToolSpec {
  const max = maxResultOf(use, spec, ofAgent)
  return deepFreeze({
    ...deepFreeze(spec),
    toolName: toolNameIn(use, spec),
    provider: use.provider,
    qualifiedId: `${use.provider}.${useName(use)}.${spec.name}`,
    ...(max !== undefined && { maxResult: requireMaxResult(`'${useName(use)}.${spec.name}'`, max) }),
  })
}

/** The agent's maximum takes precedence over the maximum in the design of the tool, because the author of an agent knows its model. */
function maxResultOf(
  { maxResult, maxResults }: ToolsetUse,
  { name, maxResult: ofTool }: ToolSpec,
  ofAgent: MaxResult | undefined,
): MaxResult | undefined {
  if (maxResults !== undefined && Object.hasOwn(maxResults, name)) return maxResults[name]
  return maxResult ?? ofAgent ?? ofTool
}

/** A smaller result would have no space for the notes about omitted content. The option `maxResult` in a design has the same minimum values. */
const LEAST = { tokens: 200, bytes: 500, items: 1 } as const

function requireMaxResult(tool: string, max: MaxResult): MaxResult {
  const units = typeof max === 'object' && max !== null ? Object.entries(max).filter(([, n]) => n !== undefined) : []
  const [[unit = '', value] = []] = units
  if (units.length !== 1 || !Object.hasOwn(LEAST, unit)) {
    throw new TypeError(
      `maxResult of ${tool} must be an object with one of tokens, bytes and items, for example { tokens: 2_000 }`,
    )
  }
  const least = LEAST[unit as keyof typeof LEAST]
  if (Number.isSafeInteger(value) && Number(value) >= least) return max
  throw new RangeError(`maxResult of ${tool}: ${unit} must be an integer of at least ${least}, but is ${String(value)}`)
}

/**
 * Returns the specs (names, schemas and annotations) of the tools that an agent uses, deeply frozen and in the order of the design. Excludes the tool
 * `read_result`.
 *
 * @param maxResult maximum size of results, set by the agent
 * @throws {BindingError} if two toolsets share a name or two tools share a tool name.
 */
export function usedSpecs(uses: readonly ToolsetUse[], maxResult?: MaxResult): readonly AgentToolSpec[] {
  const errors = useErrors(uses)
  if (errors.length > 0) throw new BindingError('these toolsets', errors)
  return Object.freeze(uses.flatMap((use) => selectedTools(use).map((tool) => agentSpec(use, tool, maxResult))))
}

/**
 * Returns the specs (names, schemas and annotations) of the tools that an agent offers to other agents, deeply frozen and in the order of the design.
 *
 * @throws {BindingError} if two toolsets share a name or two tools share a tool name.
 */
export function offeredSpecs(toolsets: readonly ToolsetDescriptor[]): readonly AgentToolSpec[] {
  return usedSpecs(toolsets.map((toolset) => ({ toolset, provider: 'agent' })))
}

export function deepFreeze<Value>(value: Value, seen: Set<unknown> = new Set()): Value {
  if (typeof value !== 'object' || value === null || seen.has(value)) return value
  seen.add(value)
  for (const inner of Object.values(value)) deepFreeze(inner, seen)
  return Object.freeze(value)
}

export interface BoundTool {
  readonly id: ToolId
  readonly spec: AgentToolSpec
  readonly toolsetDescription: string
  readonly payload: Pick<Codec<never, unknown>, 'decode' | 'decodeValue'>
  readonly result: Pick<Codec<never, unknown>, 'decode' | 'decodeValue' | 'encodeValue'>
  readonly updates: Pick<Codec<never, unknown>, 'encodeValue'> | undefined
  readonly serverOwned: readonly OwnedField[]
  readonly executor: ToolExecutor
  readonly payloadAdapter: JsonAdapter | undefined
  readonly resultAdapter: JsonAdapter | undefined
  readonly decodeInExecutor: boolean
  readonly check: StandardCheck | undefined
  readonly examples: {
    readonly valid: () => readonly JsonValue[]
    readonly created: () => JsonValue | undefined
  }
  readonly hints: { readonly call: HintTemplate | undefined; readonly result: HintTemplate | undefined }
  readonly telemetryBuilder: TelemetryBuilder | undefined
  readonly keepsPseudonyms: boolean
  readonly sensitive: SensitivePlan | undefined
}

export interface OwnedField extends Pick<ServerOwnedField, 'field' | 'from'> {
  readonly rule: Pick<Codec<never, unknown>, 'decodeValue'>
}

export function boundTools(
  registration: ToolsetRegistration<never>,
  maxResult: MaxResult | undefined,
): readonly BoundTool[] {
  const { use, executor, payloadAdapter, resultAdapter, decodeInExecutor, hints = {}, telemetryBuilder } = registration
  // Applications in plain JavaScript may pass `null` instead of omitting the option.
  const checks = registration.checks ?? {}
  // The tools of a registered toolset must not change.
  Object.freeze(use.toolset.tools)
  return selectedTools(use).map((tool): BoundTool => {
    const { spec, payload, result } = tool
    const { name, updates } = spec
    const ownHints = Object.hasOwn(hints, name) ? hints[name] : undefined
    return {
      id: `${useName(use)}.${name}`,
      spec: agentSpec(use, tool, maxResult),
      toolsetDescription: use.toolset.description,
      payload,
      result,
      updates: updates === undefined ? undefined : resultCodec({ schema: updates }),
      serverOwned: spec.serverOwned.map(({ field, from, schema }) => ({ field, from, rule: payloadCodec({ schema }) })),
      executor,
      payloadAdapter: payloadAdapter ?? undefined,
      resultAdapter: resultAdapter ?? undefined,
      decodeInExecutor: decodeInExecutor ?? false,
      check: Object.hasOwn(checks, name) ? checks[name] : undefined,
      examples: {
        valid: lazy(() => spec.examples.filter((example) => payload.decodeValue(example).ok)),
        created: lazy(() => exampleOf(spec.arguments)),
      },
      hints: {
        call: templateOf(ownHints?.call ?? spec.callHint),
        result: templateOf(ownHints?.result ?? spec.resultHint),
      },
      telemetryBuilder: telemetryBuilder ?? undefined,
      keepsPseudonyms: keepsPseudonyms(executor),
      sensitive: sensitivePlan(spec.sensitive, payload),
    }
  })
}

function templateOf(template: string | undefined): HintTemplate | undefined {
  return template === undefined ? undefined : hintTemplate(template)
}

function lazy<Value>(create: () => Value): () => Value {
  let created: { readonly value: Value } | undefined
  return () => {
    created ??= { value: create() }
    return created.value
  }
}

/**
 * Contains more than the tools of one agent, because several agents can continue the same conversation, and an earlier call can belong to a tool of
 * another agent.
 */
export class KnownTools {
  readonly #byName = new Map<string, Map<string, BoundTool>>()

  add(served: readonly { readonly tool: BoundTool }[]): void {
    for (const { tool } of served) {
      for (const name of [tool.id, tool.spec.toolName]) {
        const tools = this.#byName.get(name) ?? new Map<string, BoundTool>()
        this.#byName.set(name, tools.set(tool.id, tool))
      }
    }
  }

  /** @param own tool with this name of the agent that continues the conversation */
  find(name: string, own: BoundTool | undefined): readonly BoundTool[] {
    return own === undefined ? [...(this.#byName.get(name)?.values() ?? [])] : [own]
  }
}
