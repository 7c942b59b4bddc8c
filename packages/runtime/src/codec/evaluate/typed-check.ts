import { boundedReceived } from '../issues/received.js'
import { isWireText, type JsType, jsTypes, wireFormats } from '../typed/js-type.js'
import { keyword, textKeyword } from './keywords.js'
import type { Run } from './run.js'
import { SchemaError } from './schema-error.js'
import type { Site } from './site.js'
import { ScalarTrace, type Trace } from './trace.js'

/** The pattern that schemas give to bigints: what breaks it is told once, by the type. */
const bigintPattern = '^-?(0|[1-9][0-9]*)$'

/** Says whether a text is the wire form of a type, and records the type. */
export type TypedCheck = (text: string, run: Run, trace: Trace | undefined) => boolean

/** Prepares `x-js`: the JavaScript type that a text is decoded to. */
export function prepareTyped(site: Site): TypedCheck | undefined {
  const type = namedType(site)
  if (type === undefined) return undefined
  const format = wireFormats[type]
  return (text, run, trace) => {
    if (trace instanceof ScalarTrace) trace.type ??= type
    return (
      isWireText(type, text) ||
      (!run.quiet && run.report({ constraint: 'invalid_format', format, ...boundedReceived(text) }))
    )
  }
}

/** Whether `x-js` of a schema checks all that its `format` or `pattern` says. */
export function isSaidByType(site: Site, name: 'format' | 'pattern', value: string): boolean {
  const type = namedType(site)
  return name === 'format' ? type === 'Date' && value === 'date-time' : type === 'bigint' && value === bigintPattern
}

function namedType(site: Pick<Site, 'schema' | 'pointer'>): JsType | undefined {
  const name = keyword(site.schema, 'x-js') === undefined ? undefined : textKeyword(site, 'x-js')
  const type = jsTypes.find((known) => known === name)
  if (name === undefined || type !== undefined) return type
  throw new SchemaError(`${site.pointer}/x-js`, `${JSON.stringify(name)} is none of ${jsTypes.join(', ')}.`)
}
