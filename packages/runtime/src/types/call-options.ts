import type { Approval, Denial } from './approval.js'
import type { JsonText } from './json.js'
import type { DataFlow } from './outcome.js'
import type { EventSink } from './run.js'
import type { MetaField, RuntimeField } from './tool.js'

/** Options of one tool call. An option with the value `undefined` has the same effect as an omitted option. */
export interface CallOptions {
  /** Id of the run to which the call belongs. Default: no run. */
  readonly runId?: string | undefined
  /** Id of the user's session. Default: no session. */
  readonly sessionId?: string | undefined
  /** Id of the conversation turn to which the call belongs. Default: no turn. */
  readonly turnId?: string | undefined
  /** Id of the tool call whose tool, for example a nested agent, started this call. Default: no tool call. */
  readonly parentToolCallId?: string | undefined
  /** Labels for the metadata of the call, e.g. `{ tenant: 'acme' }`. Default: no labels. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** Signal that cancels the call. Default: no signal. */
  readonly signal?: AbortSignal | undefined
  /** Time at which the runtime aborts the call, in milliseconds since the Unix epoch. Default: no deadline. */
  readonly deadline?: number | undefined
  /** Function that receives the events of the call, in addition to the event listeners (sinks) of the runtime. Default: no function. */
  readonly onEvent?: EventSink | undefined
  /**
   * `true`: the call or run also emits the events of all its nested runs (runs of agents that tool calls start). `false`: only the events of nested
   * runs whose toolset is registered with `suppressChildEvents: false`. Default: `false`.
   */
  readonly deepTracing?: boolean | undefined
  /**
   * Function that receives each update of a streaming tool as JSON text. The runtime does not await the function and
   * ignores its errors. Default: no function.
   */
  readonly onUpdate?: ((update: JsonText) => unknown) | undefined
}

/** Extracts the name of a label from a metadata field: `labels.tenant` → `tenant`. */
type LabelOf<Needs extends MetaField> = Needs extends `labels.${infer Name}` ? Name : never

/**
 * Options whose values the runtime copies to the payload of a call, into fields that models cannot set. Excludes `toolCallId` and `idempotencyKey`,
 * because the runtime creates these values.
 */
export type NeededOptions<Needs extends MetaField> = {
  readonly [Field in Exclude<Needs, RuntimeField | `labels.${string}`>]: string
} & ([LabelOf<Needs>] extends [never]
  ? unknown
  : { readonly labels: Readonly<Record<string, string>> & { readonly [Name in LabelOf<Needs>]: string } })

/**
 * Options of a call. The options in `Needs` are required: the runtime copies their values to payload fields that models
 * cannot set. If `Needs` is `any`, no option is required. `Needs` is `any` for a call that no generated function
 * created.
 */
export type OptionsFor<Needs extends MetaField, Options = CallOptions> = Options &
  (unknown extends Needs ? unknown : NeededOptions<Needs>)

/**
 * Type that the compile error shows if required options of a call or run are missing. `Options` is the union of the
 * names of these options, for example `env.approval`.
 *
 * @example
 * support.run('Where is my order?') // not assignable to OptionsRequired<"env.approval">
 * support.run('Where is my order?', { env: { approval } })
 */
export interface OptionsRequired<Options extends string> {
  readonly 'pass these options': Options
}

/**
 * Type of the first argument of a call or run that passes no options:
 *
 * - No option is required: `Argument`.
 * - Options are required, and no generated function created the call: `Argument & OptionsRequired`. The compiler reports wrong properties of the
 *   call before it reports the missing options.
 * - In all other cases: {@link OptionsRequired}, so that the call or run is a compile error.
 */
export type WithoutOptions<Argument, Fields, Env> = [Known<Fields> | EnvFields<Env>] extends [never]
  ? Argument
  : (unknown extends Fields ? Argument : unknown) & OptionsRequired<(Known<Fields> & string) | EnvFields<Env>>

/** Type of the options argument of a call or run that passes no options: `undefined` if no option is required, `never` if an option is required. */
export type NoOptions<Fields, Env> = [Known<Fields> | EnvFields<Env>] extends [never] ? undefined : never

/** `Fields`, but `never` if `Fields` is `any` or `unknown`, as for a call that no generated function created. */
type Known<Fields> = unknown extends Fields ? never : Fields

type EnvFields<Env> = unknown extends Env ? never : `env.${keyof Env & string}`

/** Request for the approval of a tool call. The approver receives this request. */
export interface ApprovalRequest {
  /** Name of the agent that makes the call. Absent for a call without an agent. */
  readonly agent?: string
  /** Tool id, e.g. `orders.cancelOrder`. */
  readonly tool: string
  /** Title of the tool, for people. */
  readonly title: string
  /** Id of the call that needs the approval. */
  readonly toolCallId: string
  /** Decoded arguments: valid, with defaults, and without the fields that only the runtime sets. */
  readonly arguments: unknown
  /**
   * Arguments as JSON text: as the model or caller sent them, or as a layer changed them. Does not contain the changes of the payload adapter (option
   * `payloadAdapter` of the registration).
   */
  readonly rawArguments: JsonText
  /**
   * Question for the approver: the template `confirmation.prompt` of the tool, filled with the arguments. Absent if the tool has no `confirmation`.
   */
  readonly prompt?: string
  /** True if the session can apply the approval to later calls, with the property `remember` of {@link Approval}. */
  readonly canRemember: boolean
  /**
   * Kinds of data, such as private data, that the run has read before this call. Present only if the layer `dataFlow`
   * requested the approval.
   */
  readonly dataFlow?: DataFlow
  /** Signal that is aborted if the call ends before the approver has answered. */
  readonly signal: AbortSignal
}

/**
 * Decision of an approver: `approve` runs the tool, `deny` declines the call, `suspend` suspends the call until the
 * application supplies a decision. An {@link Approval} can also change the arguments, name the approver, and approve
 * later calls of the session.
 *
 * @example
 * const lower: ApprovalDecision = { decision: 'approve', arguments: { paymentId: 'P-1', amount: 40 }, by: 'ann' }
 */
export type ApprovalDecision = 'approve' | 'deny' | 'suspend' | Approval | Denial

/** Type of an option `env` that contains an approver. Agents require such an `env` if one of their tools has a `confirmation`. */
export interface HasApproval {
  /** Approver, which asks a person or applies rules. */
  readonly approval: {
    /**
     * Returns the decision about a call. If the promise rejects or the changed arguments are invalid, the call fails
     * without running the tool.
     */
    approve(request: ApprovalRequest): Promise<ApprovalDecision>
  }
}

/** Type of an option `env` that contains a logger. Layers that log messages can require such an `env`. */
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

/** Type of an option `env` that contains metrics. Layers that count or measure can require such an `env`. */
export interface HasMetrics {
  /** Receives counts and measured values from layers. */
  readonly metrics: {
    /** Adds `by` to the counter `name`. Default of `by`: 1. */
    count(name: string, by?: number, labels?: Readonly<Record<string, string>>): void
    /** Records one measured value under a name, e.g. a duration in milliseconds. */
    record(name: string, value: number, labels?: Readonly<Record<string, string>>): void
  }
}

/** Type of an option `env` that contains a clock. Layers that read the time or wait can require such an `env`. */
export interface HasClock {
  /** Clock for layers. Tests can use a fake clock. */
  readonly clock: {
    /** Returns the current time in milliseconds since the Unix epoch. */
    now(): number
    /** Waits for a number of milliseconds. Rejects when `signal` is aborted. */
    sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
  }
}

export type EnvOption<Env> = unknown extends Env ? { readonly env?: unknown } : { readonly env: Env }

/**
 * Purpose of a new id. Each time that a session is opened, the runtime creates an id for the purpose `session`. This id
 * differs from the session id that the application chooses.
 */
export type IdKind = 'toolCall' | 'run' | 'suspension' | 'session'

/** Clock and id generator of a runtime. Tests can replace the clock and the generator. */
export interface Effects {
  /** Returns the current time in milliseconds since the Unix epoch. */
  now(): number
  /** Returns a new unique id for the purpose `kind`. */
  newId(kind: IdKind): string
}
