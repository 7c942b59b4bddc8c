import { exampleOf } from '../schema/examples.js'
import { parsePointer } from '../schema/json-pointer.js'
import { isFields, setOwn } from '../schema/json-values.js'
import type { Issue } from '../types/codec.js'
import type { JsonObject, JsonSchema, JsonValue } from '../types/json.js'
import type { ToolCallMeta } from '../types/tool.js'
import type { BoundTool } from './bound-tools.js'
import type { Failure } from './failure.js'
import { checkIssues, withServerOwned } from './payload.js'
import { type Abortable, untilAborted } from './timers.js'

const MAX_LENGTH = 120

/** Lower than {@link MAX_LENGTH}, because the message with the example also describes the added optional fields. */
const MAX_ADDED_LENGTH = 100

const MAX_CHECKED = 4

type Path = readonly string[]

interface ExampleSource extends Pick<BoundTool, 'examples'> {
  readonly spec: Pick<BoundTool['spec'], 'arguments'>
  readonly payload: Pick<BoundTool['payload'], 'decodeValue'>
}

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
      // The call has already failed with another error. If the check throws too, the example is omitted.
    }
  }
  return undefined
}

/** The best example comes first. */
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

function pathToShow(issue: Issue): Path {
  const steps = parsePointer(issue.path) ?? []
  return issue.constraint === 'unknown_field' && issue.nearest !== undefined
    ? [...steps.slice(0, -1), issue.nearest]
    : steps
}

function isShort(example: JsonValue | undefined, maximum: number = MAX_LENGTH): boolean {
  return example !== undefined && JSON.stringify(example).length <= maximum
}

function shows(example: JsonValue, path: Path): boolean {
  let part: unknown = example
  for (const step of path) {
    const key = Array.isArray(part) ? '0' : step
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, key)) return false
    part = Reflect.get(part, key)
  }
  return true
}

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

function withFields(example: JsonObject, other: JsonObject, paths: readonly Path[]): JsonObject {
  const whole: { [name: string]: JsonValue } = { ...example }
  for (const [name] of paths) {
    const field = name !== undefined && Object.hasOwn(other, name) ? other[name] : undefined
    if (name !== undefined && field !== undefined) setOwn(whole, name, field)
  }
  return whole
}

function neededFields(example: JsonValue, tool: ExampleSource, paths: readonly Path[]): JsonValue | undefined {
  if (!isFields(example)) return undefined
  const needed = new Set<unknown>([...requiredOf(tool.spec.arguments), ...paths.map(([field]) => field)])
  const shorter = Object.fromEntries(Object.entries(example).filter(([field]) => needed.has(field)))
  return tool.payload.decodeValue(shorter).ok ? shorter : undefined
}

function requiredOf(schema: JsonSchema): readonly unknown[] {
  return typeof schema === 'object' && Array.isArray(schema.required) ? schema.required : []
}

/** Does not follow `$ref`. */
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
