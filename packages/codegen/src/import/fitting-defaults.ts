import { defaultsChecker } from '../ir/rules/default-values.js'
import { repairDefault } from '../schema/intake/loose/repair-values.js'
import { isObject, without } from '../schema/json/json.js'
import type { Schema } from '../schema/json/json-schema.js'
import { mapSubschemasOfAnyDraft } from '../schema/json/keywords-of-any-draft.js'
import { valueChecker } from '../schema/values/check-value.js'
import { timelyPattern } from '../schema/values/timely-pattern.js'

/** A schema as it was given, and as it was read. */
export interface ReadSchema {
  readonly schema: Schema
  readonly root: Schema
  readonly defs: Readonly<Record<string, Schema>>
}

/** The complaint about the first default that is no value of its own schema; `undefined` where all are. */
export function misfittingDefault({ root, defs }: ReadSchema, unknownFields: 'refuse' | 'allow'): string | undefined {
  const check = defaultsChecker(valueChecker(defs, unknownFields, timelyPattern))
  const at = { what: '', placeOf: () => ({ file: '', line: 0, column: 0 }) }
  const [first] = [root, ...Object.values(defs)].flatMap((schema) => check(schema, at))
  return first?.message.replace(/^: The default /, 'the default ').replace(/\.$/, '')
}

/** A schema without the defaults that the type or the allowed values beside them contradict. */
export function withoutContradictions(schema: Schema): Schema {
  return isObject(schema)
    ? mapSubschemasOfAnyDraft(
        repairDefault(schema, [], () => undefined),
        withoutContradictions,
      )
    : schema
}

/** A schema without any default, in whatever part of it. */
export function withoutDefaults(schema: Schema): Schema {
  return isObject(schema) ? mapSubschemasOfAnyDraft(without(schema, ['default']), withoutDefaults) : schema
}
