import type { JsonText } from './json.js'
import type { EventSink } from './run.js'
import type { MetaField } from './tool.js'

/** Options of one call. `undefined` counts as absent. */
export interface CallOptions {
  /** Id of the run. Default: none. */
  readonly runId?: string | undefined
  /** Id of the user's session. Default: none. */
  readonly sessionId?: string | undefined
  /** Id of the turn of the conversation. Default: none. */
  readonly turnId?: string | undefined
  /** Id of the call that caused this one. Default: none. */
  readonly parentToolCallId?: string | undefined
  /** Labels, e.g. a tenant. Default: none. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined
  /** Time at which the call is aborted, in milliseconds since the epoch. Default: none. */
  readonly deadline?: number | undefined
  /** Receives the events of the call, in addition to the sinks of the runtime. */
  readonly onEvent?: EventSink | undefined
  /** Emits the events of nested agents too, even if their registrations suppress these events. Default: `false`. */
  readonly deepTracing?: boolean | undefined
  /**
   * Receives each update of a streaming tool as JSON text. The runtime does not await the listener and ignores its
   * errors.
   */
  readonly onUpdate?: ((update: JsonText) => unknown) | undefined
}

/** Name of a label in `labels.<name>`. */
type LabelOf<Needs extends MetaField> = Needs extends `labels.${infer Name}` ? Name : never

/** Options that a call with server-owned fields requires. The runtime creates `toolCallId` itself. */
export type NeededOptions<Needs extends MetaField> = {
  readonly [Field in Exclude<Needs, 'toolCallId' | `labels.${string}`>]: string
} & ([LabelOf<Needs>] extends [never]
  ? unknown
  : { readonly labels: Readonly<Record<string, string>> & { readonly [Name in LabelOf<Needs>]: string } })

/** Options of a call whose server-owned fields are filled from `Needs`. */
export type OptionsFor<Needs extends MetaField> = CallOptions & NeededOptions<Needs>

/**
 * Appears in a compile error if a call or run lacks required options. Names them, for example `env.approval`.
 *
 * @example
 * support.run('Where is my order?') // not assignable to OptionsRequired<"env.approval">
 * support.run('Where is my order?', { env: { approval } })
 */
export interface OptionsRequired<Options extends string> {
  readonly '~error': 'pass these options'
  readonly options: Options
}

/** First argument of a call or run: `Argument` if no options are required, otherwise {@link OptionsRequired}. */
export type WithoutOptions<Argument, Fields, Env> = [Known<Fields> | EnvFields<Env>] extends [never]
  ? Argument
  : OptionsRequired<(Known<Fields> & string) | EnvFields<Env>>

/** `unknown` means that no generated builder created the call: its required fields are then not checked. */
type Known<Fields> = unknown extends Fields ? never : Fields

type EnvFields<Env> = unknown extends Env ? never : `env.${keyof Env & string}`

/** Request for the approval of a call. */
export interface ApprovalRequest {
  /** Name of the agent. Absent for a call without an agent. */
  readonly agent?: string
  /** Tool id, e.g. `orders.cancelOrder`. */
  readonly tool: string
  /** Title of the tool, for people. */
  readonly title: string
  /** Id of the call. */
  readonly toolCallId: string
  /** Decoded arguments: valid, with defaults, without server-owned fields. */
  readonly arguments: unknown
  /**
   * JSON text of the arguments before the payload adapter: as the model or caller sent them, or as a layer changed
   * them.
   */
  readonly rawArguments: JsonText
  /** Question for the approver: the `prompt` of the design with the arguments filled in. Absent without a `prompt`. */
  readonly prompt?: string
  /** Aborted if the call ends before the approver has answered. */
  readonly signal: AbortSignal
}

/** Decision of an approver: `approve` runs the tool, `deny` declines the call, `suspend` waits for a later answer. */
export type ApprovalDecision =
  | 'approve'
  | 'deny'
  | 'suspend'
  | {
      readonly decision: 'deny'
      /** Shown to the model. */
      readonly reason: string
    }

/** Type of an `env` with an approver. */
export interface HasApproval {
  /** Asks a person or a policy for approvals. */
  readonly approval: {
    /** Returns the decision. If it rejects, the call fails and the tool does not run. */
    approve(request: ApprovalRequest): Promise<ApprovalDecision>
  }
}

/** Type of an `env` with a logger. */
export interface HasLogger {
  /** Logger. */
  readonly logger: {
    /** Logs a debugging message. */
    debug(message: string, details?: Readonly<Record<string, unknown>>): void
    /** Logs an informational message. */
    info(message: string, details?: Readonly<Record<string, unknown>>): void
    /** Logs a warning. */
    warn(message: string, details?: Readonly<Record<string, unknown>>): void
    /** Logs an error. */
    error(message: string, details?: Readonly<Record<string, unknown>>): void
  }
}

/** Type of an `env` with metrics. */
export interface HasMetrics {
  /** Counters and distributions. */
  readonly metrics: {
    /** Adds to a counter. Default of `by`: 1. */
    count(name: string, by?: number, labels?: Readonly<Record<string, string>>): void
    /** Records one value of a distribution, e.g. a duration in milliseconds. */
    record(name: string, value: number, labels?: Readonly<Record<string, string>>): void
  }
}

/** Type of an `env` with a clock. */
export interface HasClock {
  /** Clock. `sleep` rejects when its signal is aborted. */
  readonly clock: {
    /** Returns milliseconds since the epoch. */
    now(): number
    /** Resolves after `milliseconds`. Rejects when the signal is aborted. */
    sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
  }
}

/** The option `env` of a call or run. Required if layers need an `env`. */
export type EnvOption<Env> = unknown extends Env ? { readonly env?: unknown } : { readonly env: Env }

/** Purpose of a new id. For `session`, the id identifies one opening of a session, not the session itself. */
export type IdKind = 'toolCall' | 'run' | 'suspension' | 'session'

/** Clock and generator of ids of a runtime. Tests and replays can replace them. */
export interface Effects {
  /** Returns milliseconds since the epoch. */
  now(): number
  /** Returns a new unique id. */
  newId(kind: IdKind): string
}
