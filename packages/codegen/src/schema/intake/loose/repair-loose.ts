import type { Schema, SchemaObject } from '../../json/json-schema.js'
import { mapSubschemasOfAnyDraft } from '../../json/keywords-of-any-draft.js'
import { type Converted, hasErrors, type SchemaFault } from '../../json/schema-fault.js'
import { isLoose } from './is-loose.js'
import { repairForm } from './repair-form.js'
import { dropLoneSaying, repairRequired } from './repair-required.js'
import { moveItemValues, repairDefault, repairEnum } from './repair-values.js'

/**
 * Brings the loose dialects in which functions are described to models (`dict`, `float`, `ArrayList`, `required: true`
 * at fields, defaults that contradict their type) into the form of JSON Schema. Every repair is reported; where it would
 * be a guess it is an error with a proposal. Of a valid JSON Schema only an `enum` of no arrays beside `type: array` is repaired.
 *
 * @param schema as it was written, of any draft
 */
export function repairLoose(schema: Schema): Converted<Schema> {
  const faults: SchemaFault[] = []
  const report = (fault: SchemaFault): void => {
    faults.push(fault)
  }
  const inParts = (part: SchemaObject, keys: readonly string[], repairPart: typeof repair): SchemaObject =>
    mapSubschemasOfAnyDraft(part, (subschema, inner) => repairPart(subschema, [...keys, ...inner]))
  const repair = (part: Schema, keys: readonly string[]): Schema => {
    if (typeof part === 'boolean') return part
    const formed = repairRequired(repairForm(part, keys, report), keys, report)
    const own = moveItemValues(dropLoneSaying(formed, keys, report), keys, report)
    return repairDefault(repairEnum(inParts(own, keys, repair), keys, report), keys, report)
  }
  // No value fits an array whose `enum` has no arrays, so a valid schema loses nothing by it.
  const repairArrays = (part: Schema, keys: readonly string[]): Schema =>
    typeof part === 'boolean' ? part : inParts(moveItemValues(part, keys, report), keys, repairArrays)
  if (!isLoose(schema)) return { value: repairArrays(schema, []), faults }
  const value = repair(schema, [])
  return hasErrors(faults) ? { faults } : { value, faults }
}
