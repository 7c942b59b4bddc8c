import type { Schema } from '../schema/json/json-schema.js'
import type { Place } from './codec-scope.js'
import { calledWith, parameterName } from './identifiers.js'
import type { PartCheck } from './part-check.js'

/** Checks of the runtime whose second argument is a bound, not a mode. */
const withBounds = /\.(?:text|array|integer|number)$/

/** The check of a schema as a function that is handed on: by its name where it has one. */
export function checkArgument(schema: Schema, place: Place, role: string, part: PartCheck): string | undefined {
  const check = part(schema, { value: 'v', stem: `${place.stem}${role}`, mode: place.mode })
  if (check === undefined) return undefined
  const name = calledWith(check.text, 'v')
  if (name !== undefined && !withBounds.test(name)) return name
  // The mode is handed on as it is.
  const modal = calledWith(check.text, `v, ${place.mode}`)
  if (modal !== undefined && !modal.includes('.')) return modal
  const value = parameterName('v', check.text)
  return check.usesMode ? `(${value}, m) => ${check.text}` : `(${value}) => ${check.text}`
}
