import { isObject, type Json, own, type SchemaObject } from '../schema/json-schema.js'
import { headerName, objectAt, type PartKeys, partsUnder } from './openapi-references.js'

/** The address of a server, or why it is not known: in words that end the sentence "... is left out:". */
export type ServerReading =
  | { readonly server: string }
  | {
      readonly why: string
      /** Whether the address is one, of a place that is relative to where nobody knows. */
      readonly isRelative?: true
    }

/**
 * The address of the first server that a document names, with the defaults of its variables.
 *
 * @param base where the document is, for addresses relative to it
 */
export function documentServer(root: SchemaObject, base: string | undefined): ServerReading {
  return readServer(root, base === undefined ? [] : [base])
}

/**
 * The address of the first server that an operation or a path names.
 *
 * @param bases what an address may be relative to: where the document is, and the document's own server. OpenAPI means the
 * first; where it is another place than what people mean by the second, nobody knows who is to get the credentials.
 */
export function readServer(object: SchemaObject, bases: readonly string[]): ServerReading {
  const servers = own(object, 'servers')
  const first: unknown = Array.isArray(servers) ? servers[0] : undefined
  const written = isObject(first) ? own(first, 'url') : undefined
  if (!isObject(first) || typeof written !== 'string') return { why: 'its server has no `url`' }
  const filled = filledIn(written, first)
  const shown = `its server \`${written}\``
  if (/[{}]/.test(filled)) return { why: `${shown} has a variable without a default` }
  if (filled.includes('#')) return { why: `${shown} has a \`#\`, after which no path can stand` }
  const isRelative = !URL.canParse(filled)
  const locations = isRelative ? bases.filter((base) => URL.canParse(filled, base)) : [undefined]
  const [address, ...others] = [...new Set(locations.map((base) => new URL(filled, base).href))]
  if (address === undefined) return { why: `${shown} does not say where it is`, isRelative: true }
  if (others.length > 0) return { why: `${shown} may be \`${[address, ...others].join('` or `')}\`` }
  const { protocol, username, password } = new URL(address)
  if (!/^https?:$/.test(protocol)) return { why: `${shown} is not asked by HTTP` }
  // They would be checked in.
  if (username !== '' || password !== '') return { why: 'the address of its server has a name or a password in it' }
  return { server: (isRelative ? address : filled).replace(/\/+$/, '') }
}

function filledIn(written: string, server: SchemaObject): string {
  const said = own(server, 'variables')
  const variables = isObject(said) ? said : {}
  return written.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    const variable = own(variables, name)
    const value = isObject(variable) ? own(variable, 'default') : undefined
    return typeof value === 'string' || typeof value === 'number' ? String(value) : whole
  })
}

/** Whether an object names servers of its own. */
export function namesServers(object: SchemaObject): boolean {
  const servers = own(object, 'servers')
  return Array.isArray(servers) && servers.length > 0
}

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
  const [type, name, location] = [own(said, 'type'), own(said, 'name'), own(said, 'in')]
  switch (type) {
    case 'apiKey':
      return typeof name === 'string' && (location === 'query' || location === 'header' || location === 'cookie')
        ? { type, in: location, name }
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
  readonly location: 'header' | 'cookie'
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
    const [location, sent] = [own(scheme, 'in'), own(scheme, 'name')]
    if (!used.has(name) || (location !== 'header' && location !== 'cookie')) return []
    if (typeof sent !== 'string' || headerName.test(sent)) return []
    const at = { value: own(declaredSchemes(root), name) ?? null, keys: ['components', 'securitySchemes', name] }
    const found = objectAt(root, at)
    return [{ name, location, sent, keys: [...('why' in found ? at : found).keys, 'name'] }]
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
