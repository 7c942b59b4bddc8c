import type { JsonSchema } from '../../contract/json.js'

/** The keywords that say nothing about which values are valid. */
const NOTES: ReadonlySet<string> = new Set([
  ...['$schema', '$id', '$comment', 'title', 'description', 'default', 'examples', 'example', 'deprecated'],
  ...['readOnly', 'writeOnly'],
])

const KINDS = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const

/** The schema without what is only said about it; its subschemas keep their notes. */
export function withoutNotes(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !NOTES.has(keyword)))
}

/** A schema behind its references, with the last of them; what refers to nothing known stays as it is. */
export function resolved(document: JsonSchema, schema: unknown): { readonly schema: unknown; readonly at?: string } {
  let target = schema
  let at: string | undefined
  // A reference to a reference is rare, a circle of them is a fault of the server.
  for (let step = 0; step < 20; step += 1) {
    const reference = refOf(target)
    if (reference === undefined) break
    at = reference
    target = lookUp(document, reference)
  }
  return { schema: target, ...(at !== undefined && { at }) }
}

function refOf(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null || !('$ref' in schema)) return undefined
  return typeof schema.$ref === 'string' && schema.$ref.startsWith('#') ? schema.$ref : undefined
}

function lookUp(document: unknown, reference: string): unknown {
  const steps = reference
    .slice(1)
    .split('/')
    .slice(1)
    .map((step) => decoded(step).replaceAll('~1', '/').replaceAll('~0', '~'))
  return steps.reduce<unknown>(
    (part, step) =>
      typeof part === 'object' && part !== null && Object.hasOwn(part, step) ? Reflect.get(part, step) : true,
    document,
  )
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    // Not percent-encoded after all.
    return step
  }
}

/** The kinds of JSON values that `type` admits; `number` includes `integer`. */
export function admittedKinds(type: unknown): readonly string[] {
  const named: readonly unknown[] = type === undefined ? KINDS : [type].flat()
  return KINDS.filter((kind) => named.includes(kind) || (kind === 'integer' && named.includes('number')))
}

/** The values that `enum` or `const` list, as JSON text; `undefined` where neither does. */
export function listedValues(schema: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum.map(canonical)
  return Object.hasOwn(schema, 'const') ? [canonical(schema.const)] : undefined
}

/** Whether a keyword holds one schema. */
export function subschemas(value: unknown): boolean {
  return typeof value === 'boolean' || (typeof value === 'object' && value !== null && !Array.isArray(value))
}

/** A pointer with further steps. */
export function pointer(path: string, ...steps: readonly string[]): string {
  return [path, ...steps.map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1'))].join('/')
}

/** Whether two values are the same JSON, whatever the order of keys. */
export function sameJson(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other)
}

function canonical(value: unknown): string {
  return String(
    JSON.stringify(value, (_, part: unknown) =>
      typeof part === 'object' && part !== null && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
        : part,
    ),
  )
}
