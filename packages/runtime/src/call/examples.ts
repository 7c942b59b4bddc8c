import { parsePointer } from '../schema/json-pointer.js'
import { isFields, setOwn } from '../schema/json-values.js'
import { exampleOf } from '../schema/validate.js'
import type { Codec } from '../types/codec.js'
import type { Issue } from '../types/issue.js'
import type { JsonSchema, JsonSchemaObject, JsonValue } from '../types/json.js'
import type { ToolCallMeta } from '../types/tool.js'
import type { BoundTool } from './bound-tool.js'
import { type Abortable, untilAborted } from './call-group.js'
import { checkIssues, withServerOwned } from './payload.js'
import type { Failure } from './tool-failure.js'

/** Maximum length of an example; a longer one is shortened to the fields that matter. */
const MAX_LENGTH = 120

/** Maximum length of an example with added optional fields: their description needs room. */
const MAX_ADDED_LENGTH = 100

/** Maximum number of examples that are passed to a check. */
const MAX_CHECKED = 4

/** The steps of a JSON Pointer. */
type Path = readonly string[]

/** Sources of a tool's examples. */
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

/** Returns arguments that the tool and its check accept; `undefined` if none are found or the failure needs none. */
export async function passingExample(
  tool: BoundTool,
  failure: Failure,
  attempt: { readonly meta: ToolCallMeta; readonly limit: Abortable },
): Promise<JsonValue | undefined> {
  if (failure.reason !== 'invalid_arguments' && failure.reason !== 'missing_fields') return undefined
  if (failure.example !== undefined || failure.noExample === true) return undefined
  const { check } = tool
  let left = MAX_CHECKED
  for (const candidate of exampleCandidates(tool, failure.issues ?? [])) {
    if (check === undefined) return candidate
    left -= 1
    if (left < 0) return undefined
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
 * Arguments that the tool's codec takes, the best to show first: the author's first example, then one made from the
 * schema, then the author's others. A long one is shortened to the required and the faulty fields, when what is left
 * still fits. Where a faulty field is optional, an example that shows it comes before one that does not.
 */
export function* exampleCandidates(tool: ExampleSource, issues: readonly Issue[]): Generator<JsonValue> {
  const paths = issuePaths(issues)
  const usual = [...usualCandidates(tool, paths)]
  const [best] = usual
  const hidden = paths.filter((path) => best === undefined || !shows(best, path))
  const telling = hidden.length === 0 ? undefined : tellingExample(tool, hidden, best)
  if (telling !== undefined) yield telling
  yield* usual
}

function* usualCandidates(tool: ExampleSource, paths: readonly Path[]): Generator<JsonValue> {
  const [first, ...others] = tool.examples.fitting
  if (first !== undefined) {
    const shorter = isShort(first) ? [first] : [neededFields(first, tool, paths), tool.examples.made]
    yield* shorter.filter(isPresent).filter((example) => isShort(example))
    if (!isShort(first)) yield first
  }
  if (isPresent(tool.examples.made)) yield tool.examples.made
  yield* others
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
 * The usual example with the faulty parts that it lacks, else one that is made with them. `undefined` where none fits
 * or is short, and where it would show nothing more.
 */
function tellingExample(
  tool: ExampleSource,
  hidden: readonly Path[],
  usual: JsonValue | undefined,
): JsonValue | undefined {
  const schema = demandingSchema(tool.spec.arguments, hidden)
  const made = exampleOf(schema)
  if (made === undefined) return undefined
  const candidates = [usual === undefined ? undefined : completed(usual, made, hidden), made]
  return candidates
    .filter(isPresent)
    .find(
      (example) =>
        hidden.some((path) => shows(example, path)) &&
        isShort(example, MAX_ADDED_LENGTH) &&
        tool.payload.decodeValue(example).ok,
    )
}

/** An example with the fields that lead to paths, each as another example has it. */
function completed(example: JsonValue, made: JsonValue, paths: readonly Path[]): JsonValue | undefined {
  if (!isFields(example) || !isFields(made)) return undefined
  const whole: { [name: string]: JsonValue } = { ...example }
  for (const [name] of paths) {
    const field = name !== undefined && Object.hasOwn(made, name) ? made[name] : undefined
    if (name !== undefined && field !== undefined) setOwn(whole, name, field)
  }
  return whole
}

/** The example with its required fields and those that were faulty; `undefined` when that does not fit. */
function neededFields(example: JsonValue, tool: ExampleSource, paths: readonly Path[]): JsonValue | undefined {
  if (typeof example !== 'object' || example === null || Array.isArray(example)) return undefined
  const schema = tool.spec.arguments
  const required = typeof schema === 'object' && Array.isArray(schema.required) ? schema.required : []
  const needed = new Set<unknown>([...required, ...paths.map(([field]) => field)])
  const shorter: JsonValue = Object.fromEntries(Object.entries(example).filter(([field]) => needed.has(field)))
  return tool.payload.decodeValue(shorter).ok ? shorter : undefined
}

function isPresent(example: JsonValue | undefined): example is JsonValue {
  return example !== undefined
}

function isShort(example: JsonValue, longest: number = MAX_LENGTH): boolean {
  return JSON.stringify(example).length <= longest
}

/**
 * The paths that a correct example is to show, as the steps to each: of every faulty part, and of the field that an
 * unknown one was meant to be.
 */
export function issuePaths(issues: readonly Issue[]): readonly Path[] {
  return issues.map((issue) => {
    const steps = parsePointer(issue.path) ?? []
    return issue.constraint === 'unknown_field' && issue.nearest !== undefined
      ? [...steps.slice(0, -1), issue.nearest]
      : steps
  })
}

/**
 * A schema that also requires the declared fields on the way to paths, and one item of arrays on it. What is not
 * declared where it stands, such as behind a reference, stays as it is.
 */
function demandingSchema(schema: JsonSchema, paths: readonly Path[]): JsonSchema {
  return paths.reduce<JsonSchema>(demanding, schema)
}

function demanding(schema: JsonSchema, [step, ...rest]: Path): JsonSchema {
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

function withField(properties: object, name: string, rest: Path): JsonSchemaObject {
  const changed: Record<string, unknown> = {}
  for (const [key, field] of Object.entries(properties)) {
    setOwn(changed, key, key === name && isSchema(field) ? demanding(field, rest) : field)
  }
  return changed
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isFields(value)
}
