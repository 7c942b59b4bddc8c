import { errorAt } from '../diagnostics/diagnostic.js'
import { isObject, type Json, own, type SchemaObject } from '../schema/json-schema.js'
import type { PartDiagnostic } from './openapi-operations.js'
import { headerName, objectAt, objectOf } from './openapi-references.js'
import { warning } from './tool-diagnostics.js'

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

export class SecuritySchemes {
  readonly #root: SchemaObject
  readonly #declared: SchemaObject
  /** Schemes that requests can carry, by name. */
  readonly #usable: Readonly<Record<string, SchemaObject>>

  constructor(root: SchemaObject) {
    this.#root = root
    this.#declared = objectOf(own(objectOf(own(root, 'components')), 'securitySchemes'))
    this.#usable = Object.fromEntries(
      Object.keys(this.#declared).flatMap((name) => {
        const found = this.#schemeAt(name)
        const scheme = 'why' in found ? undefined : usableScheme(found.object)
        return scheme === undefined ? [] : [[name, scheme] as const]
      }),
    )
  }

  #schemeAt(name: string) {
    const keys = ['components', 'securitySchemes', name]
    return objectAt(this.#root, { value: own(this.#declared, name) ?? null, keys })
  }

  /** Returns the alternatives of an operation, without those that need a scheme that cannot be used. */
  alternatives(operation: SchemaObject): readonly (readonly string[])[] {
    return this.#alternatives(operation).filter((names) => names.length > 0 && this.#areUsable(names))
  }

  /** Returns the schemes with some names. */
  named(names: ReadonlySet<string>): readonly (readonly [string, SchemaObject])[] {
    return Object.entries(this.#usable).filter(([name]) => names.has(name))
  }

  /** Returns the schemes of an operation that cannot be used, if it needs one of them. */
  unusable(operation: SchemaObject): readonly string[] {
    const all = this.#alternatives(operation)
    if (all.some((names) => this.#areUsable(names))) return []
    return [...new Set(all.flat().filter((name) => !Object.hasOwn(this.#usable, name)))]
  }

  /** Reports a scheme that cannot be used, and the operations that need it. */
  unusableDiagnostic(name: string, operations: readonly string[]): PartDiagnostic {
    const found = this.#schemeAt(name)
    const kind =
      'why' in found ? undefined : ['type', 'scheme', 'in'].flatMap((key) => own(found.object, key) ?? []).join(' ')
    const first = operations.slice(0, 5).map((operation) => `\`${operation}\``)
    const more = operations.length - first.length
    const asked =
      more > 0 ? `${first.join(', ')} and ${more} more are` : `${first.join(', ')} ${first.length === 1 ? 'is' : 'are'}`
    const what = kind === undefined ? 'which the document does not declare' : `which is \`${kind}\``
    const message = `toolgen does not prove who asks by \`${name}\`, ${what}: ${asked} asked without credentials.`
    const next = 'Give `headers`, or a `fetch` that proves who asks, where the toolset is bound.'
    return { diagnostic: warning('TG6213', message, next), keys: ['components', 'securitySchemes', name] }
  }

  /** Reports the schemes of operations whose header or cookie cannot have its name. */
  invalidNames(operations: readonly SchemaObject[]): readonly PartDiagnostic[] {
    const used = new Set(operations.flatMap((operation) => this.#alternatives(operation).flat()))
    return this.named(used).flatMap(([name, scheme]): readonly PartDiagnostic[] => {
      const [location, sent] = [own(scheme, 'in'), own(scheme, 'name')]
      if (location !== 'header' && location !== 'cookie') return []
      if (typeof sent !== 'string' || headerName.test(sent)) return []
      const found = this.#schemeAt(name)
      const keys = 'why' in found ? ['components', 'securitySchemes', name] : found.keys
      const message = `The security scheme \`${name}\` cannot be sent: ${JSON.stringify(sent)} is not a valid name of a ${location}.`
      const next =
        'Correct `name` in the document: letters, digits and `-`, without spaces and line breaks. Or import only operations without this scheme.'
      return [{ diagnostic: errorAt(undefined, 'TG6216', message, next), keys: [...keys, 'name'] }]
    })
  }

  #areUsable(names: readonly string[]): boolean {
    return names.every((name) => Object.hasOwn(this.#usable, name))
  }

  /** Returns the alternatives of an operation, else those of the document. */
  #alternatives(operation: SchemaObject): readonly (readonly string[])[] {
    const security = own(operation, 'security') ?? own(this.#root, 'security')
    const all: readonly Json[] = Array.isArray(security) ? security : []
    return all.map((alternative) => (isObject(alternative) ? Object.keys(alternative) : []))
  }
}

/** Returns a scheme as executors use it; `undefined` if no header, query or cookie can carry it. */
function usableScheme(scheme: SchemaObject): SchemaObject | undefined {
  const [type, name, location] = [own(scheme, 'type'), own(scheme, 'name'), own(scheme, 'in')]
  switch (type) {
    case 'apiKey':
      return typeof name === 'string' && (location === 'query' || location === 'header' || location === 'cookie')
        ? { type, in: location, name }
        : undefined
    case 'oauth2':
    case 'openIdConnect':
      return { type: 'bearer' }
    case 'http': {
      const kind = String(own(scheme, 'scheme')).toLowerCase()
      return kind === 'bearer' || kind === 'basic' ? { type: kind } : undefined
    }
    default:
      return undefined
  }
}

/**
 * Reports a document without the address of its API.
 *
 * @param problem why its server cannot be used; `undefined` if it has none
 */
export function noServer(problem: Extract<ServerReading, { readonly why: string }> | undefined): PartDiagnostic {
  const since = problem === undefined ? '' : `, since ${problem.why}`
  const diagnostic = warning(
    'TG6207',
    `The document does not say where its API is${since}: applications must give \`baseUrl\`.`,
    'Nothing, or name a server with its whole address under `servers`.',
  )
  const isNote = problem === undefined || problem.isRelative === true
  return { diagnostic: isNote ? { ...diagnostic, severity: 'note' } : diagnostic, keys: ['servers'] }
}
