import { missingMeta } from '../call/call-meta.js'
import { ignoreErrors } from '../call/telemetry.js'
import { argumentRestorer, openAiTool } from '../projections/openai.js'
import { isFields } from '../schema/json-values.js'
import type { ToolCall } from '../types/call.js'
import type { JsonText, Mutable } from '../types/json.js'
import type { AgentToolSpec, ToolCallMeta } from '../types/tool.js'
import {
  type CallableTools,
  type CallContext,
  type CallResponse,
  type FrameworkOptions,
  frameworkApproval,
  specsOf,
} from './framework-options.js'
import { failedBefore } from './tool-answer.js'

/** A call as a framework asks for it. */
interface FrameworkCall<Asked> {
  /** What the framework says of the call, for whoever says what it runs with. */
  readonly asked: Asked
  readonly arguments: JsonText
  /** Absent: the runtime makes one. */
  readonly toolCallId?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly onUpdate?: (update: JsonText) => void
}

/** A tool in terms that every framework has. */
export interface FrameworkTool<Asked> {
  readonly spec: AgentToolSpec
  /** JSON Schema of the arguments, as text: some frameworks write into the one that they get. */
  readonly schema: JsonText
  /** Whether the schema is in the form of OpenAI's strict mode. */
  readonly isStrict: boolean
  /**
   * Whether the framework is to ask its user before it calls: present where it asks for approval and the design declares
   * a confirmation. Nobody is asked about arguments that are not valid.
   */
  readonly needsApproval?: (json: JsonText) => boolean
  /** One call on the one path of all calls. Never rejects. */
  call(call: FrameworkCall<Asked>): Promise<CallResponse>
}

/** A tool of a framework over the tool of a toolset, agent or session. */
function frameworkTool<Asked>(
  tools: CallableTools<never>,
  spec: AgentToolSpec,
  options: FrameworkOptions<Asked>,
): FrameworkTool<Asked> {
  const { context, strict = false, onOutcome } = options
  const { tool, strict: isStrict } = openAiTool(spec, { strict })
  const restore = isStrict ? argumentRestorer(spec) : (json: JsonText) => json
  const approval = options.approvals === 'framework' ? frameworkApproval(spec) : undefined

  const answered = async ({ asked, signal, onUpdate }: FrameworkCall<Asked>, call: ToolCall): Promise<CallResponse> => {
    try {
      const given: object = (typeof context === 'function' ? await context(asked) : context) ?? {}
      const env = approval?.envOf(given, call)
      return await tools.execute(call, { ...given, ...(env && { env }), signal, onUpdate })
    } catch (error) {
      return failedBefore(call, error)
    }
  }
  return {
    spec,
    schema: JSON.stringify(tool.function.parameters),
    isStrict,
    ...(approval && spec.confirmation && { needsApproval: (json) => approval.isAsked(restore(json)) }),
    call: async (asked) => {
      const call: Mutable<ToolCall> = { tool: spec.toolName, arguments: restore(asked.arguments) }
      if (asked.toolCallId !== undefined) call.toolCallId = asked.toolCallId
      const answer = await answered(asked, call)
      if (onOutcome !== undefined) ignoreErrors(() => onOutcome(answer, asked.asked))
      return answer
    },
  }
}

/**
 * The tools of a toolset, agent or session for a framework, in the order of the design.
 *
 * @throws {TypeError} where `only` names a tool that there is not; where one context is for all calls and server-owned
 * fields cannot be filled from it, naming all of them.
 */
export function frameworkTools<Asked>(
  tools: CallableTools<never>,
  options: FrameworkOptions<Asked>,
): readonly FrameworkTool<Asked>[] {
  const specs = selected(specsOf(tools), options.only)
  if (typeof options.context !== 'function') requireMeta(specs, metaOf(tools, options.context ?? {}))
  return specs.map((spec) => frameworkTool(tools, spec, options))
}

function selected(specs: readonly AgentToolSpec[], only: FrameworkOptions<never>['only']): readonly AgentToolSpec[] {
  if (only === undefined) return specs
  const ids = new Set(only.map(({ spec }) => spec.id))
  const chosen = specs.filter(({ id }) => ids.delete(id))
  if (ids.size > 0) throw new TypeError(`only: there is no tool ${[...ids].join(', ')} here`)
  return chosen
}

/** What every call is known to have: of the context, of the session, of the runtime itself. */
function metaOf(tools: CallableTools<never>, { config, ...context }: CallContext): ToolCallMeta {
  const meta: Mutable<ToolCallMeta> = {
    toolCallId: '',
    attempt: 1,
    labels: { ...config?.parts.labels, ...context.labels },
    signal: new AbortController().signal,
  }
  const sessionId = 'specs' in tools ? context.sessionId : ''
  if (sessionId !== undefined) meta.sessionId = sessionId
  for (const field of ['runId', 'turnId', 'parentToolCallId'] as const) {
    const given = context[field]
    if (given !== undefined) meta[field] = given
  }
  return meta
}

function requireMeta(specs: readonly AgentToolSpec[], meta: ToolCallMeta): void {
  const lacks = specs.flatMap(({ id, serverOwned }) =>
    missingMeta(serverOwned, meta).map((field) => `context.${field} (for ${id})`),
  )
  if (lacks.length > 0) throw new TypeError(`the calls of these tools need ${lacks.join(', ')}`)
}

/** Under which arguments that are no JSON travel through a framework: models' servers take nothing but objects as such. */
const MALFORMED = '~malformed'

/** Arguments that are no JSON, as an object. */
export function malformedArguments(written: string): { readonly [MALFORMED]: string } {
  return { [MALFORMED]: written }
}

/** The arguments of which a framework has the parsed value: written anew, or as the model wrote them where they are no JSON. */
export function argumentsText(parsed: unknown): JsonText {
  if (isFields(parsed) && Object.keys(parsed).length === 1 && Object.hasOwn(parsed, MALFORMED)) {
    const sent = parsed[MALFORMED]
    if (typeof sent === 'string') return sent
  }
  return written(parsed)
}

/** Arguments that cannot be written (they are nested too deep) are none. */
function written(parsed: unknown): JsonText {
  try {
    return JSON.stringify(parsed) ?? ''
  } catch {
    return ''
  }
}
