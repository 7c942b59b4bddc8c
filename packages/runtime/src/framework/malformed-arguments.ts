import { isFields } from '../codec/json/kind.js'
import type { JsonText } from '../contract/json.js'

/** Under which arguments that are no JSON travel through a framework: models' servers take nothing but objects as such. */
const MALFORMED = '~malformed'

/** Arguments that are no JSON, as an object. */
export function malformedArguments(written: string): { readonly [MALFORMED]: string } {
  return { [MALFORMED]: written }
}

/** The arguments of which a framework has the parsed value: written anew, or as the model wrote them where they are no JSON. */
export function argumentsText(parsed: unknown): JsonText {
  if (isFields(parsed) && Object.keys(parsed).length === 1 && Object.hasOwn(parsed, MALFORMED)) {
    const sent = parsed[MALFORMED]
    if (typeof sent === 'string') return sent
  }
  return written(parsed)
}

/** Arguments that cannot be written (they are nested too deep) are none. */
function written(parsed: unknown): JsonText {
  try {
    return JSON.stringify(parsed) ?? ''
  } catch {
    return ''
  }
}
