import { missingMeta } from '../call/call-context.js'
import { classify } from '../call/classify.js'
import { ignoreErrors } from '../call/events.js'
import { failedOutcome } from '../call/failed-outcome.js'
import type { RunConfig } from '../call/layer-scope.js'
import { renderForModel } from '../call/render.js'
import { payloadCodec } from '../codec/codecs.js'
import { openAiTool } from '../projections/openai.js'
import { argumentRestorer } from '../projections/restore-arguments.js'
import { isFields } from '../schema/json-values.js'
import type { CallOptions, EnvOption, HasApproval, NeededOptions } from '../types/call-options.js'
import type { Codec } from '../types/codec.js'
import type { JsonText, JsonValue, Mutable } from '../types/json.js'
import type { Acknowledgement, CallSuspensionKind, FailureReason, ToolOutcome } from '../types/outcome.js'
import type { AgentToolSpec, MetaField, ToolCall, ToolCallMeta, ToolDescriptor } from '../types/tool.js'

/** Options of the calls of a framework: server-owned fields, labels, layers of the run scope and their `env`. */
export type CallContext<Env = unknown, Needs extends MetaField = never> = Omit<CallOptions, 'signal' | 'onUpdate'> &
  NeededOptions<Needs> &
  EnvOption<Env> & { readonly config?: RunConfig<Env> | undefined }

/** One context for all calls, or a function of the framework's data about a call. */
type ContextOf<Request, Context> = Context | ((request: Request) => Context | Promise<Context>)

/**
 * Approval of tools whose design declares a confirmation: by `env.approval` of the context (`env`), or by the framework
 * (`framework`).
 */
type ApprovalMode = 'env' | 'framework'

interface CommonOptions<Request, Needs extends MetaField> {
  /** Descriptors of the tools to offer. Default: all tools. */
  readonly only?: readonly ToolDescriptor<never, unknown, any, Needs>[] // `any`: whatever their results
  /** Writes schemas in the form of OpenAI's strict mode where possible. */
  readonly strict?: boolean
  /** Receives the response of each call. Not waited for; errors are ignored. */
  readonly onOutcome?: (response: CallResponse, request: Request) => unknown
}

interface PlainOptions<Request, Supplied extends MetaField> extends CommonOptions<Request, Supplied> {
  readonly context?: ContextOf<Request, CallContext>
}

/** Options for tools whose calls require an `env` or server-owned fields. */
interface RequiredOptions<Request, Env, Needs extends MetaField, Supplied extends MetaField>
  extends CommonOptions<Request, Needs> {
  readonly context: ContextOf<Request, CallContext<Env, Exclude<Needs, Supplied>>>
}

/** Options for any tools; for implementations. */
export interface FrameworkOptions<Request> extends CommonOptions<Request, MetaField> {
  readonly context?: ContextOf<Request, object>
  readonly approvals?: ApprovalMode
}

/** Environment that the context must give if the framework asks for approval. */
type EnvWithoutApproval<Env, Mode extends ApprovalMode> = Mode extends 'framework'
  ? [keyof Env] extends [keyof HasApproval]
    ? unknown
    : Omit<Env, keyof HasApproval>
  : Env

/** Creates tools of a framework that cannot ask for approval. */
export interface ToolAdapter<Request, Made> {
  <Tools extends CallableTools>(tools: Tools, options?: PlainOptions<Request, SuppliedBy<Tools>>): Made
  <Tools extends CallableTools<never>, Needs extends MetaField = never>(
    tools: Tools,
    options: RequiredOptions<Request, EnvOf<Tools>, Needs, SuppliedBy<Tools>>,
  ): Made
}

/** Creates tools of a framework that can ask its user for approval. */
export interface ApprovingAdapter<Request, Made> {
  <Tools extends CallableTools>(
    tools: Tools,
    options?: PlainOptions<Request, SuppliedBy<Tools>> & { readonly approvals?: ApprovalMode },
  ): Made
  <Tools extends CallableTools<HasApproval>>(
    tools: Tools,
    options: PlainOptions<Request, SuppliedBy<Tools>> & { readonly approvals: 'framework' },
  ): Made
  <Tools extends CallableTools<never>, Needs extends MetaField = never, Mode extends ApprovalMode = 'env'>(
    tools: Tools,
    options: RequiredOptions<Request, EnvWithoutApproval<EnvOf<Tools>, Mode>, Needs, SuppliedBy<Tools>> & {
      readonly approvals?: Mode
    },
  ): Made
}

/**
 * Tools for another framework: a `BoundAgent`, a `BoundToolset`, a `Session`, or a wrapper of one. `Env` is the environment
 * that their layers need.
 */
export type CallableTools<Env = unknown> = {
  /** Never present; carries the type. */
  readonly '~env'?: (env: Env) => void
  /** Executes one call, by the tool's id or tool name. */
  // `any`: the options are checked by type where they are given.
  execute(call: ToolCall, options: any): Promise<CallResponse>
} & ({ readonly specs: readonly AgentToolSpec[] } | SessionTools)

interface SessionTools {
  readonly tools: readonly AgentToolSpec[]
}

type EnvOf<Tools> = Tools extends { readonly '~env'?: (env: infer Env) => void } ? Env : unknown

/** Meta fields that the runtime or the session fills. */
type SuppliedBy<Tools> = Tools extends SessionTools ? 'toolCallId' | 'sessionId' : 'toolCallId'

/** Outcome of a call, or the acknowledgement of a streaming tool in a session. */
export type CallResponse = ToolOutcome | Acknowledgement

/** Outcome of a call as plain data that can be written as JSON and read again. */
export type ToolOutput =
  | {
      readonly status: 'completed'
      readonly result: JsonValue
      /** Text for the model, if it differs from the JSON of the result. */
      readonly text?: string
    }
  | {
      readonly status: 'failed'
      readonly reason: FailureReason
      /** Text for the model: what was wrong, and what to do next. */
      readonly text: string
    }
  | {
      readonly status: 'suspended'
      readonly kind: CallSuspensionKind
      /** Question to a person. */
      readonly prompt?: string
      /** Text for the model. */
      readonly text: string
    }
  | Acknowledgement

export function toolOutput(response: CallResponse): ToolOutput {
  const text = renderForModel(response)
  switch (response.status) {
    case 'completed':
      try {
        const result: JsonValue = JSON.parse(text)
        return { status: 'completed', result, ...(JSON.stringify(result) !== text && { text }) }
      } catch {
        // A layer has replaced the JSON by prose.
        return { status: 'completed', result: text, text }
      }
    case 'failed':
      return { status: 'failed', reason: response.hint.reason, text }
    case 'suspended': {
      const { kind, prompt } = response.suspension
      return { status: 'suspended', kind, ...(prompt !== undefined && { prompt }), text }
    }
    case 'streaming':
      return response
  }
}

/** Returns the text of a {@link ToolOutput} for a model. The output may have been stored by a client meanwhile. */
export function textOfOutput(output: unknown): string {
  if (!isFields(output)) return JSON.stringify(output) ?? ''
  const { status, text, result } = output
  if (typeof text === 'string') return text
  return JSON.stringify(status === 'completed' ? result : output) ?? ''
}

/**
 * Returns the outcome of a call that could not start, because the application could not give its options or the session
 * accepts no calls. It is the same as if the tool had thrown the error.
 */
export function failedToStart({ tool, toolCallId = '', arguments: rejected }: ToolCall, cause: unknown): ToolOutcome {
  const failed = { call: { tool, toolCallId }, rejected, durationMs: 0, attempts: 0, cause }
  return failedOutcome(classify(cause, Date.now()), failed)
}

/** Call of a tool by a framework. */
interface FrameworkCall<Request> {
  /** The framework's data about the call, for `context` and `onOutcome`. */
  readonly request: Request
  readonly input: unknown
  /** Absent: the runtime creates one. */
  readonly toolCallId?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** Tool of an agent, toolset or session, in terms that every framework has. */
export class FrameworkTool<Request> {
  readonly spec: AgentToolSpec
  /** JSON Schema of the arguments as text, since some frameworks change the schema object that they get. */
  readonly schema: JsonText
  /** True if the schema has the form of OpenAI's strict mode. */
  readonly isStrict: boolean
  /**
   * Returns whether the framework must ask its user before the call. Absent if the framework does not ask for this tool.
   * Invalid arguments need no approval.
   */
  readonly needsApproval: ((input: unknown) => boolean) | undefined
  readonly #tools: CallableTools<never>
  readonly #options: FrameworkOptions<Request>
  readonly #restore: (json: JsonText) => JsonText
  #codec: Codec<never, unknown> | undefined = undefined

  constructor(tools: CallableTools<never>, spec: AgentToolSpec, options: FrameworkOptions<Request>) {
    const { tool, strict } = openAiTool(spec, { strict: options.strict ?? false })
    this.spec = spec
    this.schema = JSON.stringify(tool.function.parameters)
    this.isStrict = strict
    this.#tools = tools
    this.#options = options
    this.#restore = strict ? argumentRestorer(spec) : (json) => json
    const needsApproval = options.approvals === 'framework' && spec.confirmation !== undefined
    this.needsApproval = needsApproval ? (input) => this.#canBeApproved(this.#restore(argumentsText(input))) : undefined
  }

  /** Executes a call like any other. Never rejects. */
  async call(call: FrameworkCall<Request>, onUpdate?: (update: JsonText) => void): Promise<CallResponse> {
    const { request, input, toolCallId, signal } = call
    const { context, onOutcome, approvals } = this.#options
    const own: Mutable<ToolCall> = { tool: this.spec.toolName, arguments: this.#restore(argumentsText(input)) }
    if (toolCallId !== undefined) own.toolCallId = toolCallId
    let response: CallResponse
    try {
      const options: { readonly env?: object } =
        (typeof context === 'function' ? await context(request) : context) ?? {}
      const env = approvals === 'framework' && { env: this.#approvedEnv(options.env, own) }
      response = await this.#tools.execute(own, { ...options, ...env, signal, onUpdate })
    } catch (error) {
      response = failedToStart(own, error)
    }
    if (onOutcome !== undefined) ignoreErrors(() => onOutcome(response, request))
    return response
  }

  /** Executes a call; yields the updates and returns the response, like {@link streamUpdates}. */
  stream(call: FrameworkCall<Request>): AsyncGenerator<JsonValue, CallResponse, undefined> {
    return streamUpdates((onUpdate) => this.call(call, onUpdate))
  }

  /** True for a tool whose design declares a confirmation, and valid arguments. */
  #canBeApproved(json: JsonText): boolean {
    if (this.spec.confirmation === undefined) return false
    this.#codec ??= payloadCodec({ schema: this.spec.arguments })
    return this.#codec.decode(json).ok
  }

  /**
   * Returns an env that approves the call with the arguments that the framework's user saw. The approval of the context decides
   * about other requests: other arguments, which a layer has set, and calls of nested runs. Without one these are denied.
   */
  #approvedEnv(env: Partial<HasApproval> | undefined, call: ToolCall): HasApproval {
    const wasApproved = this.#canBeApproved(call.arguments)
    return {
      ...env,
      approval: {
        approve: async (request) => {
          const { tool, toolCallId, rawArguments } = request
          const isCall = tool === this.spec.id && toolCallId === call.toolCallId && rawArguments === call.arguments
          if (wasApproved && isCall) return 'approve'
          return env?.approval?.approve(request) ?? 'deny'
        },
      },
    }
  }
}

/**
 * Returns the tools of a toolset, agent or session for a framework, in the order of the design.
 *
 * @throws {TypeError} if `only` names an unknown tool, or one context is used for all calls and lacks server-owned fields
 */
export function frameworkTools<Request>(
  tools: CallableTools<never>,
  options: FrameworkOptions<Request>,
): readonly FrameworkTool<Request>[] {
  const { only, context } = options
  let specs = 'specs' in tools ? tools.specs : tools.tools
  if (only !== undefined) {
    const ids = new Set(only.map(({ spec }) => spec.id))
    specs = specs.filter(({ id }) => ids.delete(id))
    if (ids.size > 0) throw new TypeError(`only: there is no tool ${[...ids].join(', ')} here`)
  }
  if (typeof context !== 'function') {
    const meta = knownMeta(tools, context ?? {})
    const missing = specs.flatMap(({ id, serverOwned }) =>
      missingMeta(serverOwned, meta).map((field) => `context.${field} (for ${id})`),
    )
    if (missing.length > 0) throw new TypeError(`the calls of these tools need ${missing.join(', ')}`)
  }
  return specs.map((spec) => new FrameworkTool(tools, spec, options))
}

/** Returns the meta that every call has: of the context, of the session, of the runtime. */
function knownMeta(tools: CallableTools<never>, { config, ...context }: CallContext): ToolCallMeta {
  const meta: Mutable<ToolCallMeta> = {
    toolCallId: '',
    attempt: 1,
    labels: { ...config?.parts.labels, ...context.labels },
    signal: new AbortController().signal,
  }
  const sessionId = 'specs' in tools ? context.sessionId : ''
  if (sessionId !== undefined) meta.sessionId = sessionId
  for (const field of ['runId', 'turnId', 'parentToolCallId'] as const) {
    const value = context[field]
    if (value !== undefined) meta[field] = value
  }
  return meta
}

/**
 * Yields the updates of a call as they come, and returns its response. The call goes on if the reader stops; only its signal
 * ends it.
 *
 * @param start starts the call; never rejects
 */
export async function* streamUpdates<Response extends object>(
  start: (onUpdate: (update: JsonText) => void) => Promise<Response>,
): AsyncGenerator<JsonValue, Response, undefined> {
  const updates: JsonValue[] = []
  let response: Response | undefined
  let wake = (): void => undefined
  let isRead = true
  void start((update) => {
    // Updates after the acknowledgement of a session, or after the reader has stopped, are not read.
    if (!isRead || response !== undefined) return
    updates.push(JSON.parse(update))
    wake()
  }).then((value) => {
    response = value
    wake()
  })
  try {
    for (;;) {
      yield* updates.splice(0)
      if (updates.length > 0) continue
      if (response !== undefined) return response
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  } finally {
    isRead = false
  }
}

/** Field in which malformed arguments pass through a framework, which accepts only objects. */
const MALFORMED = '~malformed'

/** Wraps arguments that are not JSON in an object. */
export function malformedArguments(text: string): { readonly [MALFORMED]: string } {
  return { [MALFORMED]: text }
}

/** Returns parsed arguments as JSON, and malformed ones as the model wrote them. */
export function argumentsText(input: unknown): JsonText {
  if (isFields(input) && Object.keys(input).length === 1 && Object.hasOwn(input, MALFORMED)) {
    const text = input[MALFORMED]
    if (typeof text === 'string') return text
  }
  try {
    return JSON.stringify(input) ?? ''
  } catch {
    // Nested too deep.
    return ''
  }
}
