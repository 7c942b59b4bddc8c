import { exampleOf } from '../schema/examples.js'
import { parsePointer, pointerSegment } from '../schema/json-pointer.js'
import { cloneJson, isFields, setOwn } from '../schema/json-values.js'
import type { Decoded, Issue } from '../types/codec.js'
import type { MetaSource } from '../types/executor.js'
import type { JsonObject, JsonSchema, JsonText, JsonValue, StandardCheck } from '../types/json.js'
import type { ToolRequest } from '../types/layer.js'
import type { JsonAdapter } from '../types/registration.js'
import type { ToolCallMeta } from '../types/tool.js'
import type { BoundTool, OwnedField } from './bound-tools.js'
import { metaValue } from './call-context.js'
import type { Failure } from './failure.js'
import { invalid, invalidArguments } from './invalid-arguments.js'

import { type Abortable, untilAborted } from './timers.js'
import { callerFailure, peek } from './tool-failure.js'

/** A request whose decoded arguments the tool runs with. */
interface DecodedRequest extends Pick<ToolRequest, 'arguments' | 'meta' | 'json'> {
  decoded(): Decoded<unknown> | Promise<Decoded<unknown>>
}

/**
 * Returns the payload that the executor receives: decoded, server-owned fields filled, checked. Each attempt has its
 * own copy.
 *
 * @throws {ToolFailure} `invalid_arguments` with every issue of the model, or `internal` if a value of the caller or of
 * the payload adapter is wrong.
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
  throw callerFailure(`The caller of this tool gave a value that fails its check: ${names}.`)
}

export async function adapt(
  adapter: JsonAdapter | undefined,
  tool: BoundTool,
  json: JsonText,
  { meta }: MetaSource,
): Promise<JsonText> {
  if (adapter === undefined) return json
  const adapted: unknown = await adapter(json, { meta, tool: tool.spec, signal: meta.signal })
  if (typeof adapted === 'string') return adapted
  throw new TypeError(`an adapter of '${tool.id}' answered with something other than JSON text`)
}

/** The server-owned field that an issue is about: nothing that a model could correct. */
function ownerOf(issue: Issue, fields: readonly OwnedField[]): OwnedField | undefined {
  const [first] = parsePointer(issue.path) ?? []
  return fields.find(({ field }) => field === first)
}

/**
 * Returns a payload with its server-owned fields filled from the meta, after the fields that the model sent.
 *
 * @throws {ToolFailure} `internal`, naming the fields, if a value of the caller breaks the rule of its field.
 */
function withServerOwned(decoded: unknown, fields: readonly OwnedField[], { meta }: MetaSource): unknown {
  if (fields.length === 0) return decoded
  if (typeof decoded !== 'object' || decoded === null || Array.isArray(decoded)) {
    throw new TypeError('a payload with server-owned fields is an object')
  }
  const broken: string[] = []
  const filled = fields.map(({ field, from, rule }): [string, unknown] => {
    // A text of the meta may be a date to the executor.
    const value = rule.decodeValue(metaValue(meta, from))
    if (!value.ok) broken.push(`${from} (field '${field}')`)
    return [field, value.ok ? value.value : undefined]
  })
  if (broken.length > 0) {
    throw callerFailure(`The caller of this tool gave a value that is not allowed: ${broken.join(', ')}.`)
  }
  // A key such as `__proto__` becomes an ordinary own property; assignment would call a setter.
  return Object.fromEntries([...Object.entries(decoded), ...filled])
}

/** Passes a copy of a payload to the application's own schema. The result of the schema is ignored. */
async function checkIssues(check: StandardCheck, payload: unknown): Promise<readonly Issue[]> {
  const { issues } = await check['~standard'].validate(cloneJson(payload))
  // A validator may report anything, whatever its type promises.
  return (issues ?? []).map((issue: unknown): Issue => {
    const message = peek(issue, 'message')
    const path = peek(issue, 'path')
    return {
      constraint: 'check_failed',
      path: Array.isArray(path) ? path.map((part) => `/${segmentOf(peek(part, 'key') ?? part)}`).join('') : '',
      message: typeof message === 'string' && message !== '' ? message : 'The value does not pass the check.',
    }
  })
}

function segmentOf(key: unknown): string {
  return ['string', 'number', 'symbol'].includes(typeof key) ? pointerSegment(String(key)) : '?'
}

/** Maximum length of an example; a longer one is shortened to the fields that matter. */
const MAX_LENGTH = 120

/** Maximum length of an example with added optional fields: their description needs room. */
const MAX_ADDED_LENGTH = 100

/** Maximum number of examples that are passed to a check. */
const MAX_CHECKED = 4

type Path = readonly string[]

interface ExampleSource extends Pick<BoundTool, 'examples'> {
  readonly spec: Pick<BoundTool['spec'], 'arguments'>
  readonly payload: Pick<BoundTool['payload'], 'decodeValue'>
}

/** Returns arguments that the tool and its check accept; `undefined` if none are found or the failure needs none. */
export async function passingExample(
  tool: BoundTool,
  failure: Failure,
  attempt: { readonly meta: ToolCallMeta; readonly limit: Abortable },
): Promise<JsonValue | undefined> {
  if (failure.reason !== 'invalid_arguments' && failure.reason !== 'missing_fields') return undefined
  if (failure.example !== undefined || failure.noExample === true) return undefined
  const { check } = tool
  const candidates = exampleCandidates(tool, failure.issues ?? [])
  if (check === undefined) return candidates[0]
  for (const candidate of candidates.slice(0, MAX_CHECKED)) {
    const decoded = tool.payload.decodeValue(candidate)
    if (!decoded.ok) continue
    try {
      const payload = withServerOwned(decoded.value, tool.serverOwned, attempt)
      const issues = await untilAborted(attempt.limit, () => checkIssues(check, payload))
      if (issues.length === 0) return candidate
    } catch {
      // The call has failed already and says why; a check that fails now only costs the example.
    }
  }
  return undefined
}

/**
 * Returns arguments that the tool's codec accepts, the best to show first: the author's first example, then one created
 * from the schema, then the author's others. A long one is shortened to the required and the invalid fields, if the
 * rest is still valid. If an invalid field is optional, an example that shows it comes before one that does not.
 */
export function exampleCandidates(tool: ExampleSource, issues: readonly Issue[]): readonly JsonValue[] {
  const paths = issues.map(pathToShow)
  const created = tool.examples.created()
  const [first, ...others] = tool.examples.valid()
  const isLong = first !== undefined && !isShort(first)
  const shorter = isLong ? [neededFields(first, tool, paths), created].filter((example) => isShort(example)) : []
  const usual = [...shorter, first, created, ...others].filter((example) => example !== undefined)
  const [best] = usual
  const hidden = paths.filter((path) => best === undefined || !shows(best, path))
  const added = hidden.length === 0 ? undefined : exampleWith(hidden, tool, best)
  return added === undefined ? usual : [added, ...usual]
}

/** The part that a correct example has to show: the invalid one, or the field that an unknown one was meant to be. */
function pathToShow(issue: Issue): Path {
  const steps = parsePointer(issue.path) ?? []
  return issue.constraint === 'unknown_field' && issue.nearest !== undefined
    ? [...steps.slice(0, -1), issue.nearest]
    : steps
}

function isShort(example: JsonValue | undefined, maximum: number = MAX_LENGTH): boolean {
  return example !== undefined && JSON.stringify(example).length <= maximum
}

/** Returns whether an example has a value at a path, following objects and first items. */
function shows(example: JsonValue, path: Path): boolean {
  let part: unknown = example
  for (const step of path) {
    const key = Array.isArray(part) ? '0' : step
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, key)) return false
    part = Reflect.get(part, key)
  }
  return true
}

/**
 * Returns the usual example with the parts that it lacks, else a created one with them; `undefined` if none is valid
 * and short.
 */
function exampleWith(
  hidden: readonly Path[],
  tool: ExampleSource,
  usual: JsonValue | undefined,
): JsonValue | undefined {
  const created = exampleOf(hidden.reduce(requiring, tool.spec.arguments))
  if (created === undefined) return undefined
  const candidates = isFields(usual) && isFields(created) ? [withFields(usual, created, hidden), created] : [created]
  return candidates.find(
    (example) =>
      hidden.some((path) => shows(example, path)) &&
      isShort(example, MAX_ADDED_LENGTH) &&
      tool.payload.decodeValue(example).ok,
  )
}

/** Returns an example with the fields that lead to paths, each as another example has it. */
function withFields(example: JsonObject, other: JsonObject, paths: readonly Path[]): JsonObject {
  const whole: { [name: string]: JsonValue } = { ...example }
  for (const [name] of paths) {
    const field = name !== undefined && Object.hasOwn(other, name) ? other[name] : undefined
    if (name !== undefined && field !== undefined) setOwn(whole, name, field)
  }
  return whole
}

/** Returns the example with its required and its invalid fields; `undefined` if that is not valid. */
function neededFields(example: JsonValue, tool: ExampleSource, paths: readonly Path[]): JsonValue | undefined {
  if (!isFields(example)) return undefined
  const needed = new Set<unknown>([...requiredOf(tool.spec.arguments), ...paths.map(([field]) => field)])
  const shorter = Object.fromEntries(Object.entries(example).filter(([field]) => needed.has(field)))
  return tool.payload.decodeValue(shorter).ok ? shorter : undefined
}

function requiredOf(schema: JsonSchema): readonly unknown[] {
  return typeof schema === 'object' && Array.isArray(schema.required) ? schema.required : []
}

/**
 * Returns a schema that also requires the declared fields on a path, and one item of its arrays. Parts that are
 * declared elsewhere, for example behind a reference, stay as they are.
 */
function requiring(schema: JsonSchema, [step, ...rest]: Path): JsonSchema {
  if (typeof schema === 'boolean' || step === undefined) return schema
  const { properties, items } = schema
  if (isFields(properties) && Object.hasOwn(properties, step)) {
    const changed: Record<string, unknown> = {}
    for (const [name, field] of Object.entries(properties)) {
      setOwn(changed, name, name === step && isSchema(field) ? requiring(field, rest) : field)
    }
    return { ...schema, required: [...new Set([...requiredOf(schema), step])], properties: changed }
  }
  if (!isSchema(items) || !/^\d+$/.test(step)) return schema
  const minimum = typeof schema.minItems === 'number' ? schema.minItems : 0
  return { ...schema, minItems: Math.max(1, minimum), items: requiring(items, rest) }
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isFields(value)
}
