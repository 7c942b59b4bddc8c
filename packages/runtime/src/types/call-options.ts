import type { JsonText } from './json.js'
import type { EventSink } from './run.js'
import type { MetaField } from './tool.js'

/** Options of one call. An own `undefined` counts as absent. */
export interface CallOptions {
  readonly runId?: string | undefined
  readonly sessionId?: string | undefined
  readonly turnId?: string | undefined
  readonly parentToolCallId?: string | undefined
  /** Free labels, e.g. a tenant. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined
  /** When the call must have ended, in milliseconds since the epoch; absent: never. */
  readonly deadline?: number | undefined
  /** Receives the start, the updates and the end of the call, in addition to the runtime's own sinks. */
  readonly onEvent?: EventSink | undefined
  /** Emits events of nested agents too. Default false. */
  readonly deepTracing?: boolean | undefined
  /** Receives each update of a streaming tool, as JSON text. Not waited for; its errors are ignored. */
  readonly onUpdate?: ((update: JsonText) => unknown) | undefined
}

/** The name in `labels.<name>`. */
type LabelOf<Needs extends MetaField> = Needs extends `labels.${infer Name}` ? Name : never

/** Required options of a call with server-owned fields; the runtime creates `toolCallId` itself. */
export type NeededOptions<Needs extends MetaField> = {
  readonly [Field in Exclude<Needs, 'toolCallId' | `labels.${string}`>]: string
} & ([LabelOf<Needs>] extends [never]
  ? unknown
  : { readonly labels: Readonly<Record<string, string>> & { readonly [Name in LabelOf<Needs>]: string } })

/** The options of a call whose server-owned fields are filled from `Needs`. */
export type OptionsFor<Needs extends MetaField> = CallOptions & NeededOptions<Needs>

/**
 * Names the options that a call or a run lacks, such as `env.approval` or `labels.tenant`. No value has this type: it
 * appears in error messages of the compiler.
 *
 * @example
 * support.run('Where is my order?') // not assignable to OptionsRequired<"env.approval">
 * support.run('Where is my order?', { env: { approval } })
 */
export interface OptionsRequired<Options extends string> {
  readonly '~error': 'give these options'
  readonly options: Options
}

/** The argument of a call or a run that needs neither these fields nor an env, else {@link OptionsRequired}. */
export type WithoutOptions<Argument, Fields, Env> = [Known<Fields> | EnvFields<Env>] extends [never]
  ? Argument
  : OptionsRequired<(Known<Fields> & string) | EnvFields<Env>>

/** A call that no builder made says nothing of its fields. */
type Known<Fields> = unknown extends Fields ? never : Fields

type EnvFields<Env> = unknown extends Env ? never : `env.${keyof Env & string}`

/** Request for the approval of a call. */
export interface ApprovalRequest {
  /** Absent for a call without an agent. */
  readonly agent?: string
  /** The tool's id, e.g. `orders.cancelOrder`. */
  readonly tool: string
  /** The tool's title, for people. */
  readonly title: string
  readonly toolCallId: string
  /** The arguments, decoded: valid, with their defaults, without server-owned fields. */
  readonly arguments: unknown
  /** The arguments as JSON text, before the payload adapter: as they were sent, or as a layer changed them. */
  readonly rawArguments: JsonText
  /** The question of the design, with the arguments filled in. */
  readonly prompt?: string
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal
}

/**
 * `approve` runs the tool, `deny` answers in its place, `suspend` ends the call as suspended: somebody will answer later.
 */
export type ApprovalDecision =
  | 'approve'
  | 'deny'
  | 'suspend'
  | {
      readonly decision: 'deny'
      /** Shown to the model. */
      readonly reason: string
    }

/** An env that can ask whether a tool may run. */
export interface HasApproval {
  readonly approval: {
    /** Asks for an approval. If it rejects, the call fails with that error, and its tool does not run. */
    approve(request: ApprovalRequest): Promise<ApprovalDecision>
  }
}

/** An env that writes logs. */
export interface HasLogger {
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

/** An env that counts and measures. */
export interface HasMetrics {
  readonly metrics: {
    /** Adds to a counter; `by` is 1 where absent. */
    count(name: string, by?: number, labels?: Readonly<Record<string, string>>): void
    /** Records one value of a distribution, e.g. a duration in milliseconds. */
    record(name: string, value: number, labels?: Readonly<Record<string, string>>): void
  }
}

/** An env with a clock. */
export interface HasClock {
  readonly clock: {
    /** Milliseconds since the epoch. */
    now(): number
    /** Resolves after a time; rejects when the signal is aborted. */
    sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
  }
}

/** The option `env` of a call or run: required, and of exactly this shape, where layers need something of it. */
export type EnvOption<Env> = unknown extends Env ? { readonly env?: unknown } : { readonly env: Env }

/** Purpose of an id. `session` is one opening of a session. */
export type IdKind = 'toolCall' | 'run' | 'suspension' | 'session'

/** The runtime's only access to the clock and to randomness, so that tests and journals can replace it. */
export interface Effects {
  /** Milliseconds since the epoch. */
  now(): number
  /** A new unique id. */
  newId(kind: IdKind): string
}
