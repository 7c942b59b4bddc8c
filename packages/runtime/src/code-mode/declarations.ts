import { type Fields, isFields } from '../schema/json-values.js'
import { keyword, kindsOf, literalsOf, namesOf } from '../schema/keywords.js'
import { type Located, SchemaIndex } from '../schema/references.js'
import { eachSubschema } from '../schema/subschemas.js'
import type { JsonKind } from '../types/codec.js'
import type { FailureSpec } from '../types/failure.js'
import type { JsonValue } from '../types/json.js'
import type { AgentToolSpec, ToolSpec } from '../types/tool.js'
import { Comments, identifier, invisible, namespaceIdentifier, pascal, unique } from './declaration-text.js'

/** A function that programs call, and its tool. */
export interface ApiFunction {
  /** Name as programs write it, e.g. `orders.getOrder`. */
  readonly path: string
  /** Name of the tool for models, e.g. `orders_getOrder`. */
  readonly toolName: string
  /** Declaration with the comments of its arguments, e.g. `function getOrder(args: { orderId: string }): Promise<Order>`. */
  readonly signature: string
}

/** TypeScript declarations of tools, as {@link apiDeclarations} returns them. */
export interface ApiDeclarations {
  /** TypeScript source: the type `Json`, and one namespace per toolset. */
  readonly text: string
  /** The declared functions, in the order of the tools. */
  readonly functions: readonly ApiFunction[]
}

/**
 * Properties of a tool's spec that its declaration needs. The name of the namespace is the toolset name in `qualifiedId`; without a
 * `qualifiedId`, it is the value of `toolset`.
 */
export type DeclaredTool = Pick<ToolSpec, 'toolset' | 'name' | 'toolName' | 'description' | 'arguments' | 'result'> &
  Partial<Pick<AgentToolSpec, 'qualifiedId' | 'failures'>>

/** Options for {@link apiDeclarations}: the comments in the declarations. */
export interface DeclarationOptions {
  /**
   * Descriptions that become comments. `short`: the first sentence of each tool and argument, at most 120 characters, unless it only
   * repeats names. `full`: all descriptions, also those of results. `none`: no comments. Default: `short`.
   */
  readonly comments?: 'none' | 'short' | 'full'
}

/**
 * Returns compact TypeScript declarations of tools, for models and for a type checker. Every toolset is a namespace with
 * its name in the agent. Every tool is a function with one argument, which contains the fields that models may send. Fields with a default are optional. Schemas that several tools use are
 * declared once. A keyword without a TypeScript equivalent, such as `minimum`, has no effect on the types.
 *
 * @throws {SchemaError} if a schema is invalid
 * @example
 * apiDeclarations([getOrderSpec]).text
 * // type Json = ...
 * // declare namespace orders {
 * // /** Fetch one order *\/
 * // function getOrder(args: { orderId: string }): Promise<{ id: string; total: number }>
 * // }
 */
export function apiDeclarations(specs: readonly DeclaredTool[], options: DeclarationOptions = {}): ApiDeclarations {
  const { text, functions } = wholeApi(specs, options)
  return { text, functions }
}

/** Declarations of an API. Parts of them can be printed. */
export interface WholeApi extends ApiDeclarations {
  /**
   * Returns the declarations of the functions of some tools and of the types that they need. The types have the same names as in the whole
   * API.
   */
  part(toolNames: ReadonlySet<string>): string
}

/** Returns the declarations of {@link apiDeclarations} in a form in which parts can be printed. */
export function wholeApi(specs: readonly DeclaredTool[], { comments = 'short' }: DeclarationOptions = {}): WholeApi {
  const toolsets = new Map<string, DeclaredTool[]>()
  for (const spec of specs) {
    const toolset = toolsetName(spec)
    toolsets.set(toolset, [...(toolsets.get(toolset) ?? []), spec])
  }
  const taken = new Set<string>()
  const namespaces = [...toolsets].map(([toolset, members]) =>
    namespaceOf(unique(namespaceIdentifier(toolset), taken), members, comments),
  )
  const paths = new Map(namespaces.flatMap(({ functions }) => functions.map(({ spec, entry }) => [spec, entry])))
  const textOf = (parts: readonly NamespaceParts[]): string => [jsonType, ...parts.map(namespaceText)].join('\n')
  return {
    text: textOf(namespaces),
    functions: specs.map((spec) => paths.get(spec)).filter((entry) => entry !== undefined),
    part: (toolNames) => textOf(namespaces.map((each) => partOf(each, toolNames)).filter(hasFunctions)),
  }
}

/** Returns the name of a tool's toolset in its agent: the middle part of `qualifiedId`, which is `provider.toolset.tool`. */
function toolsetName({ toolset, name, qualifiedId }: DeclaredTool): string {
  return qualifiedId === undefined ? toolset : qualifiedId.slice(qualifiedId.indexOf('.') + 1, -name.length - 1)
}

// `undefined` is part of `Json`, because TypeScript adds it to optional fields.
const jsonType = 'type Json = string | number | boolean | null | undefined | Json[] | { [key: string]: Json }'

interface NamespaceParts {
  readonly namespace: string
  readonly types: readonly TypeText[]
  readonly functions: readonly FunctionText[]
}

interface TypeText {
  readonly name: string
  readonly text: string
}

interface FunctionText {
  readonly spec: DeclaredTool
  readonly entry: ApiFunction
  /** The declaration with its comment. */
  readonly text: string
  /** Types of the data of the declared failures. */
  readonly data: string
}

const hasFunctions = ({ functions }: NamespaceParts): boolean => functions.length > 0

function namespaceText({ namespace, types, functions }: NamespaceParts): string {
  // Without indentation, which costs tokens.
  const body = [...types, ...functions].map(({ text }) => `${text}\n`).join('')
  return `declare namespace ${namespace} {\n${body}}`
}

/** Returns the part of a namespace with the functions of some tools and the types that they need. */
function partOf(parts: NamespaceParts, toolNames: ReadonlySet<string>): NamespaceParts {
  const functions = parts.functions.filter(({ entry }) => toolNames.has(entry.toolName))
  const texts = new Map(parts.types.map(({ name, text }) => [name, text]))
  const needed = new Set<string>()
  const visit = (text: string): void => {
    for (const [word] of text.matchAll(/[\p{ID_Continue}$]+/gu)) {
      const type = texts.get(word)
      if (type === undefined || needed.has(word)) continue
      needed.add(word)
      visit(type)
    }
  }
  for (const { entry, data } of functions) visit(`${entry.signature} ${data}`)
  return { ...parts, functions, types: parts.types.filter(({ name }) => needed.has(name)) }
}

function namespaceOf(
  namespace: string,
  specs: readonly DeclaredTool[],
  comments: 'none' | 'short' | 'full',
): NamespaceParts {
  const types = new TypeTable()
  const tools = specs.map((spec) => {
    const about = new Comments(comments, spec)
    const ofResult = comments === 'full' ? about : new Comments('none', spec)
    const payload = new TypeReader(types, new SchemaIndex(spec.arguments), about, 'arguments')
    const result = new TypeReader(types, new SchemaIndex(spec.result), ofResult, 'result')
    const printResult = result.root(() => `${pascal(spec.name)}Result`)
    // Without comments, the declared failures are left out, because only a comment can contain them.
    const failures = (comments === 'none' ? [] : declaredBy(spec)).map(({ name, schema }) => {
      if (schema === undefined) return { name, print: undefined }
      const data = new TypeReader(types, new SchemaIndex(schema), new Comments('none', spec), 'result')
      return { name, print: data.root(() => pascal(name)) }
    })
    return { spec, about, payload, printPayload: payload.root(() => pascal(spec.name)), printResult, failures }
  })
  // Arguments come first, because types that arguments and results share keep the comments.
  const pass = (withComments: boolean) => {
    const payloads = tools.map(({ printPayload }) => printed(printPayload, withComments))
    const results = tools.map(({ printResult }) => printed(printResult, withComments))
    const data = tools.map(({ failures }) => failures.map(({ print }) => print && printed(print, false)))
    return { payloads, results, data }
  }
  // The first pass finds the object types that occur several times. The second pass finds those that only occur in each other.
  for (let count = 0; count < 2; count += 1) {
    pass(false)
    types.nextPass()
  }
  const { payloads, results, data } = pass(true)
  const taken = new Set<string>()
  const functions = tools.map(({ spec, about, payload, failures }, at) => {
    const name = unique(identifier(spec.name), taken)
    const argument = payload.hasNoFields ? '' : `args${payload.allOptional ? '?' : ''}: ${payloads[at]}`
    const signature = `function ${name}(${argument}): Promise<${results[at]}>`
    const throws = failures.map(({ name: failure }, position) => {
      const type = data[at]?.[position]
      return `@throws ${failure}${type === undefined ? '' : ` ${type}`}`
    })
    const said = [about.ofTool(), ...throws].filter(Boolean).join(' ')
    const text = said === '' ? signature : `/** ${said.replaceAll('*/', '*\\/')} */\n${signature}`
    const entry = { path: `${namespace}.${name}`, toolName: spec.toolName, signature }
    return { spec, entry, text, data: data[at]?.join(' ') ?? '' }
  })
  return { namespace, types: types.declarations(), functions }
}

/** Returns the failures that the design declares. Error statuses of an HTTP API are left out, because they would cost tokens in each tool. */
function declaredBy({ failures = [] }: DeclaredTool): readonly FailureSpec[] {
  return failures.filter(({ hint }) => hint !== undefined)
}

/** Names of built-in types that declarations use. */
const builtInTypes = ['Json', 'Promise', 'Record', 'Array']

/** A type: its text, or a function that prints it. Equal types have equal texts if they are printed without comments. */
type Print = string | ((withComments: boolean) => string)

const printed = (print: Print, withComments: boolean): string =>
  typeof print === 'string' ? print : print(withComments)

/** Returns a suggestion for the name of a type. It is used only if the type gets a name. */
type Hint = () => string

/** Types of a namespace that have a name: targets of references, and object types that occur several times. */
class TypeTable {
  /** Name of a type → text of the type, in the order of the declarations. */
  readonly #texts = new Map<string, string>()
  /** Key of a type → name of the type. The key is the id of a reference target, or the text of an object type without comments. */
  readonly #names = new Map<string, string>()
  readonly #prints = new Map<string, Print>()
  readonly #taken = new Set(builtInTypes)
  /** Text of an object type without comments → number of its uses, and length of its text with comments. */
  readonly #uses = new Map<string, { count: number; length: number }>()
  readonly #references = new Map<object, References>()
  /** Schema object or JSON text of a schema → id of the schema. Equal schemas have the same id. */
  readonly #ids = new Map<unknown, number>()
  #repeated: ReadonlySet<string> | undefined

  /** Object types that get a name, because they occur several times. `undefined` in the first pass, which only counts their uses. */
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

  /** Returns the name of a type. Calls `read` at the first use of `key`. */
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

  /** Counts a use of an object type. `length` is the length of its text with comments. */
  count(text: string, length: number): void {
    const use = this.#uses.get(text)
    this.#uses.set(text, { count: (use?.count ?? 0) + 1, length: Math.max(use?.length ?? 0, length) })
  }

  declarations(): readonly TypeText[] {
    return [...this.#texts].map(([name, text]) => ({ name, text: `type ${name} = ${text}` }))
  }

  /** Returns the references in a schema. Calls `read` once for each schema object. */
  references(located: Located, read: () => readonly Reference[]): readonly Reference[] {
    const { schema, base } = located
    if (!isFields(schema)) return []
    const known = this.#references.get(schema)
    if (known?.base === base) return known.references
    const references = read()
    this.#references.set(schema, { base, references })
    return references
  }

  /** Returns the id of a schema. Only equal schemas have the same id. */
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

/** A `$ref` and the schema that contains it. */
type Reference = readonly [reference: string, from: Located]

/** References in a schema, for the base URI `base`. */
interface References {
  readonly base: string
  readonly references: readonly Reference[]
}

/** Minimum length of an object type that gets a name if it occurs several times. */
const shortestNamed = 40

/** Reads the schemas of one document as TypeScript types. */
class TypeReader {
  readonly hasNoFields: boolean
  readonly allOptional: boolean
  readonly #types: TypeTable
  readonly #index: SchemaIndex
  readonly #comments: Comments
  readonly #form: 'arguments' | 'result'
  /** Base URI and reference → target of the reference. */
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

  /** Reads the parts of a schema that apply to the same value: the target of a reference, and unions. */
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

  /** Returns a key for a schema. Two schemas have the same key only if they and all targets of their references are equal. */
  #closure(target: Located): string {
    const found = new Map<unknown, Located>([[target.schema, target]])
    // The map grows during the loop.
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

  /** Reads the keywords of the schema itself. Ignores referenced and combined schemas. */
  #own(located: Located, schema: Fields, hint: Hint): Print {
    const kinds = kindsOf({ schema, pointer: located.pointer }) ?? (hasFields(schema) ? ['object' as const] : undefined)
    if (kinds === undefined) return 'Json'
    // Next to keywords such as `allOf`, `type: 'object'` alone declares no fields. The combined schemas declare them.
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
    // Undeclared fields have the type `Json`: an index signature must accept the declared fields.
    if (additional !== undefined) members.push({ head: '[key: string]: ', print: 'Json', comment: '' })
    const print = memberPrint(members)
    // Errors of the check show the arguments of a function, so they have no name.
    const isArguments = this.#form === 'arguments' && located.pointer === ''
    return isArguments ? print : this.#named(print, members, hint)
  }

  /** Prints an object type. If the type occurs several times in the namespace, prints its name instead. */
  #named(print: (withComments: boolean) => string, members: readonly Member[], hint: Hint): Print {
    const types = this.#types
    const comments = members.reduce((sum, { comment }) => sum + comment.length, 0)
    /** Text of the object type from the first pass: without comments and without names of other object types. */
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

  /** Reads the type of undeclared fields if the schema describes or explicitly allows them. */
  #additional(located: Located, schema: Fields, hint: Hint): Print | undefined {
    if (!isOpen(schema)) return undefined
    const additional = keyword(schema, 'additionalProperties')
    if (!isFields(additional) || Object.hasOwn(schema, 'patternProperties')) return 'Json'
    const below = this.#index.below(located, additional, 'additionalProperties')
    return this.#read(below, () => `${stem(hint())}Value`)
  }

  /** Returns the names of the fields that must be present. Fields of arguments that have a default are optional. */
  #required(schema: Fields): ReadonlySet<string> {
    const fields = fieldsOf(schema)
    const names = namesOf(keyword(schema, 'required')) ?? []
    if (this.#form === 'result') return new Set(names)
    const isOptional = (field: unknown): boolean => isFields(field) && Object.hasOwn(field, 'default')
    return new Set(names.filter((name) => !Object.hasOwn(fields, name) || !isOptional(fields[name])))
  }
}

/** Keywords whose subschemas apply to the same value and that have an equivalent in TypeScript. */
const inPlace = ['$ref', 'allOf', 'anyOf', 'oneOf']

function fieldsOf(schema: Fields): Fields {
  const properties = keyword(schema, 'properties')
  return isFields(properties) ? properties : {}
}

const hasFields = (schema: Fields): boolean => Object.keys(fieldsOf(schema)).length > 0 || isOpen(schema)

/**
 * Checks whether a schema explicitly allows or describes undeclared fields. Without such a keyword, toolgen rejects undeclared fields in
 * arguments.
 */
function isOpen(schema: Fields): boolean {
  const additional = keyword(schema, 'additionalProperties')
  return additional === true || isFields(additional) || Object.hasOwn(schema, 'patternProperties')
}

/** Matches strings and comments in the text of a type. */
const stringsAndComments = /"(?:[^"\\]|\\.)*"|'[^']*'|\/\/.*/g

/** Checks whether a type has `|` or `&` outside of brackets and strings. */
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

/** Returns the stem from which the names of nested types are derived: `GetOrder` for `GetOrderResult`. */
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

/**
 * Returns a string literal, in single quotes if it needs no escapes. The JSON of tool definitions escapes double quotes, which costs
 * tokens.
 */
export function stringLiteral(text: string): string {
  if (/^[\w .,:/-]*$/.test(text)) return `'${text}'`
  const json = JSON.stringify(text).replaceAll(invisible, escaped)
  return json === `"${text}"` && !text.includes("'") ? `'${text}'` : json
}

const escaped = (found: string): string =>
  Array.from({ length: found.length }, (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')

/** A field of an object type. */
interface Member {
  /** Name of the field and colon, e.g. `limit?: `. */
  readonly head: string
  readonly print: Print
  readonly comment: string
}

const longestLine = 100

/** Returns a function that prints an object type. If the types of all fields are fixed texts, creates both texts only once. */
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

/** Returns the text of an object type. A short type without comments is on one line. Otherwise each line has as many fields as fit. */
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
