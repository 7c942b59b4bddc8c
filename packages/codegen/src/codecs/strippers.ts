import { own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { accessText, flatLiteral, keyText } from '../text.js'
import {
  type Code,
  type CodecScope,
  calledWith,
  code,
  FieldReads,
  FunctionMaker,
  type Operand,
  parametersText,
  typed,
} from './code.js'
import { fillArrow } from './fill.js'
import {
  conjunctsOf,
  type Defs,
  hasDeclaredParts,
  hasKeyword,
  objectParts,
  plainReference,
  subschema,
  subschemas,
  visits,
} from './schema-reading.js'
import { discriminatorOf, mayDeclare, type Variant, variantsOf } from './unions.js'

/**
 * Makes the strippers of one file: functions that copy a value which a guard has accepted, without undeclared fields. They
 * are made only where nothing else changes in it, and where the schema alone decides which fields stay.
 */
export class StripperMaker extends FunctionMaker {
  constructor(scope: CodecScope, refused: ReadonlySet<string>) {
    super('strip', scope, refused)
  }

  /** Returns the function that strips the values of a schema, as an expression; `undefined` if none is possible or needed. */
  override root(schema: Schema, stem: string): string | undefined {
    const { defs } = this.scope
    this.start()
    if (!isStrippable(schema, defs) || !hasDeclaredParts(schema, defs)) return undefined
    const operand: Operand = { value: 'v', stem, mode: '' }
    const variants = plainReference(schema) === undefined ? this.#variants(conjunctsOf(schema, defs) || []) : []
    const [only, ...others] = variants ?? []
    // What only the codec itself needs is written there.
    if (only !== undefined && others.length === 0 && only.kinds.join() === 'object' && only.reference === undefined) {
      return this.#fields(only.conjuncts, operand)
    }
    return this.#function(schema, operand)
  }

  /** Returns the stripper of a schema as a function that is passed on. */
  #function(schema: Schema, operand: Operand): string | undefined {
    const stripped = this.#stripped(schema, { ...operand, value: 'v' })
    return stripped && (calledWith(stripped, 'v') ?? this.#arrow(stripped))
  }

  protected body(schema: Schema, operand: Operand): Code | undefined {
    const stripped = this.#stripped(schema, operand)
    return stripped === undefined ? undefined : code(stripped)
  }

  /** Returns the stripped value: its own expression where it stays as it is. */
  #stripped(schema: Schema, operand: Operand): string | undefined {
    const { defs } = this.scope
    if (!hasDeclaredParts(schema, defs)) return operand.value
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

  /** Returns the stripped value of one kind. */
  #container({ kinds, conjuncts, reference }: Variant, operand: Operand): string | undefined {
    if (reference !== undefined) return this.#stripped({ $ref: `#/$defs/${reference}` }, operand)
    if (kinds.includes('object')) return this.#object(conjuncts, operand)
    return kinds.includes('array') ? this.#array(conjuncts, operand) : operand.value
  }

  /** An expression that finds out what becomes of a value. */
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
    const objects = this.#objectCases(ofKind('object'), operand)
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

  /** Returns the cases of objects by their tag; the last one has no condition. */
  #objectCases(objects: readonly Variant[], operand: Operand): readonly string[] | undefined {
    if (objects.length === 0) return [operand.value]
    const { defs } = this.scope
    const tag = discriminatorOf(
      objects.map(({ conjuncts }) => ({ allOf: conjuncts })),
      defs,
    )
    if (objects.length > 1 && (tag === undefined || tag.field in Object.prototype)) return undefined
    const cases: string[] = []
    for (const [index, variant] of objects.entries()) {
      const stripped = this.#container(variant, { ...operand, stem: `${operand.stem}${variant.stem}` })
      if (stripped === undefined) return undefined
      const literals = index === objects.length - 1 ? [] : (tag?.literals[index] ?? [])
      const field = tag === undefined ? '' : `${operand.value}${accessText(tag.field)}`
      const condition = literals.map((literal) => `${field} === ${flatLiteral(literal)}`).join(' || ')
      cases.push(condition === '' ? stripped : `${condition} ? ${stripped}`)
    }
    return cases
  }

  #array(conjuncts: readonly SchemaObject[], operand: Operand): string | undefined {
    const { defs } = this.scope
    const first = conjuncts.flatMap((conjunct) => subschemas(conjunct, 'prefixItems'))
    const items = conjuncts.map((conjunct) => subschema(conjunct, 'items')).filter((item) => item !== undefined)
    if (first.some((schema) => hasDeclaredParts(schema, defs))) return undefined
    if (!items.some((schema) => hasDeclaredParts(schema, defs))) return operand.value
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
    // Where no field may be there at all, one that is `undefined` has to go.
    const isOpen = !isClosed && rules.every(({ others }) => others !== false)
    if (isOpen && fields.size === 0) return operand.value
    const body = this.#fields(conjuncts, operand)
    return body && `${this.named(code(body), operand)}(${operand.value})`
  }

  /** Returns the function that picks the declared fields of an object: those that are always there first, in one literal. */
  #fields(conjuncts: readonly SchemaObject[], { stem }: Operand): string | undefined {
    const { fields, required } = objectParts(conjuncts)
    const isKnown = (name: string): boolean => fields.has(name)
    // Which other fields stay depends on the value.
    if (![...required].every(isKnown) || mayDeclare(conjuncts, isKnown, this.scope.defs)) return undefined
    const reads = new FieldReads({ stem, mode: '' })
    const literal: (readonly [name: string, stripped: string])[] = []
    const further: string[] = []
    for (const [name, schemas] of fields) {
      if (name in Object.prototype) return undefined
      const field = reads.operand(name)
      const stripped = this.#stripped(schemas.length === 1 ? (schemas[0] ?? true) : { allOf: schemas }, field)
      if (stripped === undefined) return undefined
      const isRequired = required.has(name)
      const set = `o${accessText(name)} = ${stripped}`
      if (isRequired && further.length === 0) literal.push([name, stripped])
      else further.push(isRequired ? set : `${field.value} !== undefined && (${set})`)
    }
    const text = [...literal.map(([, stripped]) => stripped), ...further].join(' ')
    const each = reads.settled(text, 0)
    const { locals, written } = each.locals.length === fields.size ? each : reads.settled(text, 1)
    const start = objectText(literal.map(([name, stripped]) => [name, written(stripped)]))
    if (further.length === 0) return this.#arrow(literal.length === 0 ? '({})' : `(${start})`, locals)
    return this.#arrow(`(${[...further.map(written), 'o'].join(', ')})`, locals, start)
  }

  /**
   * @param locals the fields that the head reads
   * @param start what the value is made from, `o`
   */
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
    this.scope.declare(name, () => `${head}${fillArrow(text, { indent: 2, used: head.length, after: 0 })}`)
  }
}

/** An object literal. */
function objectText(entries: readonly (readonly [name: string, value: string])[]): string {
  const texts = entries.map(([name, value]) => (name === value ? name : `${keyText(name)}: ${value}`))
  return texts.length === 0 ? '{}' : `{ ${texts.join(', ')} }`
}

/** Keywords by which it depends on the value which fields are declared, or by which values become others. */
const undecided = [
  ...['patternProperties', 'if', 'then', 'else', 'dependentSchemas', 'unevaluatedProperties', 'unevaluatedItems'],
  ...['contains', 'default', 'x-js'],
]

/** Checks whether listed fields are all that values of a schema keep, and all that may become of them. */
function isStrippable(schema: Schema, defs: Defs): boolean {
  return !visits(schema, defs, (part) => hasKeyword(part, ...undecided) || isMap(part))
}

/** Checks whether fields that are not listed may be there, or a field that is `undefined` where none are listed. */
function isMap(schema: Schema): boolean {
  if (!hasKeyword(schema, 'additionalProperties') || typeof schema === 'boolean') return false
  return own(schema, 'additionalProperties') !== false || !hasKeyword(schema, 'properties')
}
