import { errorAt, warning } from '../diagnostics/diagnostic.js'
import { isObject, type Json, objectOf, own, type SchemaObject } from '../schema/json-schema.js'
import type { PartDiagnostic } from './openapi-diagnostics.js'
import { headerName } from './openapi-parameters.js'
import { objectAt } from './openapi-parts.js'

export class SecuritySchemes {
  readonly #root: SchemaObject
  readonly #declared: SchemaObject
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

  /** Each inner array is an alternative: a request needs all schemes of one inner array. */
  alternatives(operation: SchemaObject): readonly (readonly string[])[] {
    return this.#alternatives(operation).filter((names) => names.length > 0 && this.#areUsable(names))
  }

  named(names: ReadonlySet<string>): readonly (readonly [string, SchemaObject])[] {
    return Object.entries(this.#usable).filter(([name]) => names.has(name))
  }

  unusable(operation: SchemaObject): readonly string[] {
    const all = this.#alternatives(operation)
    if (all.some((names) => this.#areUsable(names))) return []
    return [...new Set(all.flat().filter((name) => !Object.hasOwn(this.#usable, name)))]
  }

  unusableDiagnostic(name: string, operations: readonly string[]): PartDiagnostic {
    const found = this.#schemeAt(name)
    const kind =
      'why' in found ? undefined : ['type', 'scheme', 'in'].flatMap((key) => own(found.object, key) ?? []).join(' ')
    const first = operations.slice(0, 5).map((operation) => `\`${operation}\``)
    const more = operations.length - first.length
    const asked =
      more > 0 ? `${first.join(', ')} and ${more} more are` : `${first.join(', ')} ${first.length === 1 ? 'is' : 'are'}`
    const what = kind === undefined ? 'which the document does not declare' : `which is \`${kind}\``
    const message = `toolgen does not support the security scheme \`${name}\`, ${what}: ${asked} called without credentials.`
    const next = 'Set `headers`, or a `fetch` that adds credentials, when you register the toolset.'
    return { diagnostic: warning('TG6213', message, next), keys: ['components', 'securitySchemes', name] }
  }

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

  #alternatives(operation: SchemaObject): readonly (readonly string[])[] {
    const security = own(operation, 'security') ?? own(this.#root, 'security')
    const all: readonly Json[] = Array.isArray(security) ? security : []
    return all.map((alternative) => (isObject(alternative) ? Object.keys(alternative) : []))
  }
}

function usableScheme(scheme: SchemaObject): SchemaObject | undefined {
  const [type, name, location] = [own(scheme, 'type'), own(scheme, 'name'), own(scheme, 'in')]
  if (type === 'apiKey') {
    const isUsable = location === 'query' || location === 'header' || location === 'cookie'
    return isUsable && typeof name === 'string' ? { type, in: location, name } : undefined
  }
  if (type === 'oauth2' || type === 'openIdConnect') return { type: 'bearer' }
  const kind = String(own(scheme, 'scheme')).toLowerCase()
  return type === 'http' && (kind === 'bearer' || kind === 'basic') ? { type: kind } : undefined
}
