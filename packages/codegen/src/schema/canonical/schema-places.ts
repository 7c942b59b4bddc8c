import { isObject, isSchema, own } from '../json/json.js'
import type { Json, Schema, SchemaObject } from '../json/json-schema.js'
import { eachSubschemaOfAnyDraft } from '../json/keywords-of-any-draft.js'
import { pointerOf } from '../json/pointer.js'
import type { SchemaFault } from '../json/schema-fault.js'
import type { Dialect } from './dialect.js'
import { badAddress } from './reference-faults.js'

/** The address of a document that gives none; never shown. */
const unnamed = 'schema://document/'

/** Where a schema stands in a document as it was written. */
export interface SchemaPlace {
  readonly schema: Schema
  readonly keys: readonly string[]
  /** The address against which the references of the schema are read. */
  readonly base: string
}

/** The schemas of a document as it was written, by place, by address (`$id`) and by anchor. */
export class SchemaPlaces {
  readonly #dialect: Dialect
  readonly #faults: SchemaFault[]
  readonly #byPointer = new Map<string, SchemaPlace>()
  readonly #resources = new Map<string, SchemaPlace>()
  readonly #anchors = new Map<string, SchemaPlace>()
  /** By name, and by the address within which they stand. */
  readonly #dynamicAnchors = new Map<string, Map<string, SchemaPlace>>()
  readonly #root: SchemaPlace

  constructor(document: Schema, dialect: Dialect, faults: SchemaFault[]) {
    this.#dialect = dialect
    this.#faults = faults
    this.#root = { schema: document, keys: [], base: unnamed }
    this.#resources.set(unnamed, this.#root)
    this.add(this.#root)
  }

  /** The place at a pointer, if a schema stands there by a keyword that is understood. */
  at(keys: readonly string[]): SchemaPlace | undefined {
    return this.#byPointer.get(pointerOf(keys))
  }

  /**
   * Where a dynamic anchor is that counts from everywhere: that of the document's own address, else the only one.
   *
   * @param name `''` is what `$recursiveAnchor` sets
   */
  outermostAnchor(name: string): SchemaPlace | undefined {
    const known = this.#dynamicAnchors.get(name)
    return known?.get(this.at([])?.base ?? '') ?? (known?.size === 1 ? [...known.values()][0] : undefined)
  }

  /** The resource with an address. */
  resource(address: string): SchemaPlace | undefined {
    return this.#resources.get(address)
  }

  /** The schema with an anchor within an address. */
  anchor(address: string, name: string): SchemaPlace | undefined {
    return this.#anchors.get(`${address}#${name}`)
  }

  /**
   * The value at a pointer below a place, with the base that is in force there.
   *
   * @returns `undefined` where no schema is
   */
  below(place: SchemaPlace, keys: readonly string[]): SchemaPlace | undefined {
    let current: Json | undefined = place.schema
    let { base } = place
    const walked = [...place.keys]
    for (const key of keys) {
      current = valueAt(current, key)
      walked.push(key)
      base = this.at(walked)?.base ?? base
    }
    return isSchema(current) ? { schema: current, keys: walked, base } : undefined
  }

  /** Registers a schema and those inside it. */
  add({ schema, keys, base: outer }: SchemaPlace): void {
    const base = typeof schema === 'boolean' ? outer : this.#identify(schema, keys, outer)
    this.#byPointer.set(pointerOf(keys), { schema, keys, base })
    if (typeof schema === 'boolean') return
    eachSubschemaOfAnyDraft(schema, (subschema, inner) => {
      this.add({ schema: subschema, keys: [...keys, ...inner], base })
    })
  }

  #identify(schema: SchemaObject, keys: readonly string[], outer: string): string {
    const { address, loneRef } = this.#dialect
    const id = loneRef && typeof own(schema, '$ref') === 'string' ? undefined : own(schema, address)
    let base = outer
    if (typeof id === 'string' && !(loneRef && id.startsWith('#'))) {
      if (URL.canParse(id, outer)) base = new URL(id, outer).href.split('#', 1).join('')
      else this.#faults.push(badAddress(id, address, keys))
      this.#resources.set(base, { schema, keys, base })
    }
    const here = { schema, keys, base }
    if (typeof id === 'string' && loneRef && id.startsWith('#')) this.#anchors.set(base + id, here)
    for (const keyword of ['$anchor', '$dynamicAnchor']) {
      const name = own(schema, keyword)
      if (typeof name !== 'string') continue
      this.#anchors.set(`${base}#${name}`, here)
      if (keyword === '$dynamicAnchor') this.#addDynamic(name, here)
    }
    if (own(schema, '$recursiveAnchor') === true) this.#addDynamic('', here)
    return base
  }

  #addDynamic(name: string, place: SchemaPlace): void {
    const known = this.#dynamicAnchors.get(name) ?? new Map<string, SchemaPlace>()
    this.#dynamicAnchors.set(name, known.set(place.base, place))
  }
}

function valueAt(value: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d*)$/.test(key) ? value[Number(key)] : undefined
  return isObject(value) ? own(value, key) : undefined
}
