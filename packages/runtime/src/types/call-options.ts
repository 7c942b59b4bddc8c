import type { Approval, Denial } from './approval.js'
import type { JsonText } from './json.js'
import type { DataFlow } from './outcome.js'
import type { EventSink } from './run.js'
import type { MetaField, RuntimeField } from './tool.js'

/** Options of one tool call. An option that is `undefined` counts as absent. */
export interface CallOptions {
  /** Id of the run to which the call belongs. Default: none. */
  readonly runId?: string | undefined
  /** Id of the user's session. Default: none. */
  readonly sessionId?: string | undefined
  /** Id of the conversation turn to which the call belongs. Default: none. */
  readonly turnId?: string | undefined
  /** Id of the tool call that caused this call. Default: none. */
  readonly parentToolCallId?: string | undefined
  /** Labels for the metadata of the call, e.g. `{ tenant: 'acme' }`. Default: none. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** Signal that cancels the call. Default: none. */
  readonly signal?: AbortSignal | undefined
  /** Time at which the call is aborted, in milliseconds since the Unix epoch. Default: none. */
  readonly deadline?: number | undefined
  /** Receives the events of the call, in addition to the sinks of the runtime. Default: none. */
  readonly onEvent?: EventSink | undefined
  /**
   * If `true`, the run also emits the events of all its nested runs, and `suppressChildEvents` is ignored. If `false`,
   * it emits only the events of agents that are registered with `suppressChildEvents: false`. Default: `false`.
   */
  readonly deepTracing?: boolean | undefined
  /**
   * Receives each update of a streaming tool as JSON text. The runtime does not await the listener and ignores its errors. Default: none.
   */
  readonly onUpdate?: ((update: JsonText) => unknown) | undefined
}

/** Name of a label, taken from its metadata field: `tenant` for `labels.tenant`. */
type LabelOf<Needs extends MetaField> = Needs extends `labels.${infer Name}` ? Name : never

/**
 * Options from which the runtime fills the server-owned fields of a call. `toolCallId` and `idempotencyKey` are not among
 * them, because the runtime creates these values.
 */
export type NeededOptions<Needs extends MetaField> = {
  readonly [Field in Exclude<Needs, RuntimeField | `labels.${string}`>]: string
} & ([LabelOf<Needs>] extends [never]
  ? unknown
  : { readonly labels: Readonly<Record<string, string>> & { readonly [Name in LabelOf<Needs>]: string } })

/**
 * Options of a call. The metadata fields in `Needs` are required, because they fill the tool's server-owned fields. For a call
 * that no generated builder created, `Needs` is `any`, and no field is required.
 */
export type OptionsFor<Needs extends MetaField, Options = CallOptions> = Options &
  (unknown extends Needs ? unknown : NeededOptions<Needs>)

/**
 * Appears in a compile error if a call or run lacks required options. `Options` has the names of the missing options,
 * for example `env.approval`.
 *
 * @example
 * support.run('Where is my order?') // not assignable to OptionsRequired<"env.approval">
 * support.run('Where is my order?', { env: { approval } })
 */
export interface OptionsRequired<Options extends string> {
  readonly 'pass these options': Options
}

/**
 * Type of the first argument of a call or run without options. It is `Argument` if no options are required. If options are required, it is
 * {@link OptionsRequired}, which makes the call a compile error. If options are required and no generated builder created the call, it is
 * `Argument & OptionsRequired`, so that the compiler reports wrong properties of the call first.
 */
export type WithoutOptions<Argument, Fields, Env> = [Known<Fields> | EnvFields<Env>] extends [never]
  ? Argument
  : (unknown extends Fields ? Argument : unknown) & OptionsRequired<(Known<Fields> & string) | EnvFields<Env>>

/** Type of omitted options: `undefined` if no options are required, otherwise `never`. */
export type NoOptions<Fields, Env> = [Known<Fields> | EnvFields<Env>] extends [never] ? undefined : never

/**
 * `Fields`, or `never` if `Fields` is `unknown`. `Fields` is `unknown` for a call that no generated builder created.
 */
type Known<Fields> = unknown extends Fields ? never : Fields

type EnvFields<Env> = unknown extends Env ? never : `env.${keyof Env & string}`

/** Call that needs an approval, as the approver receives it. */
export interface ApprovalRequest {
  /** Name of the agent that makes the call. Absent for a call without an agent. */
  readonly agent?: string
  /** Tool id, e.g. `orders.cancelOrder`. */
  readonly tool: string
  /** Title of the tool, for people. */
  readonly title: string
  /** Id of the call that needs the approval. */
  readonly toolCallId: string
  /** Decoded arguments: valid, with defaults, without server-owned fields. */
  readonly arguments: unknown
  /**
   * JSON text of the arguments as the model or caller sent them, or as a layer changed them. The payload adapter has
   * not changed them.
   */
  readonly rawArguments: JsonText
  /**
   * Question for the approver: `confirmation.prompt` of the tool, with the arguments filled in. Absent if the tool has
   * no `confirmation`.
   */
  readonly prompt?: string
  /** True if the session of the call can remember an approval; see {@link Approval}. */
  readonly canRemember: boolean
  /** Data that the run has read before this call. Present only if the layer `dataFlow` requested the approval. */
  readonly dataFlow?: DataFlow
  /** Signal that is aborted if the call ends before the approver has answered. */
  readonly signal: AbortSignal
}

/**
 * Decision of an approver: `approve` runs the tool, `deny` declines the call, `suspend` suspends the call until it is answered later. An
 * {@link Approval} can also change the arguments, name the approver, and cover later calls of the session.
 *
 * @example
 * const lower: ApprovalDecision = { decision: 'approve', arguments: { paymentId: 'P-1', amount: 40 }, by: 'ann' }
 */
export type ApprovalDecision = 'approve' | 'deny' | 'suspend' | Approval | Denial

/** Type of an `env` with an approver. Agents require such an `env` if one of their tools has a `confirmation`. */
export interface HasApproval {
  /** Asks a person or a policy for approvals. */
  readonly approval: {
    /**
     * Returns the decision about a call. If the promise rejects, or the changed arguments are invalid, the call fails and the tool does not
     * run.
     */
    approve(request: ApprovalRequest): Promise<ApprovalDecision>
  }
}

/** Type of an `env` with a logger. Layers that log messages can require such an `env`. */
export interface HasLogger {
  /** Logger for layers, for example `console`. */
  readonly logger: {
    /** Logs a message of the level `debug`, with optional details as key-value pairs. */
    debug(message: string, details?: Readonly<Record<string, unknown>>): void
    /** Logs a message of the level `info`, with optional details as key-value pairs. */
    info(message: string, details?: Readonly<Record<string, unknown>>): void
    /** Logs a message of the level `warn`, with optional details as key-value pairs. */
    warn(message: string, details?: Readonly<Record<string, unknown>>): void
    /** Logs a message of the level `error`, with optional details as key-value pairs. */
    error(message: string, details?: Readonly<Record<string, unknown>>): void
  }
}

/** Type of an `env` with metrics. Layers that count or measure can require such an `env`. */
export interface HasMetrics {
  /** Receives counts and measured values from layers. */
  readonly metrics: {
    /** Adds `by` to the counter `name`. Default of `by`: 1. */
    count(name: string, by?: number, labels?: Readonly<Record<string, string>>): void
    /** Records one measured value under a name, e.g. a duration in milliseconds. */
    record(name: string, value: number, labels?: Readonly<Record<string, string>>): void
  }
}

/** Type of an `env` with a clock. Layers that read the time or wait can require such an `env`. */
export interface HasClock {
  /** Clock for layers. Tests can replace it. */
  readonly clock: {
    /** Returns the current time in milliseconds since the Unix epoch. */
    now(): number
    /** Resolves after `milliseconds`. Rejects when `signal` is aborted. */
    sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
  }
}

/** The option `env` of a call or run. Required if a layer needs an `env`. */
export type EnvOption<Env> = unknown extends Env ? { readonly env?: unknown } : { readonly env: Env }

/** Purpose of a new id. A `session` id identifies one opening of a session; the session itself has another id. */
export type IdKind = 'toolCall' | 'run' | 'suspension' | 'session'

/** Clock and generator of ids of a runtime. Tests and replays can replace them. */
export interface Effects {
  /** Returns the current time in milliseconds since the Unix epoch. */
  now(): number
  /** Returns a new unique id for the purpose `kind`. */
  newId(kind: IdKind): string
}
