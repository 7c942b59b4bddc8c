import { type Fields, isFields } from '../schema/json-values.js'
import { keyword, kindsOf, literalsOf, namesOf } from '../schema/keywords.js'
import type { Located, SchemaIndex } from '../schema/references.js'
import { eachSubschema } from '../schema/subschemas.js'
import type { JsonKind } from '../types/codec.js'
import type { JsonValue } from '../types/json.js'
import { type Comments, invisible, pascal, unique } from './declaration-text.js'

export interface TypeText {
  readonly name: string
  readonly text: string
}

const builtInTypes = ['Json', 'Promise', 'Record', 'Array']

/** Types are compared by their texts without comments. */
export type Print = string | ((withComments: boolean) => string)

export const printed = (print: Print, withComments: boolean): string =>
  typeof print === 'string' ? print : print(withComments)

type Hint = () => string

export class TypeTable {
  readonly #texts = new Map<string, string>()
  /** The key is an id for a `$ref` target, or the text without comments for an object type. */
  readonly #names = new Map<string, string>()
  readonly #prints = new Map<string, Print>()
  readonly #taken = new Set(builtInTypes)
  readonly #uses = new Map<string, { count: number; length: number }>()
  readonly #references = new Map<object, References>()
  readonly #ids = new Map<unknown, number>()
  #repeated: ReadonlySet<string> | undefined

  get repeated(): ReadonlySet<string> | undefined {
    return this.#repeated
  }

  nextPass(): void {
    const candidates = [...this.#uses].filter(([, { count, length }]) => count > 1 && length >= shortestNamed)
    this.#repeated = new Set(candidates.map(([text]) => text))
    this.#uses.clear()
    this.#texts.clear()
    this.#names.clear()
    this.#taken.clear()
    for (const name of builtInTypes) this.#taken.add(name)
  }

  named(key: string, hint: Hint, withComments: boolean, read: () => Print): string {
    const known = this.#names.get(key)
    if (known !== undefined) return known
    const name = unique(hint(), this.#taken)
    this.#names.set(key, name)
    this.#texts.set(name, '')
    const print = this.#prints.get(key) ?? read()
    this.#prints.set(key, print)
    this.#texts.set(name, printed(print, withComments))
    return name
  }

  count(text: string, length: number): void {
    const use = this.#uses.get(text)
    this.#uses.set(text, { count: (use?.count ?? 0) + 1, length: Math.max(use?.length ?? 0, length) })
  }

  declarations(): readonly TypeText[] {
    return [...this.#texts].map(([name, text]) => ({ name, text: `type ${name} = ${text}` }))
  }

  references(located: Located, read: () => readonly Reference[]): readonly Reference[] {
    const { schema, base } = located
    if (!isFields(schema)) return []
    const known = this.#references.get(schema)
    if (known?.base === base) return known.references
    const references = read()
    this.#references.set(schema, { base, references })
    return references
  }

  id(schema: unknown): number {
    const known = this.#ids.get(schema)
    if (known !== undefined) return known
    const json = JSON.stringify(schema)
    const id = this.#ids.get(json) ?? this.#ids.size
    this.#ids.set(json, id)
    this.#ids.set(schema, id)
    return id
  }
}

type Reference = readonly [reference: string, from: Located]

interface References {
  readonly base: string
  readonly references: readonly Reference[]
}

const shortestNamed = 40

export class TypeReader {
  readonly hasNoFields: boolean
  readonly allOptional: boolean
  readonly #types: TypeTable
  readonly #index: SchemaIndex
  readonly #comments: Comments
  readonly #form: 'arguments' | 'result'
  readonly #targets = new Map<string, Located>()

  constructor(types: TypeTable, index: SchemaIndex, comments: Comments, form: 'arguments' | 'result') {
    this.#types = types
    this.#index = index
    this.#comments = comments
    this.#form = form
    const root = isFields(index.root.schema) ? index.root.schema : {}
    const names = Object.keys(fieldsOf(root))
    const required = this.#required(root)
    const isPlain = !inPlace.some((name) => Object.hasOwn(root, name))
    this.hasNoFields = isPlain && names.length === 0 && !isOpen(root)
    this.allOptional = isPlain && !names.some((name) => required.has(name))
  }

  root(hint: Hint): Print {
    return this.#read(this.#index.root, hint)
  }

  #read(located: Located, hint: Hint): Print {
    const { schema, pointer } = located
    if (schema === false) return 'never'
    if (!isFields(schema)) return 'Json'
    const literals = literalsOf({ schema, pointer })
    if (literals !== undefined) return unionOf(literals.map(literalType))
    const own = this.#own(located, schema, hint)
    const applied = this.#applied(located, schema, hint)
    if (applied.length === 0) return own
    const parts = [...applied, own]
    return (withComments) => {
      const known = parts.map((print) => printed(print, withComments)).filter((text) => text !== 'Json')
      return known.length === 0 ? 'Json' : [...new Set(known)].map(operand).join(' & ')
    }
  }

  #applied(located: Located, schema: Fields, hint: Hint): readonly Print[] {
    const parts = (name: string): readonly Print[] => {
      const list = keyword(schema, name)
      if (!Array.isArray(list)) return []
      return list.map((each, at) => this.#read(this.#index.below(located, each, name, at), hint))
    }
    const reference = keyword(schema, '$ref')
    const target = typeof reference === 'string' ? [this.#target(reference, located)] : []
    const unions = (['anyOf', 'oneOf'] as const)
      .map(parts)
      .filter((members) => members.length > 0)
      .map(unionPrint)
    return [...target, ...parts('allOf'), ...unions]
  }

  #target(reference: string, from: Located): Print {
    const target = this.#resolve(reference, from)
    if (!isFields(target.schema)) return target.schema === false ? 'never' : 'Json'
    const hint: Hint = () => {
      const last = target.pointer.split('/').at(-1) || (this.#form === 'result' ? 'Result' : 'Args')
      return pascal(last.replaceAll(/.*[./]/g, ''))
    }
    const key = this.#closure(target)
    return (withComments) => this.#types.named(key, hint, withComments, () => this.#read(target, hint))
  }

  #resolve(reference: string, from: Located): Located {
    const key = `${from.base} ${reference}`
    const target = this.#targets.get(key) ?? this.#index.resolve(reference, from)
    this.#targets.set(key, target)
    return target
  }

  /** Two schemas have the same key only if the schemas and all their `$ref` targets are equal. */
  #closure(target: Located): string {
    const found = new Map<unknown, Located>([[target.schema, target]])
    // The loop also visits targets that it adds to the map.
    for (const located of found.values()) {
      for (const [reference, from] of this.#types.references(located, () => this.#references(located))) {
        const next = this.#resolve(reference, from)
        found.set(next.schema, next)
      }
    }
    return [...found.keys()].map((schema) => this.#types.id(schema)).join()
  }

  #references(root: Located): readonly Reference[] {
    const found: Reference[] = []
    const visit = (located: Located): void => {
      if (!isFields(located.schema)) return
      const reference = keyword(located.schema, '$ref')
      if (typeof reference === 'string') found.push([reference, located])
      eachSubschema(located.schema, (part, path) => visit(this.#index.below(located, part, ...path)))
    }
    visit(root)
    return found
  }

  #own(located: Located, schema: Fields, hint: Hint): Print {
    const kinds = kindsOf({ schema, pointer: located.pointer }) ?? (hasFields(schema) ? ['object' as const] : undefined)
    if (kinds === undefined) return 'Json'
    // `type: 'object'` next to `allOf` or similar keywords declares no fields. The subschemas of `allOf` declare the fields.
    const isCombined = inPlace.some((name) => Object.hasOwn(schema, name))
    if (isCombined && kinds.length === 1 && kinds[0] === 'object' && !hasFields(schema)) return 'Json'
    return unionPrint(kinds.map((kind) => this.#kind(kind, located, schema, hint)))
  }

  #kind(kind: JsonKind, located: Located, schema: Fields, hint: Hint): Print {
    if (kind === 'array') return this.#array(located, schema, hint)
    if (kind === 'object') return this.#object(located, schema, hint)
    return kind === 'integer' ? 'number' : kind
  }

  #array(located: Located, schema: Fields, hint: Hint): Print {
    const prefix = keyword(schema, 'prefixItems')
    const item = (each: unknown, ...path: readonly (string | number)[]): Print =>
      this.#read(this.#index.below(located, each, ...path), () => `${stem(hint())}Item`)
    const rest = keyword(schema, 'items')
    const printRest = rest === undefined ? 'Json' : item(rest, 'items')
    if (!Array.isArray(prefix)) {
      if (typeof printRest === 'string') return `${element(printRest)}[]`
      return (withComments) => `${element(printRest(withComments))}[]`
    }
    const minimum = Number(keyword(schema, 'minItems') ?? 0)
    const items = prefix.map((each, at) => item(each, 'prefixItems', at))
    return (withComments) => {
      const texts = items.map((print) => printed(print, withComments))
      const listed = texts.map((text, at) => (at < minimum ? text : `${element(text)}?`))
      const others = rest === false ? [] : [`...${element(printed(printRest, withComments))}[]`]
      return `[${[...listed, ...others].join(', ')}]`
    }
  }

  #object(located: Located, schema: Fields, hint: Hint): Print {
    const additional = this.#additional(located, schema, hint)
    const fields = Object.entries(fieldsOf(schema))
    if (fields.length === 0) {
      if (additional !== undefined) return (withComments) => `Record<string, ${printed(additional, withComments)}>`
      return keyword(schema, 'additionalProperties') === false ? '{}' : 'Record<string, Json>'
    }
    const required = this.#required(schema)
    const members = fields.map(([name, field]): Member => {
      const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : stringLiteral(name)
      const fieldHint: Hint = () => `${stem(hint())}${pascal(name)}`
      return {
        head: `${key}${required.has(name) ? '' : '?'}: `,
        print: this.#read(this.#index.below(located, field, 'properties', name), fieldHint),
        comment: this.#comments.ofField(name, field),
      }
    })
    // Undeclared fields have the type `Json`, because an index signature must also accept the types of declared fields.
    if (additional !== undefined) members.push({ head: '[key: string]: ', print: 'Json', comment: '' })
    const print = memberPrint(members)
    // Arguments never get a type name, so that error messages of the checker show their fields.
    const isArguments = this.#form === 'arguments' && located.pointer === ''
    return isArguments ? print : this.#named(print, members, hint)
  }

  #named(print: (withComments: boolean) => string, members: readonly Member[], hint: Hint): Print {
    const types = this.#types
    const comments = members.reduce((sum, { comment }) => sum + comment.length, 0)
    let plain = ''
    return (withComments) => {
      if (types.repeated === undefined) {
        plain = print(false)
        types.count(plain, plain.length + comments)
        return plain
      }
      if (!types.repeated.has(plain)) return print(withComments)
      types.count(plain, shortestNamed)
      return types.named(plain, hint, withComments, () => print)
    }
  }

  #additional(located: Located, schema: Fields, hint: Hint): Print | undefined {
    if (!isOpen(schema)) return undefined
    const additional = keyword(schema, 'additionalProperties')
    if (!isFields(additional) || Object.hasOwn(schema, 'patternProperties')) return 'Json'
    const below = this.#index.below(located, additional, 'additionalProperties')
    return this.#read(below, () => `${stem(hint())}Value`)
  }

  #required(schema: Fields): ReadonlySet<string> {
    const fields = fieldsOf(schema)
    const names = namesOf(keyword(schema, 'required')) ?? []
    // In arguments, a field with a default is not required.
    if (this.#form === 'result') return new Set(names)
    const isOptional = (field: unknown): boolean => isFields(field) && Object.hasOwn(field, 'default')
    return new Set(names.filter((name) => !Object.hasOwn(fields, name) || !isOptional(fields[name])))
  }
}

/** Keywords whose subschemas apply to the same value as the whole schema. Excludes keywords without an equivalent in TypeScript, such as `not`. */
const inPlace = ['$ref', 'allOf', 'anyOf', 'oneOf']

function fieldsOf(schema: Fields): Fields {
  const properties = keyword(schema, 'properties')
  return isFields(properties) ? properties : {}
}

const hasFields = (schema: Fields): boolean => Object.keys(fieldsOf(schema)).length > 0 || isOpen(schema)

/** Without `additionalProperties` and `patternProperties`, toolgen rejects undeclared fields in arguments, unlike JSON Schema. */
function isOpen(schema: Fields): boolean {
  const additional = keyword(schema, 'additionalProperties')
  return additional === true || isFields(additional) || Object.hasOwn(schema, 'patternProperties')
}

const stringsAndComments = /"(?:[^"\\]|\\.)*"|'[^']*'|\/\/.*/g

function isOperator(text: string): boolean {
  if (!/[|&]/.test(text)) return false
  const outside = text.replaceAll(stringsAndComments, '')
  let depth = 0
  for (const character of outside) {
    if ('{[(<'.includes(character)) depth += 1
    else if ('}])>'.includes(character)) depth -= 1
    else if (depth === 0 && (character === '|' || character === '&')) return true
  }
  return false
}

const stem = (hint: string): string => hint.replace(/Result$/, '')

const element = (text: string): string => (isOperator(text) ? `(${text})` : text)
const operand = (text: string, _: number, all: readonly string[]): string => (all.length > 1 ? element(text) : text)

function unionPrint(members: readonly Print[]): Print {
  const [only] = members
  if (only !== undefined && members.length === 1) return only
  if (members.every((member) => typeof member === 'string')) return unionOf(members)
  return (withComments) => unionOf(members.map((print) => printed(print, withComments)))
}

function unionOf(types: readonly string[]): string {
  const distinct = [...new Set(types)]
  if (distinct.includes('Json')) return 'Json'
  const known = distinct.filter((text) => text !== 'never')
  return known.join(' | ') || 'never'
}

function literalType(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(literalType).join(', ')}]`
  if (typeof value === 'string') return stringLiteral(value)
  if (!isFields(value)) return JSON.stringify(value)
  const fields = Object.entries(value).map(
    ([name, field]) => `${stringLiteral(name)}: ${literalType(field as JsonValue)}`,
  )
  return `{ ${fields.join('; ')} }`
}

/** Prefers single quotes, because the JSON of tool definitions escapes double quotes, which costs tokens. */
export function stringLiteral(text: string): string {
  if (/^[\w .,:/-]*$/.test(text)) return `'${text}'`
  const json = JSON.stringify(text).replaceAll(invisible, escaped)
  return json === `"${text}"` && !text.includes("'") ? `'${text}'` : json
}

const escaped = (found: string): string =>
  Array.from({ length: found.length }, (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')

interface Member {
  readonly head: string
  readonly print: Print
  readonly comment: string
}

const longestLine = 100

function memberPrint(members: readonly Member[]): (withComments: boolean) => string {
  if (members.some(({ print }) => typeof print !== 'string')) return (withComments) => objectText(members, withComments)
  let plain: string | undefined
  let commented: string | undefined
  return (withComments) => {
    if (withComments) {
      commented ??= objectText(members, true)
      return commented
    }
    plain ??= objectText(members, false)
    return plain
  }
}

function objectText(members: readonly Member[], withComments: boolean): string {
  const texts = members.map(({ head, print }) => `${head}${printed(print, withComments)}`)
  const flat = `{ ${texts.join('; ')} }`
  if (!withComments) return flat
  const hasComments = members.some(({ comment }) => comment !== '')
  if (!hasComments && flat.length <= longestLine && !flat.includes('\n')) return flat
  const lines: string[] = []
  let isOpen = false
  for (const [at, text] of texts.entries()) {
    const comment = members[at]?.comment ?? ''
    const isBlock = text.includes('\n')
    const last = lines.at(-1) ?? ''
    if (isBlock && comment !== '') lines.push(`// ${comment}`)
    if (!isBlock && comment === '' && isOpen && last.length + text.length <= longestLine) {
      lines[lines.length - 1] = `${last}; ${text}`
      continue
    }
    lines.push(isBlock || comment === '' ? text : `${text} // ${comment}`)
    isOpen = !isBlock && comment === ''
  }
  return `{\n${lines.map((line) => `  ${line.replaceAll('\n', '\n  ')}\n`).join('')}}`
}
