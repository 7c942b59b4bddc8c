import { CodecError, resultCodec } from '../codec/codecs.js'
import type { Codec } from '../types/codec.js'
import type { FailureSpec, RetryHint } from '../types/failure.js'
import type { JsonSchema, JsonText, JsonValue } from '../types/json.js'
import type { AgentToolSpec } from '../types/tool.js'
import type { Failure } from './failure.js'
import { hintTemplate } from './hint-template.js'
import { FIXED_MESSAGES, peek, ToolFailure } from './tool-failure.js'

/**
 * Failure that a design declares, with its data. A generated function creates the failure. Executors, service methods and mappers can throw
 * or return the failure.
 *
 * @example
 * if (order.shippedAt !== undefined) return orderShipped({ orderId: order.id })
 */
export class DeclaredFailure<Name extends string = string, Data = unknown> extends ToolFailure {
  /** Name of the failure, for example `order_shipped`. */
  readonly failure: Name
  /** Data of the failure. The runtime validates the data when the call ends. */
  readonly data: Data

  constructor(
    failure: Name,
    data: Data,
    message: string,
    options: DeclaredFailureOptions & Pick<FailureSpec, 'action'>,
  ) {
    super(message, options)
    this.failure = failure
    this.data = data
  }
}

export interface DeclaredFailureOptions {
  /** Error that caused the failure, for logs. */
  readonly cause?: unknown
}

/** Generated function that creates a declared failure. The property `spec` contains the declaration. */
export interface FailureFactory<out Name extends string = string, in out Data = any> {
  (...args: FailureArguments<Data>): DeclaredFailure<Name, Data>
  readonly spec: FailureSpec
}

type FailureArguments<Data> = undefined extends Data
  ? [data?: Data, options?: DeclaredFailureOptions]
  : [data: Data, options?: DeclaredFailureOptions]

/**
 * Creates the function for a declared failure. Generated code calls this function. Generated code passes no type arguments: TypeScript infers `Name`
 * and `Data` from the declared type of the variable that stores the function.
 *
 * @param codec codec of the data; omitted for a failure without data
 */
export function failureFactory<Name extends string, Data>(
  spec: Omit<FailureSpec, 'name' | 'hint' | 'schema'> & { readonly name: Name; readonly hint: string },
  codec?: Pick<Codec<Data>, 'schema'>,
): FailureFactory<Name, Data> {
  const { name, hint, action, description, status } = spec
  const text = hintTemplate(hint)
  const create = (data: Data, options?: DeclaredFailureOptions): DeclaredFailure<Name, Data> =>
    new DeclaredFailure(name, data, text(data), { action, ...options })
  const declared: FailureSpec = {
    name,
    hint,
    action,
    ...(codec !== undefined && { schema: codec.schema }),
    ...(description !== undefined && { description }),
    ...(status !== undefined && { status }),
  }
  return Object.freeze(Object.assign(create, { spec: declared })) as FailureFactory<Name, Data>
}

const WRONG_ARGUMENTS: ReadonlySet<number> = new Set([400, 413, 414, 422])

/**
 * Returns the failure declarations of an HTTP operation: one declaration for each error status. Generated code calls this function.
 *
 * @param names status → name of the failure
 * @param schemas status → schema of the response body
 */
export function statusFailures(
  names: Readonly<Record<string, string>>,
  schemas: Readonly<Record<string, JsonSchema>>,
): readonly FailureSpec[] {
  return Object.entries(names).map(([key, name]) => {
    const [status, schema] = [Number(key), schemas[key]]
    const action = WRONG_ARGUMENTS.has(status) ? 'correct_call' : 'replan'
    return { name, action, ...(schema !== undefined && { schema }), status }
  })
}

export function failureOfStatus(
  { failures }: AgentToolSpec,
  { status, body }: { readonly status: number; readonly body: JsonText },
  { message, cause }: { readonly message: string; readonly cause: unknown },
): DeclaredFailure | undefined {
  const declared = failures?.find((each) => each.status === status)
  if (declared === undefined) return undefined
  const { name, action, schema } = declared
  const decoded = schema === undefined ? undefined : codecOf(schema).decode(body)
  if (decoded?.ok === false) return undefined
  return new DeclaredFailure(name, decoded?.value, message, { action, cause })
}

interface ResolvedFailure {
  readonly failure: Failure
  readonly cause: unknown
}

/** A failure that only another tool declares keeps its message, and loses its name and its data. */
export function resolvedFailure(failure: Failure, spec: AgentToolSpec | undefined, cause: unknown): ResolvedFailure {
  const { declared, ...others } = failure
  const textOf = (hint: string | undefined, data: unknown): string =>
    hint === undefined ? failure.message : hintTemplate(hint)(data)
  if (declared === undefined) return { failure, cause }
  const found = spec?.failures?.find(({ name }) => name === declared.name)
  if (found === undefined || spec === undefined) return { failure: others, cause }
  const { name, hint, action, schema } = found
  const rejected = { reason: 'domain_rejection', action } as const
  if (schema === undefined)
    return { failure: { ...rejected, message: textOf(hint, undefined), declared: { name } }, cause }
  const encoded = codecOf(schema).encodeValue(declared.data)
  if (encoded.ok) {
    const { value: data, json } = encoded
    const facts = { name, data, json: JSON.parse(json) as JsonValue }
    return { failure: { ...rejected, message: textOf(hint, data), declared: facts }, cause }
  }
  const invalid = new CodecError(encoded.issues, { cause })
  invalid.message = `The data of the failure '${name}' of '${spec.qualifiedId}' do not match the schema in the design. ${invalid.message}`
  return { failure: { reason: 'internal', message: FIXED_MESSAGES.internal }, cause: invalid }
}

export function restoredData(hint: RetryHint, spec: AgentToolSpec | undefined): unknown {
  if (hint.reason !== 'domain_rejection' || hint.failure === undefined) return undefined
  const { failure, data } = hint
  const schema = spec?.failures?.find(({ name }) => name === failure)?.schema
  const decoded = schema === undefined || data === undefined ? undefined : codecOf(schema).decode(JSON.stringify(data))
  return decoded?.ok ? decoded.value : data
}

/** Property in `_meta` of a failed MCP result. */
export const FAILURE_META = 'toolgen/failure'

/** Property in `_meta` of a tool in an MCP tool list. */
export const FAILURES_META = 'toolgen/failures'

export function failureMeta(hint: RetryHint): { readonly _meta?: Record<string, unknown> } {
  if (hint.reason !== 'domain_rejection' || hint.failure === undefined) return {}
  const { failure: reason, data } = hint
  return { _meta: { [FAILURE_META]: { reason, ...(data !== undefined && { data }) } } }
}

export function failuresMeta({ failures }: AgentToolSpec): { readonly _meta?: Record<string, unknown> } {
  if (failures === undefined) return {}
  const byName = failures.map(({ name, status: _, ...failure }) => [name, failure] as const)
  return { _meta: { [FAILURES_META]: Object.fromEntries(byName) } }
}

export function throwIfDeclared(meta: unknown, { failures }: AgentToolSpec, text: string): void {
  const sent = peek(meta, FAILURE_META)
  const declared = failures?.find(({ name }) => name === peek(sent, 'reason'))
  if (declared === undefined) return
  const { name, action } = declared
  throw new DeclaredFailure(name, peek(sent, 'data'), text, { action })
}

const codecs = new WeakMap<object, Codec<unknown>>()

function codecOf(schema: NonNullable<FailureSpec['schema']>): Codec<unknown> {
  const known = typeof schema === 'object' ? codecs.get(schema) : undefined
  if (known !== undefined) return known
  const codec: Codec<unknown> = resultCodec({ schema })
  if (typeof schema === 'object') codecs.set(schema, codec)
  return codec
}
