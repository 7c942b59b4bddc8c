import type { RunConfig } from '../call/run-config.js'
import type { CallOptions, EnvOption, HasApproval, NeededOptions } from '../types/call-options.js'
import type { Acknowledgement, ToolOutcome } from '../types/outcome.js'
import type { AgentToolSpec, MetaField, ToolCall, ToolDescriptor } from '../types/tool.js'

/** Options for calls by a framework: server-owned fields, labels, layers of the run and their `env`. */
export type CallContext<Env = unknown, Needs extends MetaField = never> = Omit<CallOptions, 'signal' | 'onUpdate'> &
  NeededOptions<Needs> &
  EnvOption<Env> & { readonly config?: RunConfig<Env> | undefined }

/** Context of all calls, or a function that returns it for the framework's data about a call. */
type ContextOf<Request, Context> = Context | ((request: Request) => Context | Promise<Context>)

/**
 * Decides who approves calls of tools whose design declares a confirmation: `env.approval` of the context, or the
 * framework.
 */
type ApprovalMode = 'env' | 'framework'

interface CommonOptions<Request, Needs extends MetaField> {
  /** Descriptors of the tools to offer. Default: all tools. */
  readonly only?: readonly ToolDescriptor<never, unknown, any, Needs>[] // `any`: results of any type
  /** Uses schemas in the form of OpenAI's strict mode where possible. */
  readonly strict?: boolean
  /** Receives the response of each call. The adapter does not await the function and ignores its errors. */
  readonly onOutcome?: (response: CallResponse, request: Request) => unknown
}

interface PlainOptions<Request, Supplied extends MetaField> extends CommonOptions<Request, Supplied> {
  readonly context?: ContextOf<Request, CallContext>
}

/** Options if calls require an `env` or server-owned fields. */
interface RequiredOptions<Request, Env, Needs extends MetaField, Supplied extends MetaField>
  extends CommonOptions<Request, Needs> {
  readonly context: ContextOf<Request, CallContext<Env, Exclude<Needs, Supplied>>>
}

/** Options for any tools, used by the implementations. */
export interface FrameworkOptions<Request> extends CommonOptions<Request, MetaField> {
  readonly context?: ContextOf<Request, object>
  readonly approvals?: ApprovalMode
}

/** The `env` type that the context must provide. `env.approval` is optional if the framework asks for approval. */
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
 * Source of tools for another framework: a `BoundAgent`, a `BoundToolset`, a `Session`, or a wrapper of one. `Env` is
 * the `env` type that their layers require.
 */
export type CallableTools<Env = unknown> = {
  /** Type-only marker. Never set. */
  readonly '~env'?: (env: Env) => void
  /** Executes a call by tool id or tool name. */
  // `any`: the options are checked by the types of the adapters.
  execute(call: ToolCall, options: any): Promise<CallResponse>
} & ({ readonly specs: readonly AgentToolSpec[] } | SessionTools)

interface SessionTools {
  readonly tools: readonly AgentToolSpec[]
}

type EnvOf<Tools> = Tools extends { readonly '~env'?: (env: infer Env) => void } ? Env : unknown

/** Fields of `meta` that the runtime or the session fills. */
type SuppliedBy<Tools> = Tools extends SessionTools ? 'toolCallId' | 'sessionId' : 'toolCallId'

/** Outcome of a call, or in a session the acknowledgement of a streaming tool. */
export type CallResponse = ToolOutcome | Acknowledgement
