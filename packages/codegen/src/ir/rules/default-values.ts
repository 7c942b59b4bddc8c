import type { Diagnostic, SourcePlace } from '../../diagnostics/diagnostic.js'
import { own } from '../../schema/json/json.js'
import type { Schema, SchemaObject } from '../../schema/json/json-schema.js'
import { eachSubschema } from '../../schema/json/keywords.js'
import { pointerOf } from '../../schema/json/pointer.js'
import { atPointer } from '../../schema/json/schema-fault.js'
import type { CheckValue } from '../../schema/values/check-value.js'

/** Checks the defaults inside a schema. */
export type CheckDefaults = (
  schema: Schema,
  at: { readonly what: string; readonly placeOf: (...keys: readonly string[]) => SourcePlace },
) => readonly Diagnostic[]

/** A default takes the place of a value that nobody sent, so it must be such a value. */
export function defaultsChecker(check: CheckValue): CheckDefaults {
  const faultOf = (schema: SchemaObject): string | undefined => {
    const value = own(schema, 'default')
    const [fault] = value === undefined ? [] : check(schema, value)
    return fault && `${fault.pointer === '' ? '' : `${fault.pointer} `}${fault.message}`
  }
  return (schema, { what, placeOf }) => {
    const found: Diagnostic[] = []
    const visit = (inner: Schema, keys: readonly string[]): void => {
      if (typeof inner === 'boolean') return
      const fault = faultOf(inner)
      if (fault !== undefined) found.push(misfit(what, keys, fault, placeOf(...keys, 'default')))
      eachSubschema(inner, (subschema, more) => visit(subschema, [...keys, ...more]))
    }
    visit(schema, [])
    return found
  }
}

function misfit(what: string, keys: readonly string[], fault: string, place: SourcePlace): Diagnostic {
  return {
    code: 'TG3016',
    severity: 'error',
    message: `${what}: The default ${atPointer(pointerOf(keys))} does not fit its own schema: ${fault}.`,
    place,
    next: 'Correct the default, or the schema.',
  }
}
