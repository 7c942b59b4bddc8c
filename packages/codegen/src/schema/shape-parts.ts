import { typedFromText } from '@toolgen/runtime/schema'
import { type Defs, isObject, type Json, type Schema } from './json-schema.js'
import { isStandardSchema } from './libraries/standard.js'
import { resolveShape, shapeOf } from './read-shape.js'
import type { Shape } from './shape.js'
import { jsTypeOfValue, withWireTexts } from './typed-values.js'

export function alternativesOf(
  shape: Shape,
  defs: Readonly<Record<string, Schema>>,
  within: readonly string[] = [],
): readonly Shape[] {
  if (shape.kind === 'ref' && within.includes(shape.name)) return []
  const inside = shape.kind === 'ref' ? [...within, shape.name] : within
  const resolved = resolveShape(shape, defs)
  const below = (part: Shape): readonly Shape[] => alternativesOf(part, defs, inside)
  if (resolved.kind === 'union') return resolved.variants.flatMap(below)
  if (resolved.kind === 'intersection') return resolved.parts.flatMap(below)
  return [resolved]
}

export function stepInto(shape: Shape, key: string): readonly Shape[] {
  if (shape.kind === 'unknown') return [shape]
  if (shape.kind === 'object') {
    const field = shape.fields.find(({ name }) => name === key)
    if (field !== undefined) return [field.shape]
    return shape.additional === undefined ? [] : [shape.additional]
  }
  if (!/^\d+$/.test(key)) return []
  if (shape.kind === 'array') return [shape.items]
  if (shape.kind !== 'tuple') return []
  const item = shape.items[Number(key)] ?? shape.rest
  return item === undefined ? [] : [item]
}

export function wireValue(value: unknown, schema: Schema, defs: Defs): unknown {
  const root = shapeOf(schema, defs)
  return withWireTexts(value, (keys, type) => {
    const found = keys.reduce<readonly Shape[]>((shapes, key) => partsAt(shapes, String(key), defs), [root])
    const alternatives = found.flatMap((shape) => alternativesOf(shape, defs))
    return alternatives.some((shape) => shape.kind === 'typed' && shape.type === type)
  })
}

/**
 * Strings become dates, bigints or bytes if the schema clearly declares these types. `input` is the value before its conversion to JSON; the result
 * contains the dates, bigints and bytes of `input` unchanged.
 */
export function typedValue(value: Json, schema: Schema, defs: Defs, input: unknown = value): unknown {
  return typed(value, input, [shapeOf(schema, defs)], defs)
}

function typed(value: Json, input: unknown, shapes: readonly Shape[], defs: Defs): unknown {
  if (jsTypeOfValue(input) !== undefined) return input
  if (typeof value === 'string')
    return typedText(
      value,
      shapes.flatMap((shape) => alternativesOf(shape, defs)),
    )
  const part = (key: string): unknown => (isContainer(input) ? Reflect.get(input, key) : undefined)
  if (Array.isArray(value)) {
    return value.map((item: Json, index) =>
      typed(item, part(String(index)), partsAt(shapes, String(index), defs), defs),
    )
  }
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, typed(item, part(key), partsAt(shapes, key, defs), defs)]),
  )
}

function typedText(text: string, alternatives: readonly Shape[]): unknown {
  const isPlain = alternatives.some(({ kind }) => kind === 'string' || kind === 'literals' || kind === 'unknown')
  if (isPlain) return text
  const values = alternatives.map((shape) => (shape.kind === 'typed' ? typedFromText(shape.type, text) : undefined))
  return values.find((value) => value !== undefined) ?? text
}

function partsAt(shapes: readonly Shape[], key: string, defs: Defs): readonly Shape[] {
  return shapes.flatMap((shape) => alternativesOf(shape, defs)).flatMap((shape) => stepInto(shape, key))
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

interface LibraryIssue {
  readonly path: readonly (string | number)[]
  readonly message: string
}

export function issuesOf(schema: unknown, value: unknown): readonly LibraryIssue[] {
  if (!isStandardSchema(schema)) return []
  const standard = schema['~standard']
  if (standard.validate === undefined) return []
  let outcome: unknown
  try {
    outcome = standard.validate(value)
  } catch (error) {
    return [{ path: [], message: `its check threw: ${error instanceof Error ? error.message : String(error)}` }]
  }
  if (outcome instanceof Promise) {
    // The result is not used, but a rejection must not end the process.
    outcome.catch(() => undefined)
    return []
  }
  const issues = typeof outcome === 'object' && outcome !== null && 'issues' in outcome ? outcome.issues : undefined
  return Array.isArray(issues) ? issues.map(readIssue) : []
}

function readIssue(issue: unknown): LibraryIssue {
  if (typeof issue !== 'object' || issue === null) return { path: [], message: 'rejected' }
  const path = 'path' in issue && Array.isArray(issue.path) ? issue.path : []
  const message = 'message' in issue && typeof issue.message === 'string' ? issue.message : 'rejected'
  return { path: path.map(keyOf), message }
}

/** In Standard Schema, a segment of an issue path is a key, or an object with the property `key`. */
function keyOf(step: unknown): string | number {
  const key = typeof step === 'object' && step !== null && 'key' in step ? step.key : step
  return typeof key === 'number' ? key : String(key)
}
