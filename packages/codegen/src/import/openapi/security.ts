import { isObject, own } from '../../schema/json/json.js'
import type { Json, SchemaObject } from '../../schema/json/json-schema.js'
import { headerName } from './parameters.js'
import type { PartKeys } from './read-document.js'
import { objectAt, partsUnder } from './references.js'

/** How credentials are sent, by the document's names; without ways that no header, query or cookie has. */
export function securitySchemes(root: SchemaObject): Readonly<Record<string, SchemaObject>> {
  const schemes = partsUnder({ value: declaredSchemes(root), keys: ['components', 'securitySchemes'] })
  return Object.fromEntries(
    schemes.flatMap((part): readonly (readonly [string, SchemaObject])[] => {
      const found = objectAt(root, part)
      const scheme = 'why' in found ? undefined : schemeOf(found.object)
      return scheme === undefined ? [] : [[String(part.keys.at(-1)), scheme]]
    }),
  )
}

function declaredSchemes(root: SchemaObject): SchemaObject {
  const components = own(root, 'components')
  const schemes = isObject(components) ? own(components, 'securitySchemes') : undefined
  return isObject(schemes) ? schemes : {}
}

function schemeOf(said: SchemaObject): SchemaObject | undefined {
  const [type, name, place] = [own(said, 'type'), own(said, 'name'), own(said, 'in')]
  switch (type) {
    case 'apiKey':
      return typeof name === 'string' && (place === 'query' || place === 'header' || place === 'cookie')
        ? { type, in: place, name }
        : undefined
    case 'oauth2':
    case 'openIdConnect':
      return { type: 'bearer' }
    case 'http': {
      const scheme = String(own(said, 'scheme')).toLowerCase()
      return scheme === 'bearer' || scheme === 'basic' ? { type: scheme } : undefined
    }
    default:
      return undefined
  }
}

/** A scheme that no request can carry, since its name cannot be that of a header or cookie. */
export interface UnsendableScheme {
  readonly name: string
  readonly place: 'header' | 'cookie'
  /** Name of the header or cookie. */
  readonly sent: string
  /** Keys of that name in the document. */
  readonly keys: PartKeys
}

/** Returns the schemes of operations whose header or cookie cannot have the name that the document gives it. */
export function unsendableSchemes(
  operations: readonly SchemaObject[],
  root: SchemaObject,
  schemes: Readonly<Record<string, SchemaObject>>,
): readonly UnsendableScheme[] {
  const used = new Set(operations.flatMap((operation) => saidAlternatives(operation, root).flat()))
  return Object.entries(schemes).flatMap(([name, scheme]): readonly UnsendableScheme[] => {
    const [place, sent] = [own(scheme, 'in'), own(scheme, 'name')]
    if (!used.has(name) || (place !== 'header' && place !== 'cookie')) return []
    if (typeof sent !== 'string' || headerName.test(sent)) return []
    const at = { value: own(declaredSchemes(root), name) ?? null, keys: ['components', 'securitySchemes', name] }
    const found = objectAt(root, at)
    return [{ name, place, sent, keys: [...('why' in found ? at : found).keys, 'name'] }]
  })
}

/** The alternatives of an operation, else those of the document; without those that need a way that is not known. */
export function alternativesOf(
  operation: SchemaObject,
  root: SchemaObject,
  schemes: Readonly<Record<string, SchemaObject>>,
): readonly (readonly string[])[] {
  return saidAlternatives(operation, root).filter(
    (names) => names.length > 0 && names.every((name) => Object.hasOwn(schemes, name)),
  )
}

/** The ways of an operation that are not known, where no alternative remains that is; none where nobody has to prove anything. */
export function unknownSchemes(
  operation: SchemaObject,
  root: SchemaObject,
  schemes: Readonly<Record<string, SchemaObject>>,
): readonly string[] {
  const all = saidAlternatives(operation, root)
  const isOpen = all.some((names) => names.every((name) => Object.hasOwn(schemes, name)))
  return isOpen ? [] : [...new Set(all.flat().filter((name) => !Object.hasOwn(schemes, name)))]
}

/** What a scheme is, in the words of its document; `undefined` where that does not declare it. */
export function schemeKind(root: SchemaObject, name: string): string | undefined {
  const scheme = own(declaredSchemes(root), name)
  const found = scheme === undefined ? undefined : objectAt(root, { value: scheme, keys: [] })
  if (found === undefined || 'why' in found) return undefined
  return ['type', 'scheme', 'in'].flatMap((key) => own(found.object, key) ?? []).join(' ')
}

function saidAlternatives(operation: SchemaObject, root: SchemaObject): readonly (readonly string[])[] {
  const said = own(operation, 'security') ?? own(root, 'security')
  const all: readonly Json[] = Array.isArray(said) ? said : []
  return all.map((alternative) => (isObject(alternative) ? Object.keys(alternative) : []))
}
