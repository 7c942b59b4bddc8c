import { eachSubschema, pointerOf } from '@toolgen/runtime/schema'
import { cachedBy } from '../defined.js'
import { valueValidator } from '../schema/definitions.js'
import { type Defs, isObject, type Json, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { knownBySchema } from '../schema/keywords.js'
import { definitionsUsed, refTo } from '../schema/references.js'
import { accessText, flatLiteral, keyText } from '../text.js'
import { type Code, type CodecScope, code, type Operand, typed } from './code.js'
import { FieldReads, identifiersIn, parametersText } from './field-reads.js'
import { fillArrow } from './fill.js'
import { calledWith, FunctionMaker, truncate } from './function-maker.js'
import { GuardMaker } from './guards.js'
import { cachedVisits, hasDeclaredParts, hasKeyword, isDeep, visits } from './nested-schemas.js'
import { mayDeclare, objectParts } from './object-parts.js'
import { conjunctsOf, factsOf, plainReference, subschema, subschemas } from './schema-reading.js'
import { SerializerMaker } from './serializers.js'
import { type Variant, variantsOf } from './unions.js'

export interface CodecSource {
  readonly stem: string
  readonly schema: Schema
  /** True if decoding removes undeclared fields. The generator then writes a strip function, which removes these fields. */
  readonly drops?: boolean
}

export interface CompiledSource {
  readonly is: string
  readonly serialize?: string
  readonly strip?: string
  readonly complete?: string
  /** Type guards of nested objects. */
  readonly parts: readonly (readonly [pointer: string, name: string])[]
  /** Without the declarations of earlier codecs in the same file. A function is declared before its uses, except in recursion. */
  readonly declarations: readonly string[]
}

type CompileOptions = Pick<CodecScope, 'defs' | 'stemOf' | 'language'> & {
  readonly taken: readonly string[]
}

/** Returns `undefined` for a schema that generated code cannot express. The runtime then interprets the schema. */
export function compileCodecs(
  sources: readonly CodecSource[],
  options: CompileOptions,
): readonly (CompiledSource | undefined)[] {
  const declared = new Map<string, string>()
  const order = new Map<string, number>()
  const names = new UniqueNames(options.taken)
  const scope: CodecScope = {
    ...options,
    claim: (wanted) => names.claim(wanted),
    declare: (name, text) => {
      if (!order.has(name)) order.set(name, order.size)
      declared.set(name, text)
    },
    checkpoint: () => {
      const [freeNames, count] = [names.checkpoint(), declared.size]
      return () => {
        freeNames()
        truncate(declared, count)
        truncate(order, count)
      }
    },
  }
  const guards = new GuardMaker(scope)
  const serializers = new SerializerMaker(scope)
  const strippers = new CopierMaker('strip', scope)
  const completers = new CopierMaker('complete', scope)
  const known: KnownNames = new Map()
  const written = new Set<string>()
  /** Names of type guards that allow any JSON value in a field or item. Such a value can have any depth, so the codec also checks the depth. */
  const open = new Set<string>()
  const byDefinition = new Map<string, readonly Part[]>()
  const partsOfDefinition = (name: string): readonly Part[] => {
    const parts = byDefinition.get(name) ?? partsIn(options.defs[name] ?? true, ['$defs', name])
    byDefinition.set(name, parts)
    return parts
  }
  return sources.map(({ schema, stem, drops = false }): CompiledSource | undefined => {
    const is = guards.root(schema, stem)
    if (is === undefined) return undefined
    const serialize = serializers.root(schema, stem)
    const strip = drops ? strippers.root(schema, stem) : undefined
    const complete = drops ? undefined : completers.root(schema, stem)
    const used = reachable([is, serialize ?? '', strip ?? complete ?? ''], declared, known)
    const fresh = [...used]
      .filter((name) => !written.has(name))
      .sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
    for (const name of fresh) {
      written.add(name)
      if (declared.get(name)?.includes('is.any')) open.add(name)
    }
    const isOpen = [...used].some((name) => open.has(name))
    const all = [...partsIn(schema, []), ...definitionsUsed(schema, options.defs).flatMap(partsOfDefinition)]
    const parts = all.flatMap(([pointer, part]): readonly (readonly [string, string])[] => {
      const name = guards.functions.get(part)
      return name === undefined || !used.has(name) ? [] : [[pointer, name]]
    })
    return {
      is: isOpen || isDeep(schema, options.defs) ? `(v, m) => is.shallow(v) && ${is}(v, m)` : is,
      ...(serialize === undefined ? {} : { serialize }),
      ...(strip === undefined ? {} : { strip }),
      ...(complete === undefined ? {} : { complete }),
      parts,
      declarations: fresh.map((name) => declared.get(name) ?? ''),
    }
  })
}

type Part = readonly [pointer: string, part: SchemaObject]

function partsIn(schema: Schema, keys: readonly string[]): readonly Part[] {
  const found: Part[] = []
  const visit = (part: Schema, pointer: string): void => {
    if (!isObject(part)) return
    // Only objects with listed fields have guards of their own.
    if (pointer !== '' && hasKeyword(part, 'properties', 'patternProperties')) found.push([pointer, part])
    eachSubschema(part, (inner, below) => visit(inner, pointer + pointerOf(below)))
  }
  visit(schema, pointerOf(keys))
  return found
}

class UniqueNames {
  readonly #taken: Set<string>
  readonly #last = new Map<string, number>()

  constructor(reserved: readonly string[]) {
    this.#taken = new Set(reserved)
  }

  claim(wanted: string): string {
    let number = this.#last.get(wanted) ?? 1
    let name = number === 1 ? wanted : `${wanted}${number}`
    while (this.#taken.has(name)) {
      number += 1
      name = `${wanted}${number}`
    }
    this.#last.set(wanted, number)
    this.#taken.add(name)
    return name
  }

  checkpoint(): () => void {
    const count = this.#taken.size
    return () => {
      truncate(this.#taken, count)
      this.#last.clear()
    }
  }
}

type KnownNames = Map<string, readonly string[]>

function reachable(
  expressions: readonly string[],
  declarations: ReadonlyMap<string, string>,
  known: KnownNames,
): ReadonlySet<string> {
  const found = new Set<string>()
  const waiting = [...expressions]
  for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
    const names = known.get(text) ?? [...identifiersIn(text)].filter((name) => declarations.has(name))
    known.set(text, names)
    for (const name of names) {
      if (found.has(name)) continue
      found.add(name)
      waiting.push(declarations.get(name) ?? '')
    }
  }
  return found
}

/** Generates functions that copy a value. The functions require that the type guard has accepted the value. */
class CopierMaker extends FunctionMaker {
  readonly #completes: boolean

  constructor(prefix: 'strip' | 'complete', scope: CodecScope) {
    super(prefix, scope)
    this.#completes = prefix === 'complete'
  }

  #mustCopy(schema: Schema, defs: Defs): boolean {
    return this.#completes ? receivesDefaults(schema, defs) : hasDeclaredParts(schema, defs)
  }

  override root(schema: Schema, stem: string): string | undefined {
    const { defs } = this.scope
    this.start()
    if (!this.#mustCopy(schema, defs) || needsInterpreter(schema, defs)) return undefined
    if (!this.#completes && hasDefault(schema, defs)) return undefined
    const operand: Operand = { value: 'v', stem, mode: '' }
    const variants = plainReference(schema) === undefined ? this.#variants(conjunctsOf(schema, defs) || []) : []
    const [only, ...others] = variants ?? []
    // A function that only the codec calls is written inline.
    if (only !== undefined && others.length === 0 && only.kinds.join() === 'object' && only.reference === undefined) {
      return this.#fields(only.conjuncts, operand, this.#completes)
    }
    return this.#function(schema, operand)
  }

  #function(schema: Schema, operand: Operand): string | undefined {
    const stripped = this.#stripped(schema, { ...operand, value: 'v' })
    return stripped && (calledWith(stripped, 'v') ?? this.#arrow(stripped))
  }

  protected body(schema: Schema, operand: Operand): Code | undefined {
    const stripped = this.#stripped(schema, operand)
    return stripped === undefined ? undefined : code(stripped)
  }

  #stripped(schema: Schema, operand: Operand): string | undefined {
    const { defs } = this.scope
    if (!this.#mustCopy(schema, defs)) return operand.value
    return this.nested(() => {
      const reference = plainReference(schema)
      if (reference === undefined) return this.#structured(conjunctsOf(schema, defs) || [], operand)
      const name = this.definition(reference)
      return name && `${name}(${operand.value})`
    })
  }

  #structured(conjuncts: readonly SchemaObject[], operand: Operand): string | undefined {
    const variants = this.#variants(conjuncts)
    if (variants === undefined) return undefined
    const [only, ...others] = variants
    if (only !== undefined && others.length === 0 && only.kinds.length === 1) return this.#container(only, operand)
    const { name: _name, ...unnamed } = operand
    return this.#chosen(variants, unnamed)
  }

  #variants(conjuncts: readonly SchemaObject[]): readonly Variant[] | undefined {
    return variantsOf(conjuncts, this.scope.defs, () => this.countPart())
  }

  #container({ kinds, conjuncts, reference }: Variant, operand: Operand): string | undefined {
    if (reference !== undefined) return this.#stripped({ $ref: refTo(reference) }, operand)
    if (kinds.includes('object')) return this.#object(conjuncts, operand)
    return kinds.includes('array') ? this.#array(conjuncts, operand) : operand.value
  }

  #chosen(variants: readonly Variant[], operand: Operand): string | undefined {
    const { value } = operand
    const kinds = new Set(variants.flatMap((variant) => variant.kinds))
    const ofKind = (kind: 'array' | 'object'): readonly Variant[] =>
      variants
        .filter((variant) => variant.kinds.includes(kind))
        .map((variant) => (variant.kinds.length === 1 ? variant : { ...variant, kinds: [kind], reference: undefined }))
    const [array, ...others] = ofKind('array')
    if (others.length > 0) return undefined
    const items = array && this.#container(array, operand)
    const variantsOfObjects = ofKind('object')
    const objects =
      variantsOfObjects.length === 0
        ? [value]
        : this.objectCases(variantsOfObjects, operand, (variant, at) => this.#container(variant, at))
    if (objects === undefined || (array !== undefined && items === undefined)) return undefined
    if (objects.every((text) => text === value) && (items === undefined || items === value)) return value
    const isScalar = [...kinds].some((kind) => kind !== 'array' && kind !== 'object')
    const cases = [
      ...(isScalar ? [`typeof ${value} !== 'object' || ${value} === null ? ${value}`] : []),
      ...(items === undefined ? [] : [`Array.isArray(${value}) ? ${items}`]),
      ...objects,
    ]
    return cases.length === 1 ? cases[0] : `(${cases.join(' : ')})`
  }

  #array(conjuncts: readonly SchemaObject[], operand: Operand): string | undefined {
    const { defs } = this.scope
    const first = conjuncts.flatMap((conjunct) => subschemas(conjunct, 'prefixItems'))
    const items = conjuncts.map((conjunct) => subschema(conjunct, 'items')).filter((item) => item !== undefined)
    if (first.some((schema) => this.#mustCopy(schema, defs))) return undefined
    if (!items.some((schema) => this.#mustCopy(schema, defs))) return operand.value
    if (first.length > 0) return undefined
    const { name: _name, ...unnamed } = operand
    const stripper = this.#function(items.length === 1 ? (items[0] ?? true) : { allOf: items }, {
      ...unnamed,
      stem: `${operand.stem}Item`,
    })
    return stripper && `strip.array(${operand.value}, ${stripper})`
  }

  #object(conjuncts: readonly SchemaObject[], operand: Operand): string | undefined {
    const { rules, fields, isClosed } = objectParts(conjuncts)
    // If the schema forbids other fields, a field with the value `undefined` must be removed too.
    const isOpen = !isClosed && rules.every(({ others }) => others !== false)
    if (isOpen && fields.size === 0) return operand.value
    const body = this.#fields(conjuncts, operand)
    return body && `${this.named(code(body), operand)}(${operand.value})`
  }

  #fields(conjuncts: readonly SchemaObject[], { stem }: Operand, isShort = false): string | undefined {
    const { fields, required } = objectParts(conjuncts)
    const isKnown = (name: string): boolean => fields.has(name)
    // The value determines which other fields are declared.
    if (![...required].every(isKnown) || mayDeclare(conjuncts, isKnown, this.scope.defs)) return undefined
    const reads = new FieldReads({ stem, mode: '' })
    const literal: (readonly [name: string, stripped: string])[] = []
    let mayLack = false
    const defaults = new Map<string, { readonly read: string; readonly fallback: string }>()
    const further: string[] = []
    for (const [name, schemas] of fields) {
      if (name in Object.prototype) return undefined
      const field = reads.operand(name)
      const stripped = this.#stripped(schemas.length === 1 ? (schemas[0] ?? true) : { allOf: schemas }, field)
      if (stripped === undefined) return undefined
      const fallbacks = schemas.map((part) => fallbackOf(part, this.scope.defs)).filter((found) => found !== undefined)
      const [fallback] = required.has(name) ? [] : fallbacks
      // If several schemas declare a field, their order determines which default applies.
      if (fallback === null || (fallback !== undefined && schemas.length > 1)) return undefined
      const isPresent = required.has(name) || fallback !== undefined
      mayLack ||= !isPresent
      const set = `o${accessText(name)} = ${stripped}`
      if (fallback !== undefined) defaults.set(name, { read: field.value, fallback })
      if (isShort)
        literal.push([name, isPresent || stripped === field.value ? stripped : `${field.value} && ${stripped}`])
      else if (isPresent && further.length === 0) literal.push([name, stripped])
      else further.push(isPresent ? set : `${field.value} !== undefined && (${set})`)
    }
    // A field with a default counts as read twice, so that its default is in the parameter list if possible.
    const again = [...defaults.values()].map(({ read }) => read)
    const text = [...literal.map(([, stripped]) => stripped), ...further, ...again].join(' ')
    const each = reads.settled(text, 0)
    const settled = each.locals.length === fields.size ? each : reads.settled(text, 1)
    const locals = settled.locals.map((name) => {
      const found = defaults.get(name)
      if (found === undefined) return name
      defaults.delete(name)
      return `${name} = ${found.fallback}`
    })
    const written = (part: string): string => {
      let completed = part
      for (const { read, fallback } of defaults.values())
        completed = completed.replaceAll(read, () => `(${read} === undefined ? ${fallback} : ${read})`)
      return settled.written(completed)
    }
    const start = objectText(literal.map(([name, stripped]) => [name, written(stripped)]))
    // The type of the codec's functions determines the type of the parameter.
    // A short function runs only once per value, so its size is more important than its speed.
    if (isShort) {
      const parameters = parametersText(start, locals, { ...this.scope, language: 'js' })
      return `(${parameters}) => ${mayLack ? `strip.present(${start})` : `(${start})`}`
    }
    if (further.length === 0) return this.#arrow(literal.length === 0 ? '({})' : `(${start})`, locals)
    return this.#arrow(`(${[...further.map(written), 'o'].join(', ')})`, locals, start)
  }

  #arrow(body: string, locals: readonly string[] = [], start?: string): string {
    const any = typed(this.scope, 'any')
    const made = start === undefined ? '' : `, o${any} = ${start}`
    return `(${parametersText(`${body} ${start ?? ''}`, locals, this.scope)}${made})${any} => ${body}`
  }

  protected override asFunction({ text }: Code): Code {
    return code(this.#arrow(text))
  }

  protected declare(name: string, { text }: Code): void {
    const head = `const ${name} = `
    this.scope.declare(name, `${head}${fillArrow(text, { indent: 2, used: head.length, after: 0 })}`)
  }
}

function objectText(entries: readonly (readonly [name: string, value: string])[]): string {
  const texts = entries.map(([name, value]) => (name === value ? name : `${keyText(name)}: ${value}`))
  return texts.length === 0 ? '{}' : `{ ${texts.join(', ')} }`
}

function receivesDefaults(schema: Schema, defs: Defs): boolean {
  return isObject(schema) && hasDefault(schema, defs) && hasFallbacks(schema, defs)
}

const hasFallbacks = knownBySchema((schema, defs) =>
  visits(schema, defs, (part) => {
    const fields = isObject(part) ? own(part, 'properties') : undefined
    return (
      isObject(fields) &&
      Object.values(fields).some((field) => isObject(field) && knownFallback(field, defs) !== undefined)
    )
  }),
)

/** `undefined` means that the field has no default, and `null` means that only the runtime can apply the default. */
function fallbackOf(schema: Schema, defs: Defs): string | null | undefined {
  return isObject(schema) ? knownFallback(schema, defs) : undefined
}

const knownFallback = knownBySchema((schema, defs): string | null | undefined => {
  const { facts, locate } = factsOf(defs)
  const found = facts.fallback(locate(schema))
  if (found === undefined) return undefined
  const value = found.value as Json // a schema contains only JSON
  // Objects and the objects in arrays can have defaults of their own. A recursive schema may be invalid.
  const mayNest = Array.isArray(value) ? value.some(isContainer) : isContainer(value)
  if (mayNest || isDeep(schema, defs)) return null
  // An invalid default is not used.
  return validatorOf(defs)(schema, value).length === 0 ? flatLiteral(value) : null
})

const validatorOf = cachedBy((defs: Defs) => valueValidator(defs, 'keep'))

function isContainer(value: Json): boolean {
  return typeof value === 'object' && value !== null
}

const undecided = [
  ...['patternProperties', 'if', 'then', 'else', 'dependentSchemas', 'unevaluatedProperties', 'unevaluatedItems'],
  ...['contains', 'x-js'],
]

const needsInterpreter = cachedVisits((part) => hasKeyword(part, ...undecided) || isMap(part))

const hasDefault = cachedVisits((part) => hasKeyword(part, 'default'))

function isMap(schema: Schema): boolean {
  if (!hasKeyword(schema, 'additionalProperties') || typeof schema === 'boolean') return false
  return own(schema, 'additionalProperties') !== false || !hasKeyword(schema, 'properties')
}
