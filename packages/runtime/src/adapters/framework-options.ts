import type { RunConfig } from '../call/run-config.js'
import type { CallOptions, EnvOption, HasApproval, NeededOptions } from '../types/call-options.js'
import type { MediaOptions } from '../types/content.js'
import type { Acknowledgement, ToolOutcome } from '../types/outcome.js'
import type { AgentToolSpec, MetaField, RuntimeField, ToolCall, ToolDescriptor } from '../types/tool.js'

/**
 * Options for the tool calls that a framework makes, for example labels, the `env` that layers receive, and values such as `sessionId` for payload
 * fields that only the runtime sets.
 */
export type CallContext<Env = unknown, Needs extends MetaField = never> = Omit<CallOptions, 'signal' | 'onUpdate'> &
  NeededOptions<Needs> &
  EnvOption<Env> & { readonly config?: RunConfig<Env> | undefined }

type ContextOf<Request, Context> = Context | ((request: Request) => Context | Promise<Context>)

/** Approver of calls that need a confirmation. `env`: the approver in `context.env.approval`. `framework`: the user whom the framework asks. */
type ApprovalMode = 'env' | 'framework'

/** `Needs` is the union of the metadata fields that the options of a call must contain, such as `'sessionId'`. */
export type AnyDescriptor<Needs extends MetaField = MetaField> = ToolDescriptor<never, unknown, any, Needs> // `any`: results of any type

interface CommonOptions<Request, Chosen extends AnyDescriptor> {
  /** Descriptors of the tools to offer. Default: all tools. */
  readonly only?: readonly Chosen[]
  /** If `true`, uses schemas for OpenAI's strict mode where possible. Default: `true` for `openAiAgentsTools`, `false` for other adapters. */
  readonly strict?: boolean
  /**
   * Files, such as images and audio, that the model accepts in tool results. In place of any other file, the model reads a short text. Default:
   * images in common formats of at most 3.75 MB. `langChainTools` accepts no files by default, because `ChatOpenAI` does not accept files in tool
   * messages.
   */
  readonly media?: MediaOptions
  /**
   * Function that receives the response to each call, and the framework's data about the call, such as `AiSdkCall`. Not awaited. Errors are ignored.
   * Default: none.
   */
  readonly onOutcome?: (response: CallResponse, request: Request) => unknown
}

interface PlainOptions<Request, Chosen extends AnyDescriptor> extends CommonOptions<Request, Chosen> {
  readonly context?: ContextOf<Request, CallContext>
}

interface RequiredOptions<Request, Env, Chosen extends AnyDescriptor, Supplied extends MetaField>
  extends CommonOptions<Request, Chosen> {
  readonly context: ContextOf<Request, CallContext<Env, Exclude<NeedsOfTool<Chosen>, Supplied>>>
}

type NeedsOfTool<Descriptor> = Descriptor extends AnyDescriptor<infer Needs> ? Needs : never

/** For code inside an adapter. Callers of an adapter use the precise types of {@link ToolAdapter} and {@link ApprovingAdapter}. */
export interface FrameworkOptions<Request> extends CommonOptions<Request, AnyDescriptor> {
  readonly context?: ContextOf<Request, object>
  readonly approvals?: ApprovalMode
}

/** With `approvals: 'framework'`, the application needs no approver, because the framework asks its user. */
type EnvWithoutApproval<Env, Mode extends ApprovalMode> = Mode extends 'framework'
  ? [keyof Env] extends [keyof HasApproval]
    ? unknown
    : Omit<Env, keyof HasApproval>
  : Env

/**
 * An adapter extends this interface, for example with `made: AiSdkTools<this['tools']>`. Another type can then replace `tools`. The interface exists
 * because TypeScript does not accept `AiSdkTools` without its type argument.
 */
export interface Conversion {
  readonly tools: unknown
  readonly made: unknown
}

type Converted<Made, Tools, Chosen> = Made extends Conversion
  ? (Made & {
      readonly tools: [Chosen] extends [never] ? ToolTypes<Tools> : PickTools<ToolTypes<Tools>, Chosen>
    })['made']
  : Made

type PickTools<Types, Chosen> = unknown extends Types
  ? unknown
  : { [Name in keyof Types as Types[Name] extends Chosen ? Name : never]: Types[Name] }

type ToolTypes<Tools> = Tools extends { readonly '~tools'?: infer Types } ? Types : unknown

export interface ToolAdapter<Request, Made> {
  <Tools extends CallableTools, Chosen extends AnyDescriptor<SuppliedBy<Tools>> = never>(
    tools: Tools,
    options?: PlainOptions<Request, Chosen>,
  ): Made
  <Tools extends CallableTools<never>, Chosen extends AnyDescriptor = never>(
    tools: Tools,
    options: RequiredOptions<Request, EnvOf<Tools>, Chosen, SuppliedBy<Tools>>,
  ): Made
}

export interface ApprovingAdapter<Request, Made> {
  <Tools extends CallableTools, Chosen extends AnyDescriptor<SuppliedBy<Tools>> = never>(
    tools: Tools,
    options?: PlainOptions<Request, Chosen> & { readonly approvals?: ApprovalMode },
  ): Converted<Made, Tools, Chosen>
  <Tools extends CallableTools<HasApproval>, Chosen extends AnyDescriptor<SuppliedBy<Tools>> = never>(
    tools: Tools,
    options: PlainOptions<Request, Chosen> & { readonly approvals: 'framework' },
  ): Converted<Made, Tools, Chosen>
  <Tools extends CallableTools<never>, Chosen extends AnyDescriptor = never, Mode extends ApprovalMode = 'env'>(
    tools: Tools,
    options: RequiredOptions<Request, EnvWithoutApproval<EnvOf<Tools>, Mode>, Chosen, SuppliedBy<Tools>> & {
      readonly approvals?: Mode
    },
  ): Converted<Made, Tools, Chosen>
}

export type CallableTools<Env = unknown> = {
  /** Never set. TypeScript uses this property to compare the `env` that the tools require with the `env` in the options of an adapter. */
  readonly '~env'?: (env: Env) => void
  /** The property `tool` of the call is a tool id or a tool name. */
  // `any`: the options are checked by the types of the adapters.
  execute(call: ToolCall, options: any): Promise<CallResponse>
} & ({ readonly specs: readonly AgentToolSpec[] } | SessionTools)

interface SessionTools {
  readonly tools: readonly AgentToolSpec[]
}

type EnvOf<Tools> = Tools extends { readonly '~env'?: (env: infer Env) => void } ? Env : unknown

/** Metadata fields that the application may omit, because the runtime or the session sets these fields. */
type SuppliedBy<Tools> = Tools extends SessionTools ? RuntimeField | 'sessionId' : RuntimeField

export type CallResponse = ToolOutcome | Acknowledgement
