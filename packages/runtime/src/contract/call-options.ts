import type { EventSink } from './event.js'
import type { JsonText } from './json.js'
import type { MetaField } from './meta.js'

/** What a caller says about one call beside the call itself. An own `undefined` counts as absent. */
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
  /** Told of the start, the updates and the end of the call, beside the runtime's own sinks. */
  readonly onEvent?: EventSink | undefined
  /** Whether the events of agents that are called as tools are told too, one by one. Default false. */
  readonly deepTracing?: boolean | undefined
  /** Told of each update of a streaming tool, as JSON text. Not waited for; what it throws is dropped. */
  readonly onUpdate?: ((update: JsonText) => unknown) | undefined
}

/** The name in `labels.<name>`. */
type LabelOf<Needs extends MetaField> = Needs extends `labels.${infer Name}` ? Name : never

/** The options that a call with server-owned fields cannot do without; the runtime makes `toolCallId` itself. */
export type NeededOptions<Needs extends MetaField> = {
  readonly [Field in Exclude<Needs, 'toolCallId' | `labels.${string}`>]: string
} & ([LabelOf<Needs>] extends [never]
  ? unknown
  : { readonly labels: Readonly<Record<string, string>> & { readonly [Name in LabelOf<Needs>]: string } })

/** The options of a call whose server-owned fields are filled from `Needs`. */
export type OptionsFor<Needs extends MetaField> = CallOptions & NeededOptions<Needs>

/**
 * Names the options that a call or a run lacks, such as `env.approval` or `labels.tenant`. No value has this type: it
 * stands in the message of the compiler.
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
