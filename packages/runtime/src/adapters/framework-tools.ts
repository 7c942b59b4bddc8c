import { confirmationCondition } from '../call/approvals.js'
import { missingMeta } from '../call/call-context.js'
import { classify } from '../call/classify.js'
import { requireMedia } from '../call/content.js'
import { failedOutcome } from '../call/failed-outcome.js'
import { missingTexts } from '../call/required-options.js'
import { ignoreErrors } from '../call/telemetry.js'
import { payloadCodec } from '../codec/codecs.js'
import { openAiTool } from '../projections/openai.js'
import { argumentRestorer } from '../projections/restore-arguments.js'
import type { HasApproval } from '../types/call-options.js'
import type { Codec } from '../types/codec.js'
import type { MediaOptions } from '../types/content.js'
import type { JsonText, JsonValue, Mutable } from '../types/json.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { AgentToolSpec, ToolCall, ToolCallMeta } from '../types/tool.js'
import type { CallableTools, CallContext, CallResponse, FrameworkOptions } from './framework-options.js'
import { argumentsText } from './tool-output.js'

export function failedToStart({ tool, toolCallId = '', arguments: rejected }: ToolCall, cause: unknown): ToolOutcome {
  const failed = { call: { tool, toolCallId }, rejected, durationMs: 0, attempts: 0, cause }
  return failedOutcome(classify(cause, Date.now()), failed)
}

interface FrameworkCall<Request> {
  readonly request: Request
  readonly input: unknown
  readonly toolCallId?: string | undefined
  readonly signal?: AbortSignal | undefined
}

export class FrameworkTool<Request> {
  readonly spec: AgentToolSpec
  /** JSON text, because some frameworks change the schema. Each use therefore parses a new object. */
  readonly schema: JsonText
  readonly isStrict: boolean
  readonly media: MediaOptions | undefined
  /** `undefined` if calls of the tool never need an approval by the user of the framework. */
  readonly needsApproval: ((input: unknown) => boolean) | undefined
  readonly #tools: CallableTools<never>
  readonly #options: FrameworkOptions<Request>
  readonly #restore: (json: JsonText) => JsonText
  #codec: Codec<never, unknown> | undefined = undefined
  #condition: ((decoded: unknown) => boolean) | undefined = undefined

  constructor(tools: CallableTools<never>, spec: AgentToolSpec, options: FrameworkOptions<Request>) {
    const { tool, strict } = openAiTool(spec, { strict: options.strict ?? false })
    this.spec = spec
    this.schema = JSON.stringify(tool.function.parameters)
    this.isStrict = strict
    this.media = options.media
    this.#tools = tools
    this.#options = options
    this.#restore = strict ? argumentRestorer(spec) : (json) => json
    const needsApproval = options.approvals === 'framework' && spec.confirmation !== undefined
    this.needsApproval = needsApproval ? (input) => this.#asksUser(this.#restore(argumentsText(input))) : undefined
  }

  /** Executes a call. Never rejects: for an error, returns a failed outcome. */
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

  stream(call: FrameworkCall<Request>): AsyncGenerator<JsonValue, CallResponse, undefined> {
    return streamUpdates((onUpdate) => this.call(call, onUpdate))
  }

  #asksUser(json: JsonText): boolean {
    if (this.spec.confirmation === undefined) return false
    this.#codec ??= payloadCodec({ schema: this.spec.arguments })
    const decoded = this.#codec.decode(json)
    if (!decoded.ok) return false
    this.#condition ??= confirmationCondition(this.spec) ?? (() => true)
    return this.#condition(decoded.value)
  }

  /**
   * If the framework has already asked its user about `call`, the returned approver approves `call`. For all other requests, such as calls in nested
   * runs, the approver in `env` decides.
   */
  #approvedEnv(env: Partial<HasApproval> | undefined, call: ToolCall): HasApproval {
    const wasApproved = this.#asksUser(call.arguments)
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

export function frameworkTools<Request>(
  tools: CallableTools<never>,
  options: FrameworkOptions<Request>,
): readonly FrameworkTool<Request>[] {
  const { only, context } = options
  requireMedia('options of the tools', options.media)
  let specs = 'specs' in tools ? tools.specs : tools.tools
  if (only !== undefined) {
    const ids = new Set(only.map(({ spec }) => spec.id))
    specs = specs.filter(({ id }) => ids.delete(id))
    if (ids.size > 0) throw new TypeError(`only: unknown tool ${[...ids].join(', ')}`)
  }
  if (typeof context !== 'function') {
    const meta = knownMeta(tools, context ?? {})
    const missing = specs.flatMap((tool) => missingMeta(tool.serverOwned, meta).map((field) => ({ field, tool })))
    if (missing.length > 0) {
      throw new TypeError(`calls of these tools require ${missingTexts('context', missing).join(', ')}`)
    }
  }
  return specs.map((spec) => new FrameworkTool(tools, spec, options))
}

function knownMeta(tools: CallableTools<never>, { config, ...context }: CallContext): ToolCallMeta {
  const meta: Mutable<ToolCallMeta> = {
    toolCallId: '',
    idempotencyKey: '',
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
 * If the consumer stops reading, the call continues. Only the abort signal of the call can cancel the call.
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
    // Updates are dropped after a session has acknowledged the call, or after the consumer has stopped reading.
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
