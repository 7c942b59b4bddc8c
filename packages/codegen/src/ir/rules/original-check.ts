import { isObject } from '../../schema/json/json.js'
import type { Schema } from '../../schema/json/json-schema.js'
import { pointerOf } from '../../schema/json/pointer.js'
import type { CheckValue, ValueFault } from '../../schema/values/check-value.js'
import { sampleOf } from '../../schema/values/sample.js'
import { issuesOf } from '../../schema/values/standard-issues.js'
import { typedValue } from '../../schema/values/typed-value.js'
import type { ServerOwnedField } from './server-owned-fields.js'

/** Tests an example's arguments by the schema that the design wrote, refinements in code included. */
export type OriginalCheck = (example: unknown) => readonly ValueFault[]

/**
 * The check by the design's own schema. Server-owned fields are filled with a sample, since refinements see whole
 * payloads alone; what is said about them says nothing about the example.
 *
 * @returns `undefined` where the schema checks nothing itself, or where no sample of a server-owned field is found
 */
export function originalCheck(
  payload: unknown,
  owned: readonly ServerOwnedField[],
  checks: { readonly returned: CheckValue; readonly defs: Readonly<Record<string, Schema>> },
): OriginalCheck | undefined {
  const samples = owned.map(({ field, schema }) => ({ field, schema, sample: sampleOf(schema, checks.returned) }))
  const filling = samples.flatMap(({ field, schema, sample }) =>
    sample === undefined ? [] : [[field, typedValue(sample, schema, checks.defs)] as const],
  )
  if (filling.length < samples.length) return undefined
  const names = new Set<unknown>(owned.map(({ field }) => field))
  return (example) => {
    const value = isObject(example) ? Object.fromEntries([...Object.entries(example), ...filling]) : example
    return issuesOf(payload, value)
      .filter(({ path }) => !names.has(path[0]))
      .map(({ path, message }) => ({ pointer: pointerOf(path), message }))
  }
}
