import { parsePointer } from '@toolgen/runtime/schema'
import { type Diagnostic, errorAt, note, warning } from '../diagnostics/diagnostic.js'
import { unknownNameAt } from '../diagnostics/near-names.js'
import { isObject, type Json, own, type SchemaObject, stringsOf } from '../schema/json-schema.js'
import { decodeFragment } from '../schema/references.js'
import { type ToolSource, textOf } from './tool-source.js'

/** An OpenAPI document as the source of tools. */
export const openApiDocument: ToolSource = {
  subject: 'The document',
  fix: 'Correct the document, and import again',
  rename: 'fromOpenApi(toolset, { rename: { tool: "name" } })',
}

export interface ApiOperation {
  /** The `operationId`, else a name made of method and path. */
  readonly id: string
  /** E.g. `GET /pets/{id}`. */
  readonly shown: string
  readonly method: string
  readonly path: string
  readonly tags: readonly string[]
  readonly operation: SchemaObject
  /** The path item with the operation. */
  readonly item: SchemaObject
  readonly keys: PartKeys
  readonly itemKeys: PartKeys
}

/** A diagnostic about a part of a document, without its location. */
export interface PartDiagnostic {
  readonly diagnostic: Diagnostic
  readonly keys: PartKeys
}

/** Methods that `fetch` can send. */
const methods: readonly string[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch']
/** Other methods of OpenAPI: `fetch` cannot send `trace`, and few servers know `query`. */
const otherMethods: readonly string[] = ['trace', 'query']

/** Reads the operations of a document, in their order. */
export function operationsOf(root: SchemaObject): {
  readonly operations: readonly ApiOperation[]
  readonly diagnostics: readonly PartDiagnostic[]
} {
  const diagnostics: PartDiagnostic[] = []
  const leaveOut = (shown: string, why: string, keys: PartKeys): readonly ApiOperation[] => {
    diagnostics.push({ diagnostic: operationLeftOut(shown, why), keys })
    return []
  }
  const paths = partsUnder({ value: own(root, 'paths') ?? {}, keys: ['paths'] })
  const operations = paths.flatMap((part) => {
    const path = String(part.keys[1])
    if (path.startsWith('x-')) return []
    const item = objectAt(root, part)
    if ('why' in item) return leaveOut(path, item.why, part.keys)
    if (!path.startsWith('/')) return leaveOut(path, 'its path does not begin with `/`', part.keys)
    const additional = [...item.keys, 'additionalOperations']
    for (const keys of [
      ...otherMethods
        .filter((method) => own(item.object, method) !== undefined)
        .map((method) => [...item.keys, method]),
      ...Object.keys(objectOf(own(item.object, 'additionalOperations'))).map((method) => [...additional, method]),
    ]) {
      leaveOut(`${String(keys.at(-1)).toUpperCase()} ${path}`, 'toolgen sends no requests of this method', keys)
    }
    return methods.flatMap((name): readonly ApiOperation[] => {
      const operation = own(item.object, name)
      if (operation === undefined) return []
      const [method, keys] = [name.toUpperCase(), [...item.keys, name]]
      const shown = `${method} ${path}`
      if (!isObject(operation)) return leaveOut(shown, 'it is no object', keys)
      const written = own(operation, 'operationId')
      const isNamed = textOf(operation, 'operationId') !== undefined
      const id = isNamed ? String(written) : generatedId(name, path)
      if (!isNamed) {
        const message = `\`${shown}\` has no \`operationId\`; it is imported as \`${id}\`.`
        const next =
          'Nothing, or give the operation an `operationId`: it keeps the name of the tool when its path changes.'
        diagnostics.push({ diagnostic: note('TG6204', message, next), keys })
      }
      const tags = stringsOf(operation, 'tags')
      return [{ id, shown, method, path, tags, operation, item: item.object, keys, itemKeys: item.keys }]
    })
  })
  return { operations, diagnostics }
}

/** Reports an operation that no tool can call. */
export function operationLeftOut(operation: string, why: string): Diagnostic {
  const next = `${openApiDocument.fix}, or declare the tool by hand in a toolset of its own.`
  return warning('TG6202', `\`${operation}\` is left out: ${why}.`, next)
}

/** Returns the id of an operation without one: `get_pets_by_id_toys` for `GET /pets/{id}/toys`. */
function generatedId(method: string, path: string): string {
  const words = path.replace(/\{([^{}]*)\}/g, 'by_$1').split(/[^\p{L}\p{N}]+/u)
  return [method, ...words.filter((word) => word !== '')].join('_')
}

/** Selection of operations: those that match one of its parts. An empty selection matches all. */
export interface OperationSelection {
  readonly tags: readonly string[]
  /** Whole paths, or their beginnings with `*` at the end. */
  readonly paths: readonly string[]
  readonly operations: readonly string[]
}

/** Returns the selected operations, and an error for each part of the selection that matches none. */
export function selected(
  operations: readonly ApiOperation[],
  { tags, paths, operations: ids }: OperationSelection,
): { readonly operations: readonly ApiOperation[]; readonly diagnostics: readonly Diagnostic[] } {
  const rules = [
    ...tags.map((value) => ({ option: 'tag', value, namesOf: (api: ApiOperation) => api.tags })),
    ...paths.map((value) => ({ option: 'path', value, namesOf: (api: ApiOperation) => [api.path] })),
    ...ids.map((value) => ({ option: 'operation', value, namesOf: (api: ApiOperation) => [api.id] })),
  ].map((rule) => {
    const isStart = rule.option === 'path' && rule.value.endsWith('*')
    const isMatch = (name: string): boolean =>
      isStart ? name.startsWith(rule.value.slice(0, -1)) : name === rule.value
    return { ...rule, isSelected: (api: ApiOperation) => rule.namesOf(api).some(isMatch) }
  })
  if (rules.length === 0) return { operations, diagnostics: [] }
  const diagnostics = rules
    .filter(({ isSelected }) => !operations.some(isSelected))
    .map(({ option, value, namesOf }) => {
      const known = [...new Set(operations.flatMap(namesOf))]
      const more = known.length > 20 ? `, and ${known.length - 20} more` : ''
      const others =
        known.length > 0
          ? `There are: ${known.slice(0, 20).join(', ')}${more}.`
          : `The document has no ${option}s: leave --${option} out, or select by another option.`
      const message = `\`--${option} ${value}\` selects no operation of the document.`
      return unknownNameAt(undefined, 'TG0001', message, value, known, others)
    })
  return { operations: operations.filter((api) => rules.some(({ isSelected }) => isSelected(api))), diagnostics }
}

/** Reads the selection of a snapshot. Default: all operations. */
export function recordedSelection(select: Json | undefined): OperationSelection {
  const [tags = [], paths = [], operations = []] = ['tags', 'paths', 'operations'].map((key) =>
    stringsOf(objectOf(select), key),
  )
  return { tags, paths, operations }
}

/** Keys that lead to a part of a document. */
export type PartKeys = readonly (string | number)[]

export interface DocumentPart {
  readonly value: Json
  readonly keys: PartKeys
}

/** Reason that a part cannot be used. */
export interface PartProblem {
  /** End of the sentence "... is left out:". */
  readonly why: string
  /** Reference to another document, if that is the reason. */
  readonly remote?: string
}

const outerParts: PartKeys = ['components', 'definitions', 'info', 'paths', 'servers', 'webhooks']

/** Returns the part to which a reference leads. */
export function targetOf(root: SchemaObject, ref: string): DocumentPart | PartProblem {
  if (!ref.startsWith('#')) return { why: `\`${ref}\` is another document`, remote: ref }
  const keys = keysInReference(root, ref)
  const value = keys && partAt(root, keys)
  if (keys === undefined || value === undefined) return { why: `the reference \`${ref}\` leads nowhere` }
  const [first, ...inner] = keys
  const isOuter = first === undefined || (inner.length === 0 && outerParts.includes(first))
  return isOuter
    ? { why: `the reference \`${ref}\` leads to the document around it, not to a part like that` }
    : { value, keys }
}

/** Returns the keys to which a pointer or an anchor leads; `undefined` if it leads nowhere. */
export function keysInReference(root: SchemaObject, ref: string): PartKeys | undefined {
  const fragment = decodeFragment(ref)
  if (fragment === undefined) return undefined
  return parsePointer(fragment) ?? anchorsOf(root).get(fragment)
}

/** Returns the part to which keys lead. */
export function partAt(root: SchemaObject, keys: PartKeys): Json | undefined {
  let value: Json | undefined = root
  for (const key of keys) {
    if (Array.isArray(value)) value = value[Number(key)]
    else value = isObject(value) ? own(value, String(key)) : undefined
  }
  return value
}

/** Returns a part, or the part to which its references lead. */
export function resolved(root: SchemaObject, part: DocumentPart): DocumentPart | PartProblem {
  const seen = new Set<string>()
  let current = part
  for (;;) {
    const ref = isObject(current.value) ? own(current.value, '$ref') : undefined
    if (typeof ref !== 'string') return current
    if (seen.has(ref)) return { why: `the reference \`${ref}\` leads to itself` }
    seen.add(ref)
    const target = targetOf(root, ref)
    if ('why' in target) return target
    current = target
  }
}

/** Returns a part that must be an object, with its references followed. */
export function objectAt(
  root: SchemaObject,
  part: DocumentPart,
): { readonly object: SchemaObject; readonly keys: PartKeys } | PartProblem {
  const found = resolved(root, part)
  if ('why' in found) return found
  if (isObject(found.value)) return { object: found.value, keys: found.keys }
  return { why: `\`${part.keys.slice(3).join('.') || part.keys.join('.')}\` is no object` }
}

/** Returns the properties or items of a part. */
export function partsUnder({ value, keys }: DocumentPart): readonly DocumentPart[] {
  if (Array.isArray(value)) return value.map((item: Json, index) => ({ value: item, keys: [...keys, index] }))
  return Object.entries(objectOf(value)).map(([key, item]) => ({ value: item, keys: [...keys, key] }))
}

/** Returns a value that is an object, else an empty object. */
export function objectOf(value: Json | undefined): SchemaObject {
  return isObject(value) ? value : {}
}

/** Anchors by document. Few documents use any. */
const knownAnchors = new WeakMap<SchemaObject, ReadonlyMap<string, PartKeys>>()

/** Objects whose keys are names that people chose. */
const namedParts: readonly unknown[] = ['properties', 'patternProperties', '$defs', 'schemas']
/** Values that contain no schemas. */
const dataKeys: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'example', 'examples'])

/** Returns the keys of the schemas with an `$anchor`, by its name. A name that several have leads nowhere. */
function anchorsOf(root: SchemaObject): ReadonlyMap<string, PartKeys> {
  const known = knownAnchors.get(root)
  if (known !== undefined) return known
  const found = new Map<string, PartKeys>()
  const repeated = new Set<string>()
  const visit = (value: Json, keys: PartKeys): void => {
    if (Array.isArray(value)) for (const [index, item] of value.entries()) visit(item, [...keys, index])
    if (!isObject(value)) return
    const name = own(value, '$anchor')
    if (typeof name === 'string') {
      if (found.has(name)) repeated.add(name)
      found.set(name, keys)
    }
    const isNamed = namedParts.includes(keys.at(-1))
    for (const [key, part] of Object.entries(value)) {
      if (isNamed || (!dataKeys.has(key) && !key.startsWith('x-'))) visit(part, [...keys, key])
    }
  }
  visit(root, [])
  for (const name of repeated) found.delete(name)
  knownAnchors.set(root, found)
  return found
}

/** Form of the body of a request or a response. */
type MediaKind = 'json' | 'multipart' | 'form' | 'text' | 'bytes'

export interface Media {
  readonly type: string
  readonly kind: MediaKind
  /** The schema. Without one, it allows anything. */
  readonly schema: DocumentPart
  readonly isDescribed: boolean
  /** Encodings of the fields of a form. */
  readonly encoding: SchemaObject
}

/** Kinds of media, the easiest for models first. */
const mediaKinds: readonly MediaKind[] = ['json', 'multipart', 'form', 'text', 'bytes']

/** Returns the first media type of the easiest kind for models. */
export function mediaOf({ value, keys }: DocumentPart): Media | undefined {
  const types = Object.entries(objectOf(value)).map(([type, media]): Media => {
    const schema = own(objectOf(media), 'schema')
    return {
      type: type.includes('*') ? 'application/json' : type,
      kind: kindOf(type),
      schema: { value: schema ?? {}, keys: [...keys, type, 'schema'] },
      isDescribed: schema !== undefined,
      encoding: objectOf(own(objectOf(media), 'encoding')),
    }
  })
  return mediaKinds.flatMap((kind) => types.filter((type) => type.kind === kind))[0]
}

/** Returns `true` for text, such as XML, with a schema of something else, which models cannot use. */
export function losesSchema({ kind, schema }: Media, root: SchemaObject): boolean {
  if (kind !== 'text') return false
  const found = resolved(root, schema)
  const value = 'why' in found ? true : found.value
  return isObject(value) && Object.keys(value).length > 0 && ![own(value, 'type')].flat().includes('string')
}

export function kindOf(written: string): MediaKind {
  const type = written.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (/^(?:\*\/\*|(?:application|text)\/(?:json|\*|.+\+json))$/.test(type)) return 'json'
  if (type === 'multipart/form-data') return 'multipart'
  if (type === 'application/x-www-form-urlencoded') return 'form'
  return /^text\/|^application\/(?:xml|yaml|.+\+(?:xml|yaml)|x-ndjson|graphql|javascript|sql)$/.test(type)
    ? 'text'
    : 'bytes'
}

export const headerName: RegExp = /^[!#$%&'*+.^_`|~\w-]+$/

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
  if (type === 'apiKey') {
    const isUsable = location === 'query' || location === 'header' || location === 'cookie'
    return isUsable && typeof name === 'string' ? { type, in: location, name } : undefined
  }
  if (type === 'oauth2' || type === 'openIdConnect') return { type: 'bearer' }
  const kind = String(own(scheme, 'scheme')).toLowerCase()
  return type === 'http' && (kind === 'bearer' || kind === 'basic') ? { type: kind } : undefined
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
