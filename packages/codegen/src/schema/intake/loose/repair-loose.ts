import type { Schema } from '../../json/json-schema.js'
import { mapSubschemasOfAnyDraft } from '../../json/keywords-of-any-draft.js'
import { type Converted, hasErrors, type SchemaFault } from '../../json/schema-fault.js'
import { isLoose } from './is-loose.js'
import { repairForm } from './repair-form.js'
import { dropLoneSaying, repairRequired } from './repair-required.js'
import { repairDefault, repairEnum } from './repair-values.js'

/**
 * Brings the loose dialects in which functions are described to models (`dict`, `float`, `ArrayList`, `required: true`
 * at fields, defaults that contradict their type) into the form of JSON Schema. Every repair is reported; where it would
 * be a guess it is an error with a proposal. A valid JSON Schema is returned as it is.
 *
 * @param schema as it was written, of any draft
 */
export function repairLoose(schema: Schema): Converted<Schema> {
  if (!isLoose(schema)) return { value: schema, faults: [] }
  const faults: SchemaFault[] = []
  const report = (fault: SchemaFault): void => {
    faults.push(fault)
  }
  const repair = (part: Schema, keys: readonly string[]): Schema => {
    if (typeof part === 'boolean') return part
    const formed = repairRequired(repairForm(part, keys, report), keys, report)
    const own = dropLoneSaying(formed, keys, report)
    const inside = mapSubschemasOfAnyDraft(own, (subschema, inner) => repair(subschema, [...keys, ...inner]))
    return repairDefault(repairEnum(inside, keys, report), keys, report)
  }
  const value = repair(schema, [])
  return hasErrors(faults) ? { faults } : { value, faults }
}
