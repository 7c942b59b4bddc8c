import { isLegalPattern, mapSubschemas, pointerOf, unsupportedPart } from '@toolgen/runtime/schema'
import { warning } from '../diagnostics/diagnostic.js'
import {
  atPointer,
  isObject,
  type Json,
  objectFrom,
  objectOf,
  own,
  type Schema,
  type SchemaObject,
  stringsOf,
  without,
} from '../schema/json-schema.js'
import { definitionName, refTo, unusedName } from '../schema/references.js'
import { openApiDocument, type PartDiagnostic } from './openapi-diagnostics.js'
import { isBinary } from './openapi-media.js'
import { type DocumentPart, type PartKeys, type PartProblem, partAt, targetOf } from './openapi-parts.js'
import { type FieldFlag, InheritedVariants, withDiscriminatedVariants } from './openapi-variants.js'

/** `patched` is a request that does not change missing fields. */
export type Direction = 'sent' | 'patched' | 'returned'

const excludedFlags: Readonly<Record<Direction, FieldFlag>> = {
  sent: 'readOnly',
  patched: 'readOnly',
  returned: 'writeOnly',
}

const suffixes: Readonly<Record<Direction, string>> = { sent: 'Input', patched: 'Patch', returned: '' }

/** These keywords do not restrict values. Converted references contain names, so anchors are not needed. */
const ignoredKeywords: readonly string[] = [
  ...['example', 'examples', 'xml', 'externalDocs', 'discriminator', '$comment', '$schema', '$anchor'],
]

/** If a schema has `readOnly` or `writeOnly` fields, each use of the schema (request, partial update, response) becomes a separate definition. */
export class SchemaPool {
  readonly #root: SchemaObject
  readonly #variants: InheritedVariants
  readonly #isDirected: (part: DocumentPart) => boolean
  readonly #hasDefault: (part: DocumentPart) => boolean
  readonly #names = new Map<string, string>()
  readonly #keys = new Map<string, PartKeys>()
  readonly #pending: (readonly [name: string, part: DocumentPart, direction: Direction])[] = []
  /** The key is the name of a definition, or the argument `owner` of the method `schema`. */
  readonly problems: Map<string, PartProblem> = new Map()
  readonly diagnostics: PartDiagnostic[] = []
  /** Prevents repeated reports: a schema can be converted several times. */
  readonly #checkedMappings = new Set<string>()

  constructor(root: SchemaObject) {
    this.#root = root
    this.#variants = new InheritedVariants(root)
    this.#isDirected = markedParts(
      root,
      this.#variants,
      (schema) => own(schema, 'readOnly') === true || own(schema, 'writeOnly') === true,
    )
    this.#hasDefault = markedParts(root, this.#variants, (schema) => own(schema, 'default') !== undefined)
  }

  keysOf(definition: string): PartKeys {
    return this.#keys.get(definition) ?? []
  }

  schema(part: DocumentPart, direction: Direction, owner: string): Schema {
    const { value, keys } = part
    if (typeof value === 'boolean') return value
    if (!isObject(value)) {
      this.problems.set(owner, { why: `a schema is expected at ${pointerOf(keys)}` })
      return true
    }
    const otherWay = excludedFlags[direction]
    this.#checkMapping(value, keys)
    const discriminated = withDiscriminatedVariants(part, { root: this.#root, variants: this.#variants, otherWay })
    const schema = direction === 'patched' ? withDescribedDefault(discriminated) : discriminated
    const ignored = Object.keys(schema).filter((key) => ignoredKeywords.includes(key) || key.startsWith('x-'))
    const plain = this.#withoutFlagged(withBase64(without(schema, ignored)), otherWay)
    const converted = mapSubschemas(plain, (subschema, inner) =>
      this.schema({ value: subschema, keys: [...keys, ...inner] }, direction, owner),
    )
    const usable = this.#withUsablePattern(converted, keys)
    const ref = own(value, '$ref')
    return typeof ref === 'string' ? { ...usable, $ref: this.#reference(ref, keys, direction, owner) } : usable
  }

  definitions(): ReadonlyMap<string, Schema> {
    const made = new Map<string, Schema>()
    for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) {
      const [name, part, direction] = next
      made.set(name, this.schema(part, direction, name))
    }
    return made
  }

  #reference(ref: string, from: PartKeys, requested: Direction, owner: string): string {
    const found = targetOf(this.#root, ref)
    if ('why' in found) {
      this.problems.set(owner, found)
      return ref
    }
    const target = this.#variants.meant(found, from)
    const direction = requested === 'patched' && !this.#hasDefault(target) ? 'sent' : requested
    const isDirected = direction === 'patched' || this.#isDirected(target)
    const key = `${isDirected ? direction : ''} ${pointerOf(target.keys)}`
    const known = this.#names.get(key)
    if (known !== undefined) return refTo(known)
    const last = String(target.keys.at(-1) ?? '')
    const plain = /^[\p{L}\p{N}_.-]+$/u.test(last) && last !== '__proto__' ? last : definitionName(last) || 'Definition'
    const base = this.#variants.hasVariants(target) ? `${plain}Base` : plain
    const wanted = isDirected ? `${base}${suffixes[direction]}` : base
    const name = unusedName(wanted, (candidate) => !this.#keys.has(candidate))
    this.#names.set(key, name)
    this.#keys.set(name, target.keys)
    this.#pending.push([name, target, direction])
    return refTo(name)
  }

  #withoutFlagged(schema: SchemaObject, flag: FieldFlag): SchemaObject {
    const properties = objectOf(own(schema, 'properties'))
    const gone = Object.entries(properties).flatMap(([name, field]) => (this.#isFlagged(field, flag) ? [name] : []))
    if (gone.length === 0) return schema
    return objectFrom(
      Object.entries(schema).map(([key, value]): readonly [string, Json] => {
        if (key === 'properties') return [key, without(properties, gone)]
        return [key, key === 'required' ? stringsOf(schema, key).filter((name) => !gone.includes(name)) : value]
      }),
    )
  }

  #isFlagged(field: Json, flag: FieldFlag): boolean {
    if (!isObject(field)) return false
    if (own(field, flag) === true) return true
    const ref = own(field, '$ref')
    const target = typeof ref === 'string' ? targetOf(this.#root, ref) : undefined
    return target !== undefined && 'value' in target && own(objectOf(target.value), flag) === true
  }

  #checkMapping(schema: SchemaObject, keys: PartKeys): void {
    const mapping = own(objectOf(own(schema, 'discriminator')), 'mapping')
    const at = [...keys, 'discriminator', 'mapping']
    if (!isObject(mapping) || this.#checkedMappings.has(pointerOf(at))) return
    this.#checkedMappings.add(pointerOf(at))
    for (const [tag, target] of Object.entries(mapping)) {
      if (typeof target !== 'string' || 'value' in targetOf(this.#root, target)) continue
      if (partAt(this.#root, ['components', 'schemas', target]) !== undefined) continue
      const message = `The discriminator value \`${tag}\` ${atPointer(pointerOf(at))} is ignored: the document has no schema \`${target}\`.`
      const next = `${openApiDocument.fix}: use a schema of the document, such as \`#/components/schemas/Cat\`.`
      this.diagnostics.push({ diagnostic: warning('TG6217', message, next), keys: [...at, tag] })
    }
  }

  #withUsablePattern(schema: SchemaObject, keys: PartKeys): SchemaObject {
    const pattern = own(schema, 'pattern')
    if (typeof pattern !== 'string') return schema
    const part = isLegalPattern(pattern) ? unsupportedPart(pattern) : 'invalid syntax'
    if (part === undefined) return schema
    const message = `The pattern \`${pattern}\` ${atPointer(pointerOf(keys))} is dropped: it has ${part}.`
    const next = `${openApiDocument.fix}: write the pattern in the syntax of ECMA-262, without back references and with small counts.`
    this.diagnostics.push({ diagnostic: warning('TG6208', message, next), keys: [...keys, 'pattern'] })
    return without(schema, ['pattern'])
  }
}

/** In a partial update, a default would overwrite data. */
function withDescribedDefault(schema: SchemaObject): SchemaObject {
  const value = own(schema, 'default')
  if (value === undefined) return schema
  const description = own(schema, 'description')
  const text = `Documented default: ${JSON.stringify(value)}. An omitted field stays unchanged.`
  const isDescribed = typeof description === 'string' && description.trim() !== ''
  return { ...without(schema, ['default']), description: isDescribed ? `${description.trim()}\n\n${text}` : text }
}

/** JSON cannot represent bytes. */
function withBase64(schema: SchemaObject): SchemaObject {
  if (!isBinary(schema)) return schema
  return { type: 'string', ...without(schema, ['type', 'format', 'contentMediaType']), contentEncoding: 'base64' }
}

function markedParts(
  root: SchemaObject,
  variants: InheritedVariants,
  isMarked: (schema: SchemaObject) => boolean,
): (part: DocumentPart) => boolean {
  const contents = new Map<string, { readonly isMarked: boolean; readonly targets: readonly DocumentPart[] }>()
  const contentOf = (part: DocumentPart, pointer: string) => {
    const known = contents.get(pointer)
    if (known !== undefined) return known
    const refs = new Set<string>()
    let hasMark = false
    const visit = (value: Json): void => {
      if (Array.isArray(value)) for (const item of value) visit(item)
      if (!isObject(value)) return
      const ref = own(value, '$ref')
      if (typeof ref === 'string') refs.add(ref)
      hasMark ||= isMarked(value)
      for (const item of Object.values(value)) visit(item)
    }
    visit(part.value)
    const targets = [...refs].flatMap((ref) => {
      const target = targetOf(root, ref)
      if ('why' in target) return []
      return variants.hasVariants(target) ? [target, variants.meant(target, [])] : [target]
    })
    const content = { isMarked: hasMark, targets }
    contents.set(pointer, content)
    return content
  }
  const results = new Map<string, boolean>()
  return (part) => {
    const start = pointerOf(part.keys)
    const seen = new Set<string>()
    const pending = [part]
    for (let next = pending.pop(); next !== undefined && !results.has(start); next = pending.pop()) {
      const pointer = pointerOf(next.keys)
      if (seen.has(pointer) || results.get(pointer) === false) continue
      seen.add(pointer)
      const content = contentOf(next, pointer)
      if (content.isMarked || results.get(pointer) === true) results.set(start, true)
      pending.push(...content.targets)
    }
    if (!results.has(start)) for (const pointer of seen) results.set(pointer, false)
    return results.get(start) === true
  }
}
