import type { RunConfig } from '../call/layer-scope.js'
import { payloadCodec } from '../codec/codecs.js'
import type { ToolCall, ToolDescriptor } from '../types/call.js'
import type { ApprovalRequest, CallOptions, EnvOption, HasApproval, NeededOptions } from '../types/call-options.js'
import type { Codec } from '../types/codec.js'
import type { JsonText } from '../types/json.js'
import type { Acknowledgement, ToolOutcome } from '../types/outcome.js'
import type { AgentToolSpec, MetaField } from '../types/tool.js'

/** What calls run with: what their server-owned fields are filled from, labels, layers of the run scope and their `env`. */
export type CallContext<Env = unknown, Needs extends MetaField = never> = Omit<CallOptions, 'signal' | 'onUpdate'> &
  NeededOptions<Needs> &
  EnvOption<Env> & { readonly config?: RunConfig<Env> | undefined }

/** One context for all calls, or a function of what the framework says of one. */
type ContextOf<Asked, Context> = Context | ((asked: Asked) => Context | Promise<Context>)

/**
 * Who is asked before a tool runs whose design declares a confirmation: `env` is the approval of the context, `framework`
 * what the framework itself has for that.
 */
export type ApprovalMode = 'env' | 'framework'

/** What may be said of tools whatever they need. */
interface CommonOptions<Asked, Needs extends MetaField> {
  /** Which tools are given, by their descriptors; absent: all. */
  readonly only?: readonly ToolDescriptor<never, unknown, any, Needs>[] // `any`: whatever their results
  /** Whether schemas are written in the form that OpenAI's strict mode takes, where that can say them. */
  readonly strict?: boolean
  /** Told of each call when it has its outcome. Not waited for; what it throws is dropped. */
  readonly onOutcome?: (answered: CallResponse, asked: Asked) => unknown
}

/** The options of tools whose calls need nothing. */
interface PlainOptions<Asked, Supplied extends MetaField> extends CommonOptions<Asked, Supplied> {
  readonly context?: ContextOf<Asked, CallContext>
}

/** The options of tools whose calls need something: an `env`, or what server-owned fields are filled from. */
interface NeedyOptions<Asked, Env, Needs extends MetaField, Supplied extends MetaField>
  extends CommonOptions<Asked, Needs> {
  readonly context: ContextOf<Asked, CallContext<Env, Exclude<Needs, Supplied>>>
}

/** Options whatever the tools need; for what stands behind the types. */
export interface FrameworkOptions<Asked> extends CommonOptions<Asked, MetaField> {
  readonly context?: ContextOf<Asked, object>
  readonly approvals?: ApprovalMode
}

/** What a context still gives where the framework asks for approval. */
type EnvBeside<Env, Mode extends ApprovalMode> = Mode extends 'framework'
  ? [keyof Env] extends [keyof HasApproval]
    ? unknown
    : Omit<Env, keyof HasApproval>
  : Env

/** Makes tools of a framework that has no approval of its own. */
export interface ToolAdapter<Asked, Made> {
  <Tools extends CallableTools>(tools: Tools, options?: PlainOptions<Asked, SuppliedBy<Tools>>): Made
  <Tools extends CallableTools<never>, Needs extends MetaField = never>(
    tools: Tools,
    options: NeedyOptions<Asked, EnvOf<Tools>, Needs, SuppliedBy<Tools>>,
  ): Made
}

/** Makes tools of a framework that can ask its user before a tool runs. */
export interface ApprovingAdapter<Asked, Made> {
  <Tools extends CallableTools>(
    tools: Tools,
    options?: PlainOptions<Asked, SuppliedBy<Tools>> & { readonly approvals?: ApprovalMode },
  ): Made
  <Tools extends CallableTools<HasApproval>>(
    tools: Tools,
    options: PlainOptions<Asked, SuppliedBy<Tools>> & { readonly approvals: 'framework' },
  ): Made
  <Tools extends CallableTools<never>, Needs extends MetaField = never, Mode extends ApprovalMode = 'env'>(
    tools: Tools,
    options: NeedyOptions<Asked, EnvBeside<EnvOf<Tools>, Mode>, Needs, SuppliedBy<Tools>> & {
      readonly approvals?: Mode
    },
  ): Made
}

/** How a call ended; of a streaming tool in a session that it has begun. */
export type CallResponse = ToolOutcome | Acknowledgement

/**
 * Tools that another framework can be given: a `BoundAgent`, a `BoundToolset`, a user's `Session`, or what stands in front of
 * one. `Env` names what the layers around them need.
 */
export type CallableTools<Env = unknown> = {
  /** Never present; carries the type. */
  readonly '~env'?: (env: Env) => void
  /** Executes one call, by the tool's id or tool name. */
  // `any`: what the call needs is checked by type where the options are given.
  execute(call: ToolCall, options: any): Promise<CallResponse>
} & (OfferedSpecs | OfferedTools)

/** As agents and toolsets name what may be called. */
interface OfferedSpecs {
  readonly specs: readonly AgentToolSpec[]
}

/** As sessions do. */
interface OfferedTools {
  readonly tools: readonly AgentToolSpec[]
}

/** What the layers around some tools need. */
type EnvOf<Tools> = Tools extends { readonly '~env'?: (env: infer Env) => void } ? Env : unknown

/** The meta fields that nobody has to give: those that the runtime, or the session, fills by itself. */
type SuppliedBy<Tools> = Tools extends OfferedTools ? 'toolCallId' | 'sessionId' : 'toolCallId'

/** What may be called, in the order of the design. */
export function specsOf(tools: CallableTools<never>): readonly AgentToolSpec[] {
  return 'specs' in tools ? tools.specs : tools.tools
}

/** The approval of one tool by the framework that calls it. */
interface FrameworkApproval {
  /** Whether the framework asks its user before it makes a call with these arguments. */
  isAsked(json: JsonText): boolean
  /** The env of a call that the framework makes: its approval says yes to what the framework has asked about. */
  envOf(given: { readonly env?: object }, call: ToolCall): HasApproval
}

/**
 * ApprovalMode of a framework. It asks about tools whose design declares a confirmation, where the arguments are valid; a call
 * that it makes then is approved, with the arguments that its user saw. The approval of the context decides about everything
 * else: other arguments, which a layer put in their place, and calls of nested runs. Without one these are denied.
 */
export function frameworkApproval({ id, confirmation, arguments: schema }: AgentToolSpec): FrameworkApproval {
  let codec: Codec<never, unknown> | undefined
  const isAsked = (json: JsonText): boolean => {
    if (confirmation === undefined) return false
    codec ??= payloadCodec({ schema })
    return codec.decode(json).ok
  }
  return {
    isAsked,
    envOf: ({ env }: { readonly env?: Partial<HasApproval> }, call) => {
      const wasAsked = isAsked(call.arguments)
      const isCall = ({ tool, toolCallId, rawArguments }: ApprovalRequest): boolean =>
        tool === id && toolCallId === call.toolCallId && rawArguments === call.arguments
      const approve: HasApproval['approval']['approve'] = async (request) => {
        if (wasAsked && isCall(request)) return 'approve'
        return env?.approval?.approve(request) ?? 'deny'
      }
      return { ...env, approval: { approve } }
    },
  }
}
