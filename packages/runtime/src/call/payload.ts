import { CodecError } from '../codec/codecs.js'
import { parsePointer, pointerSegment } from '../schema/json-pointer.js'
import { cloneJson, freezeJson, isFields, setOwn } from '../schema/json-values.js'
import { exampleOf } from '../schema/validate.js'
import type { Codec, Decoded } from '../types/codec.js'
import type { Issue } from '../types/issue.js'
import type { JsonSchema, JsonSchemaObject, JsonText, JsonValue, StandardCheck } from '../types/json.js'
import type { ToolRequest } from '../types/layer.js'
import type { ToolCallMeta } from '../types/tool.js'
import { adaptPayload, issuesOfModel } from './adapters.js'
import type { BoundTool, MetaSource, OwnedField } from './bound-tool.js'
import { metaValue } from './call-meta.js'
import type { Failure } from './known-failure.js'
import type { Abortable } from './running-call.js'
import { FIXED_MESSAGES, peek, ToolFailure } from './tool-failure.js'

/**
 * From a request to what the executor sees: decoded, server-owned fields filled, checked. Each attempt gets a copy of
 * its own, so that what one does to its payload is not seen by the next.
 *
 * @throws {ToolFailure} `invalid_arguments` with every issue of the model, or `internal` when the caller's own values
 * or the payload adapter's are wrong.
 */
export async function payloadOf(tool: BoundTool, request: DecodedRequest): Promise<unknown> {
  const decoded = await request.decoded()
  if (!decoded.ok) throw await invalidArguments(tool, request, decoded.issues)
  const payload = withServerOwned(cloneJson(decoded.value), tool.serverOwned, request)
  if (tool.check === undefined) return payload
  const issues = await checkIssues(tool.check, payload)
  if (issues.length === 0) return payload
  const ofModel = issues.filter((issue) => ownerOf(issue, tool.serverOwned) === undefined)
  if (ofModel.length > 0) throw invalid(ofModel)
  const names = [...new Set(issues.map((issue) => ownerOf(issue, tool.serverOwned)?.from))].join(', ')
  throw new ToolFailure(`The caller of this tool gave a value that fails its check: ${names}.`, {
    reason: 'internal',
    action: 'finish',
  })
}

/** The same where nothing has to be waited for; `undefined` where an adapter or a check is asked, or arguments are invalid. */
export function presentPayload(tool: BoundTool, request: DecodedRequest): { readonly payload: unknown } | undefined {
  if (tool.check !== undefined) return undefined
  const decoded = request.decodedNow()
  if (decoded?.ok !== true) return undefined
  return { payload: withServerOwned(cloneJson(decoded.value), tool.serverOwned, request) }
}

/** A request whose decoded arguments the tool runs with. */
interface DecodedRequest extends Pick<ToolRequest, 'arguments' | 'meta' | 'json'> {
  decoded(): Promise<Decoded<unknown>>
  decodedNow(): Decoded<unknown> | undefined
}

/** What to tell of arguments that do not decode: the model is not blamed for what the payload adapter did. */
export async function invalidArguments(
  tool: BoundTool,
  request: Pick<ToolRequest, 'arguments' | 'json'>,
  issues: readonly Issue[],
): Promise<ToolFailure> {
  const adapted = await request.json()
  const faults = issuesOfModel(tool, { sent: request.arguments, adapted, issues })
  return faults.length > 0 ? invalid(faults) : adapterFailure(issues)
}

function invalid(issues: readonly Issue[]): ToolFailure {
  return new ToolFailure(FIXED_MESSAGES.invalid_arguments, { reason: 'invalid_arguments', issues })
}

function adapterFailure(issues: readonly Issue[]): ToolFailure {
  const message = 'The arguments were changed on the way to this tool, and it does not take them any more.'
  return new ToolFailure(message, { reason: 'internal', cause: new CodecError(issues) })
}

/** The server-owned field that an issue is about: nothing that a model could correct. */
function ownerOf(issue: Issue, fields: readonly OwnedField[]): OwnedField | undefined {
  const first = issue.path.split('/')[1]?.replaceAll('~1', '/').replaceAll('~0', '~')
  return fields.find((field) => field.field === first)
}

/** The arguments of a call, adapted and decoded once, whoever asks first and however many ask. */
export class DecodeCell {
  readonly #tool: BoundTool
  readonly #sent: { readonly arguments: JsonText; readonly meta: ToolCallMeta }
  #json: Promise<JsonText> | undefined = undefined
  #decoded: Promise<Decoded<unknown>> | undefined = undefined
  #present: Decoded<unknown> | undefined = undefined

  constructor(tool: BoundTool, sent: { readonly arguments: JsonText; readonly meta: ToolCallMeta }) {
    this.#tool = tool
    this.#sent = sent
  }

  json(): Promise<JsonText> {
    this.#json ??= heard(adaptPayload(this.#tool, this.#sent.arguments, this.#sent.meta))
    return this.#json
  }

  decode(): Promise<Decoded<unknown>> {
    this.#decoded ??= heard(this.#decode())
    return this.#decoded
  }

  /**
   * Returns a frozen copy of the decoded arguments or of their issues, so that a reader cannot change what the tool runs
   * with. Each reader gets its own, because nothing freezes dates and bytes.
   */
  async read(): Promise<Decoded<unknown>> {
    // A result of the codec is plain data, as the value in it is.
    return freezeJson(cloneJson(await this.decode())) as Decoded<unknown>
  }

  /** The decoded arguments at once; `undefined` where an adapter has to be waited for. */
  now(): Decoded<unknown> | undefined {
    if (this.#tool.payloadAdapter !== undefined) return undefined
    this.#present ??= this.#tool.payload.decode(this.#sent.arguments)
    return this.#present
  }

  async #decode(): Promise<Decoded<unknown>> {
    return this.now() ?? this.#tool.payload.decode(await this.json())
  }
}

/** Who asks hears of a failure; one who asked and no longer waits must not bring the process down. */
function heard<Value>(answer: Promise<Value>): Promise<Value> {
  answer.catch(() => undefined)
  return answer
}

/**
 * A payload with its server-owned fields filled from the meta, behind the fields that the model sent. The decoded
 * payload is not changed: others may have asked for it too.
 *
 * @throws {ToolFailure} `internal`, naming the fields, when a value breaks the field's own rule: the caller gave it.
 */
function withServerOwned(decoded: unknown, fields: readonly OwnedField[], source: MetaSource): unknown {
  if (fields.length === 0) return decoded
  const { meta } = source
  const values = fields.map(({ field, from, rule }) => ({
    field,
    from,
    decoded: rule.decodeValue(metaValue(meta, from)),
  }))
  const broken = values.filter(({ decoded }) => !decoded.ok)
  if (broken.length > 0) {
    const names = broken.map(({ from, field }) => `${from} (field '${field}')`).join(', ')
    throw new ToolFailure(`The caller of this tool gave a value that is not allowed: ${names}.`, {
      reason: 'internal',
      action: 'finish',
    })
  }
  // Decoded by the rule: what the meta holds as text may be a date to the executor.
  const filled = values.map(({ field, decoded: each }) => [field, each.ok ? each.value : undefined])
  // A key such as `__proto__` becomes an ordinary own property; assignment would call a setter.
  return Object.fromEntries([...Object.entries(asObject(decoded)), ...filled])
}

function asObject(decoded: unknown): object {
  if (typeof decoded === 'object' && decoded !== null && !Array.isArray(decoded)) return decoded
  throw new TypeError('a payload with server-owned fields is an object')
}

/** What is said where a schema gives no sentence of its own. */
const UNSAID = 'The value does not pass the check.'

/**
 * Passes a copy of a payload through the application's own schema. What the schema makes of the payload, or does to it,
 * is ignored: a check checks.
 */
async function checkIssues(check: StandardCheck, payload: unknown): Promise<readonly Issue[]> {
  const { issues } = await check['~standard'].validate(cloneJson(payload))
  return issues === undefined ? [] : issues.map(asIssue)
}

/** What a validator reports may be anything, whatever its type promises. */
function asIssue(issue: unknown): Issue {
  const message = peek(issue, 'message')
  return {
    constraint: 'check_failed',
    path: pointer(peek(issue, 'path')),
    message: typeof message === 'string' && message !== '' ? message : UNSAID,
  }
}

function pointer(path: unknown): string {
  return Array.isArray(path) ? path.map((part) => `/${segment(peek(part, 'key') ?? part)}`).join('') : ''
}

function segment(key: unknown): string {
  return typeof key === 'string' || typeof key === 'number' || typeof key === 'symbol'
    ? pointerSegment(String(key))
    : '?'
}

/** The attempt that failed. */
interface Attempt extends MetaSource {
  readonly limit: Abortable
}

/** How many candidates a check is asked about. */
const MAX_CHECKED = 4

/**
 * Arguments that the tool takes, its check included: a model that follows the example must not fail again. `undefined`
 * where none is found, or where the failure needs none.
 */
export async function passingExample(
  tool: BoundTool,
  failure: Failure,
  attempt: Attempt,
): Promise<JsonValue | undefined> {
  if (failure.reason !== 'invalid_arguments' && failure.reason !== 'missing_fields') return undefined
  if (failure.example !== undefined || failure.noExample === true) return undefined
  let left = MAX_CHECKED
  for (const candidate of exampleCandidates(tool, failure.issues ?? [])) {
    if (tool.check === undefined) return candidate
    left -= 1
    if (left < 0) return undefined
    if (await passes(tool, candidate, attempt)) return candidate
  }
  return undefined
}

async function passes(tool: BoundTool, candidate: JsonValue, attempt: Attempt): Promise<boolean> {
  const { check } = tool
  if (check === undefined) return true
  const decoded = tool.payload.decodeValue(candidate)
  if (!decoded.ok) return false
  try {
    const payload = withServerOwned(decoded.value, tool.serverOwned, attempt)
    const issues = await untilAborted(attempt.limit, () => checkIssues(check, payload))
    return issues.length === 0
  } catch {
    // The call has failed already and says why; a check that fails now only costs the example.
    return false
  }
}

/**
 * Runs until it is aborted: then rejects with the abort's reason, whatever becomes of the work. What the work still does
 * after that is heard by nobody.
 */
function untilAborted<Value>(limit: Abortable, work: () => Promise<Value>): Promise<Value> {
  if (limit.aborted !== undefined) return Promise.reject(limit.aborted.reason)
  return new Promise((resolve, reject) => {
    const release = limit.whenAborted(reject)
    const done = work()
    done.then(resolve, reject)
    if (release !== undefined) done.then(release, release)
  })
}

/** An example longer than this is shortened to the fields that matter. */
const LONGEST_EXAMPLE = 120

/** An example to which optional fields were added is to leave room for what is said of them. */
const LONGEST_ADDED = 100

type Place = readonly string[]

/** What examples of a tool's arguments come from. */
interface ExampleSource {
  readonly spec: { readonly arguments: JsonSchema }
  readonly payload: Pick<Codec<never, unknown>, 'decodeValue'>
  readonly examples: {
    /** The author's examples that the codec takes. */
    readonly fitting: readonly JsonValue[]
    /** One made from the schema, where that can be done. */
    readonly made: JsonValue | undefined
  }
}

/**
 * Arguments that the tool's codec takes, the best to show first: the author's first example, then one made from the
 * schema, then the author's others. A long one is shortened to the required and the faulty fields, when what is left
 * still fits. Where a faulty field is optional, an example that shows it comes before one that does not.
 */
export function* exampleCandidates(tool: ExampleSource, issues: readonly Issue[]): Generator<JsonValue> {
  const places = faultyPlaces(issues)
  const usual = [...usualCandidates(tool, places)]
  const [best] = usual
  const hidden = places.filter((place) => best === undefined || !shows(best, place))
  const telling = hidden.length === 0 ? undefined : tellingExample(tool, hidden, best)
  if (telling !== undefined) yield telling
  yield* usual
}

function* usualCandidates(tool: ExampleSource, places: readonly Place[]): Generator<JsonValue> {
  const [first, ...others] = tool.examples.fitting
  if (first !== undefined) {
    const shorter = isShort(first) ? [first] : [neededFields(first, tool, places), tool.examples.made]
    yield* shorter.filter(isGiven).filter((example) => isShort(example))
    if (!isShort(first)) yield first
  }
  if (isGiven(tool.examples.made)) yield tool.examples.made
  yield* others
}

/** Whether an example holds something at a place, as far as the steps lead through objects and the first items. */
function shows(example: JsonValue, place: Place): boolean {
  let part: unknown = example
  for (const step of place) {
    const key = Array.isArray(part) ? '0' : step
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, key)) return false
    part = Reflect.get(part, key)
  }
  return true
}

/**
 * The usual example with the faulty parts that it lacks, else one that is made with them. `undefined` where none fits
 * or is short, and where it would show nothing more.
 */
function tellingExample(
  tool: ExampleSource,
  hidden: readonly Place[],
  usual: JsonValue | undefined,
): JsonValue | undefined {
  const schema = demandingSchema(tool.spec.arguments, hidden)
  const made = exampleOf(schema)
  if (made === undefined) return undefined
  const candidates = [usual === undefined ? undefined : completed(usual, made, hidden), made]
  return candidates
    .filter(isGiven)
    .find(
      (example) =>
        hidden.some((place) => shows(example, place)) &&
        isShort(example, LONGEST_ADDED) &&
        tool.payload.decodeValue(example).ok,
    )
}

/** An example with the fields that lead to places, each as another example has it. */
function completed(example: JsonValue, made: JsonValue, places: readonly Place[]): JsonValue | undefined {
  if (!isFields(example) || !isFields(made)) return undefined
  const whole: { [name: string]: JsonValue } = { ...example }
  for (const [name] of places) {
    const field = name !== undefined && Object.hasOwn(made, name) ? made[name] : undefined
    if (name !== undefined && field !== undefined) setOwn(whole, name, field)
  }
  return whole
}

/** The example with its required fields and those that were faulty; `undefined` when that does not fit. */
function neededFields(example: JsonValue, tool: ExampleSource, places: readonly Place[]): JsonValue | undefined {
  if (typeof example !== 'object' || example === null || Array.isArray(example)) return undefined
  const schema = tool.spec.arguments
  const required = typeof schema === 'object' && Array.isArray(schema.required) ? schema.required : []
  const needed = new Set<unknown>([...required, ...places.map(([field]) => field)])
  const shorter: JsonValue = Object.fromEntries(Object.entries(example).filter(([field]) => needed.has(field)))
  return tool.payload.decodeValue(shorter).ok ? shorter : undefined
}

function isGiven(example: JsonValue | undefined): example is JsonValue {
  return example !== undefined
}

function isShort(example: JsonValue, longest: number = LONGEST_EXAMPLE): boolean {
  return JSON.stringify(example).length <= longest
}

/**
 * The places that a correct example is to show, as the steps to each: of every faulty part, and of the field that an
 * unknown one was meant to be.
 */
export function faultyPlaces(issues: readonly Issue[]): readonly (readonly string[])[] {
  return issues.map((issue) => {
    const steps = parsePointer(issue.path) ?? []
    return issue.constraint === 'unknown_field' && issue.nearest !== undefined
      ? [...steps.slice(0, -1), issue.nearest]
      : steps
  })
}

/**
 * A schema that also requires the declared fields on the way to places, and one item of arrays on it. What is not
 * declared where it stands, such as behind a reference, stays as it is.
 */
function demandingSchema(schema: JsonSchema, places: readonly (readonly string[])[]): JsonSchema {
  return places.reduce<JsonSchema>(demanding, schema)
}

function demanding(schema: JsonSchema, [step, ...rest]: readonly string[]): JsonSchema {
  if (typeof schema === 'boolean' || step === undefined) return schema
  const { properties, items } = schema
  if (isFields(properties) && Object.hasOwn(properties, step)) {
    const required = new Set([...(Array.isArray(schema.required) ? schema.required : []), step])
    return { ...schema, required: [...required], properties: withField(properties, step, rest) }
  }
  if (!isSchema(items) || !/^\d+$/.test(step)) return schema
  const least = typeof schema.minItems === 'number' ? schema.minItems : 0
  return { ...schema, minItems: Math.max(1, least), items: demanding(items, rest) }
}

function withField(properties: object, name: string, rest: readonly string[]): JsonSchemaObject {
  const changed: Record<string, unknown> = {}
  for (const [key, field] of Object.entries(properties)) {
    setOwn(changed, key, key === name && isSchema(field) ? demanding(field, rest) : field)
  }
  return changed
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isFields(value)
}
