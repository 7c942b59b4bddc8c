import { isObject, own } from '../../schema/json/json.js'
import type { SchemaObject } from '../../schema/json/json-schema.js'

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
  const places = isRelative ? bases.filter((base) => URL.canParse(filled, base)) : [undefined]
  const [address, ...others] = [...new Set(places.map((base) => new URL(filled, base).href))]
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
