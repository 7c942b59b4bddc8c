import { allSubschemas } from '../../codec/evaluate/subschemas.js'
import { isFields } from '../../codec/json/kind.js'
import type { WrittenSchema } from '../report/change.js'
import { strictLimits } from './strict-subset.js'

/** How large a strict schema is, as its limits count. */
interface Size {
  fields: number
  levels: number
  characters: number
  enumValues: number
  longEnum: boolean
}

/** What of a strict schema is beyond a limit, in sentences. */
export function beyondLimits(schema: WrittenSchema): readonly string[] {
  const size: Size = { fields: 0, levels: 0, characters: 0, enumValues: 0, longEnum: false }
  measure(schema, 0, size)
  const { fields, levels, characters, enumValues, longEnum, longEnumCharacters } = strictLimits
  return [
    ...(size.fields > fields ? [`The schema has ${size.fields} fields; strict mode takes ${fields}.`] : []),
    ...(size.levels > levels ? [`Its objects are ${size.levels} levels deep; strict mode takes ${levels}.`] : []),
    ...(size.characters > characters
      ? [`Its names and literals have ${size.characters} characters; strict mode takes ${characters}.`]
      : []),
    ...(size.enumValues > enumValues
      ? [`It has ${size.enumValues} enum values; strict mode takes ${enumValues}.`]
      : []),
    ...(size.longEnum
      ? [`An enum of more than ${longEnum} texts has more than ${longEnumCharacters} characters.`]
      : []),
  ]
}

function measure(schema: unknown, level: number, size: Size): void {
  if (!isFields(schema)) return
  const names = isFields(schema.properties) ? Object.keys(schema.properties) : []
  const definitions = isFields(schema.$defs) ? Object.keys(schema.$defs) : []
  const values: readonly unknown[] = Array.isArray(schema.enum) ? schema.enum : []
  const below = level + (isFields(schema.properties) ? 1 : 0)
  size.fields += names.length
  size.levels = Math.max(size.levels, below)
  size.enumValues += values.length
  size.characters += lengthOf(names) + lengthOf(definitions) + lengthOf(values)
  if (Object.hasOwn(schema, 'const')) size.characters += lengthOf([schema.const])
  if (values.length > strictLimits.longEnum && lengthOf(values) > strictLimits.longEnumCharacters) size.longEnum = true
  // A definition stands for itself: how deep the references lead is not counted, as they may recur.
  for (const [part, keyword] of allSubschemas(schema)) measure(part, keyword === '$defs' ? 0 : below, size)
}

function lengthOf(values: readonly unknown[]): number {
  return values.reduce<number>((sum, value) => sum + String(value).length, 0)
}
