import { type Diagnostic, note, warning } from '../diagnostics/diagnostic.js'
import { own, type SchemaObject } from '../schema/json-schema.js'
import { objectOf } from './openapi-parts.js'

/** The address of a server, or why it is unknown. */
export type ServerReading =
  | { readonly server: string }
  | {
      /** End of the sentence "... is left out:". */
      readonly why: string
      /** True for an address that is relative to an unknown one. */
      readonly isRelative?: true
    }

/**
 * Reads the address of the first server of an object, with the defaults of its variables.
 *
 * @param bases addresses to which it may be relative: that of the document, and the document's server. OpenAPI means the
 * first, people may mean the second. If both give different addresses, it is unknown who may get the credentials.
 */
export function readServer(object: SchemaObject, bases: readonly string[]): ServerReading {
  const servers = own(object, 'servers')
  const first = objectOf(Array.isArray(servers) ? servers[0] : undefined)
  const url = own(first, 'url')
  if (typeof url !== 'string') return { why: 'its server has no `url`' }
  const variables = objectOf(own(first, 'variables'))
  const filled = url.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    const value = own(objectOf(own(variables, name)), 'default')
    return typeof value === 'string' || typeof value === 'number' ? String(value) : whole
  })
  const shown = `its server \`${url}\``
  if (/[{}]/.test(filled)) return { why: `${shown} has a variable without a default` }
  if (filled.includes('#')) return { why: `${shown} has a \`#\`, after which no path can stand` }
  const isRelative = !URL.canParse(filled)
  const usable = isRelative ? bases.filter((base) => URL.canParse(filled, base)) : [undefined]
  const [address, ...others] = [...new Set(usable.map((base) => new URL(filled, base).href))]
  if (address === undefined) return { why: `${shown} does not say where it is`, isRelative: true }
  if (others.length > 0) return { why: `${shown} may be \`${[address, ...others].join('` or `')}\`` }
  const { protocol, username, password } = new URL(address)
  if (!/^https?:$/.test(protocol)) return { why: `${shown} is not asked by HTTP` }
  // The address is checked in.
  if (username !== '' || password !== '') return { why: 'the address of its server has a name or a password in it' }
  return { server: (isRelative ? address : filled).replace(/\/+$/, '') }
}

/** Returns `true` for an object with servers of its own. */
export function namesServers(object: SchemaObject): boolean {
  const servers = own(object, 'servers')
  return Array.isArray(servers) && servers.length > 0
}

/**
 * Reports a document without the address of its API.
 *
 * @param problem why its server cannot be used; `undefined` if it has none
 */
export function noServer(problem: Extract<ServerReading, { readonly why: string }> | undefined): Diagnostic {
  const since = problem === undefined ? '' : `, since ${problem.why}`
  const create = problem === undefined || problem.isRelative === true ? note : warning
  return create(
    'TG6207',
    `The document does not say where its API is${since}: applications must give \`baseUrl\`.`,
    'Nothing, or name a server with its whole address under `servers`.',
  )
}
