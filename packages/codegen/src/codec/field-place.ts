import { accessText, stringText } from '../text/literal.js'
import { pascal } from '../text/pascal.js'
import { type Code, code } from './code.js'
import type { CodecScope, Place } from './codec-scope.js'

/** Names of functions are cut there; a number keeps them apart. */
const longestStem = 80

/** The place of a field. */
export function fieldPlace(place: Place, name: string, scope: CodecScope): Place {
  // A field of a name that every object inherits is read only where the object has it itself.
  const isInherited = name in Object.prototype
  const value = isInherited
    ? `${scope.words.is}.own(${place.value}, ${stringText(name)})`
    : `${place.value}${accessText(name)}`
  return { mode: place.mode, value, stem: `${place.stem}${pascal(name)}`.slice(0, longestStem) }
}

/** The field is not there. */
export function isAbsent({ value }: Place): Code {
  return code(`${value} === undefined`)
}

/** The field is there. */
export function isPresent({ value }: Place): Code {
  return code(`${value} !== undefined`)
}
