import type { CallOptions, NeededOptions } from '../contract/call-options.js'
import type { EnvOption, HasApproval } from '../contract/capability.js'
import type { ToolDescriptor } from '../contract/descriptor.js'
import type { MetaField } from '../contract/meta.js'
import type { RunConfig } from '../layer/run-config.js'
import type { Answered, CallableTools, EnvOf, SuppliedBy } from './callable-tools.js'

/** What calls run with: what their server-owned fields are filled from, labels, layers of the run scope and their `env`. */
export type CallContext<Env = unknown, Needs extends MetaField = never> = Omit<CallOptions, 'signal' | 'onUpdate'> &
  NeededOptions<Needs> &
  EnvOption<Env> & { readonly config?: RunConfig<Env> | undefined }

/** One context for all calls, or a function of what the framework says of one. */
export type ContextOf<Asked, Context> = Context | ((asked: Asked) => Context | Promise<Context>)

/**
 * Who is asked before a tool runs whose design declares a confirmation: `env` is the approval of the context, `framework`
 * what the framework itself has for that.
 */
export type Approvals = 'env' | 'framework'

/** What may be said of tools whatever they need. */
interface CommonOptions<Asked, Needs extends MetaField> {
  /** Which tools are given, by their descriptors; absent: all. */
  readonly only?: readonly ToolDescriptor<never, unknown, any, Needs>[] // `any`: whatever their results
  /** Whether schemas are written in the form that OpenAI's strict mode takes, where that can say them. */
  readonly strict?: boolean
  /** Told of each call when it has its outcome. Not waited for; what it throws is dropped. */
  readonly onOutcome?: (answered: Answered, asked: Asked) => unknown
}

/** The options of tools whose calls need nothing. */
export interface PlainOptions<Asked, Supplied extends MetaField> extends CommonOptions<Asked, Supplied> {
  readonly context?: ContextOf<Asked, CallContext>
}

/** The options of tools whose calls need something: an `env`, or what server-owned fields are filled from. */
export interface NeedyOptions<Asked, Env, Needs extends MetaField, Supplied extends MetaField>
  extends CommonOptions<Asked, Needs> {
  readonly context: ContextOf<Asked, CallContext<Env, Exclude<Needs, Supplied>>>
}

/** Options whatever the tools need; for what stands behind the types. */
export interface FrameworkOptions<Asked> extends CommonOptions<Asked, MetaField> {
  readonly context?: ContextOf<Asked, object>
  readonly approvals?: Approvals
}

/** What a context still gives where the framework asks for approval. */
type EnvBeside<Env, Mode extends Approvals> = Mode extends 'framework'
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
    options?: PlainOptions<Asked, SuppliedBy<Tools>> & { readonly approvals?: Approvals },
  ): Made
  <Tools extends CallableTools<HasApproval>>(
    tools: Tools,
    options: PlainOptions<Asked, SuppliedBy<Tools>> & { readonly approvals: 'framework' },
  ): Made
  <Tools extends CallableTools<never>, Needs extends MetaField = never, Mode extends Approvals = 'env'>(
    tools: Tools,
    options: NeedyOptions<Asked, EnvBeside<EnvOf<Tools>, Mode>, Needs, SuppliedBy<Tools>> & {
      readonly approvals?: Mode
    },
  ): Made
}
