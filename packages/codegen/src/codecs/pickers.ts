import { own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { accessText, flatLiteral, keyText } from '../text.js'
import { type CodecScope, type Operand, typed } from './codec-scope.js'
import { conjunctsOf, type Defs, plainReference, subschema, subschemas } from './conjuncts.js'
import { fillPicker } from './fill.js'
import { hasDeclaredParts, hasKeyword, objectParts, visits } from './parts.js'
import { calledWith, DefinitionUses, FieldReads, parametersText } from './scope.js'
import { discriminatorOf } from './unions.js'
import { mayDeclare, type Variant, variantsOf } from './variants.js'

/** Schemas nested deeper are left to the runtime. */
const deepest = 60
/** So are schemas that are larger when references are written out. */
const mostPickers = 5_000

/**
 * Makes the pickers of one file: functions that make of a value which a check accepted the same without undeclared
 * fields. They are made only where nothing else may become of it, and where the schema alone tells which fields stay.
 */
export class PickMaker {
  readonly #scope: CodecScope
  readonly #definitions: Map<string, string> = new Map()
  /** The names of one codec's functions by what they do: two objects with the same fields share one. */
  readonly #bodies: Map<string, string> = new Map()
  readonly #refused: ReadonlySet<string>
  /** What definitions need of each other, and for which no picker could be made. */
  readonly uses: DefinitionUses = new DefinitionUses()
  #depth = 0
  #left = mostPickers

  /** @param refused definitions for which no picker can be made, as an earlier attempt found out */
  constructor(scope: CodecScope, refused: ReadonlySet<string>) {
    this.#scope = scope
    this.#refused = refused
  }

  /** The function that picks the values of a schema, as an expression; `undefined` where there is none or no need. */
  rootPicker(schema: Schema, stem: string): string | undefined {
    const { defs } = this.#scope
    this.#left = mostPickers
    this.#bodies.clear()
    if (!isPickable(schema, defs) || !hasDeclaredParts(schema, defs)) return undefined
    const operand: Operand = { value: 'v', stem, mode: '' }
    const variants = plainReference(schema) === undefined ? this.#variants(conjunctsOf(schema, defs) || []) : []
    const [only, ...others] = variants ?? []
    // What only the codec itself needs is written there.
    if (only !== undefined && others.length === 0 && only.kinds.join() === 'object' && only.reference === undefined) {
      return this.#fields(only.conjuncts, operand)
    }
    return this.#function(schema, operand)
  }

  /** The picker of a schema as a function that is handed on. */
  #function(schema: Schema, operand: Operand): string | undefined {
    const picked = this.#picked(schema, { ...operand, value: 'v' })
    return picked && (calledWith(picked, 'v') ?? this.#arrow(picked))
  }

  /** What becomes of a value: its own expression where it stays. */
  #picked(schema: Schema, operand: Operand): string | undefined {
    if (!hasDeclaredParts(schema, this.#scope.defs)) return operand.value
    if (this.#depth > deepest || this.#left-- <= 0) return undefined
    this.#depth += 1
    const reference = plainReference(schema)
    const picked = reference === undefined ? this.#structured(schema, operand) : this.#definition(reference, operand)
    this.#depth -= 1
    return picked
  }

  #definition(name: string, { value }: Operand): string | undefined {
    if (this.#refused.has(name) || !Object.hasOwn(this.#scope.defs, name)) return undefined
    this.uses.use(name)
    if (!this.#definitions.has(name)) {
      const stem = this.#scope.stemOf(name)
      const wanted = this.#scope.claim(`strip${stem}`)
      this.#definitions.set(name, wanted)
      const at: Operand = { value: 'v', stem, mode: '', name: wanted }
      const body = this.uses.make(name, () => this.#picked(this.#scope.defs[name] ?? true, at))
      if (body === undefined) return undefined
      if (body !== `${wanted}(v)`) this.#declare(wanted, this.#arrow(body))
    }
    return `${this.#definitions.get(name)}(${value})`
  }

  #structured(schema: Schema, operand: Operand): string | undefined {
    const variants = this.#variants(conjunctsOf(schema, this.#scope.defs) || [])
    if (variants === undefined) return undefined
    const [only, ...others] = variants
    if (only !== undefined && others.length === 0 && only.kinds.length === 1) return this.#container(only, operand)
    const { name: _name, ...unnamed } = operand
    return this.#chosen(variants, unnamed)
  }

  #variants(conjuncts: readonly SchemaObject[]): readonly Variant[] | undefined {
    return variantsOf(conjuncts, this.#scope.defs, () => this.#left-- > 0)
  }

  /** What becomes of values of one kind. */
  #container({ kinds, conjuncts, reference }: Variant, operand: Operand): string | undefined {
    if (reference !== undefined) return this.#picked({ $ref: `#/$defs/${reference}` }, operand)
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

  /** The cases of objects by their tag; the last one has no condition. */
  #objectCases(objects: readonly Variant[], operand: Operand): readonly string[] | undefined {
    if (objects.length === 0) return [operand.value]
    const { defs } = this.#scope
    const tag = discriminatorOf(
      objects.map(({ conjuncts }) => ({ allOf: conjuncts })),
      defs,
    )
    if (objects.length > 1 && (tag === undefined || tag.field in Object.prototype)) return undefined
    const cases: string[] = []
    for (const [index, variant] of objects.entries()) {
      const picked = this.#container(variant, { ...operand, stem: `${operand.stem}${variant.stem}` })
      if (picked === undefined) return undefined
      const literals = index === objects.length - 1 ? [] : (tag?.literals[index] ?? [])
      const field = tag === undefined ? '' : `${operand.value}${accessText(tag.field)}`
      const condition = literals.map((literal) => `${field} === ${flatLiteral(literal)}`).join(' || ')
      cases.push(condition === '' ? picked : `${condition} ? ${picked}`)
    }
    return cases
  }

  #array(conjuncts: readonly SchemaObject[], operand: Operand): string | undefined {
    const { defs, words } = this.#scope
    const first = conjuncts.flatMap((conjunct) => subschemas(conjunct, 'prefixItems'))
    const items = conjuncts.map((conjunct) => subschema(conjunct, 'items')).filter((item) => item !== undefined)
    if (first.some((schema) => hasDeclaredParts(schema, defs))) return undefined
    if (!items.some((schema) => hasDeclaredParts(schema, defs))) return operand.value
    if (first.length > 0) return undefined
    const { name: _name, ...unnamed } = operand
    const picker = this.#function(items.length === 1 ? (items[0] ?? true) : { allOf: items }, {
      ...unnamed,
      stem: `${operand.stem}Item`,
    })
    return picker && `${words.strip}.array(${operand.value}, ${picker})`
  }

  #object(conjuncts: readonly SchemaObject[], operand: Operand): string | undefined {
    const { rules, fields, isClosed } = objectParts(conjuncts)
    // Where no field may be there at all, one that is `undefined` has to go.
    const isOpen = !isClosed && rules.every(({ others }) => others !== false)
    if (isOpen && fields.size === 0) return operand.value
    const picker = this.#fields(conjuncts, operand)
    if (picker === undefined) return undefined
    const known = this.#bodies.get(picker)
    const name = operand.name ?? known ?? this.#scope.claim(`strip${operand.stem}`)
    if (name !== known) this.#declare(name, picker)
    this.#bodies.set(picker, name)
    return `${name}(${operand.value})`
  }

  /** The function that picks the declared fields of an object: those that are always there first, in one literal. */
  #fields(conjuncts: readonly SchemaObject[], { stem }: Operand): string | undefined {
    const { fields, required } = objectParts(conjuncts)
    const isKnown = (name: string): boolean => fields.has(name)
    // Which other fields stay depends on the value.
    if (![...required].every(isKnown) || mayDeclare(conjuncts, isKnown, this.#scope.defs)) return undefined
    const reads = new FieldReads({ stem, mode: '' }, this.#scope)
    const literal: (readonly [name: string, picked: string])[] = []
    const further: string[] = []
    for (const [name, schemas] of fields) {
      if (name in Object.prototype) return undefined
      const field = reads.operand(name)
      const picked = this.#picked(schemas.length === 1 ? (schemas[0] ?? true) : { allOf: schemas }, field)
      if (picked === undefined) return undefined
      const isRequired = required.has(name)
      const set = `o${accessText(name)} = ${picked}`
      if (isRequired && further.length === 0) literal.push([name, picked])
      else further.push(isRequired ? set : `${field.value} !== undefined && (${set})`)
    }
    const text = [...literal.map(([, picked]) => picked), ...further].join(' ')
    const each = reads.settled(text, 0)
    const { locals, written } = each.locals.length === fields.size ? each : reads.settled(text, 1)
    const start = objectText(literal.map(([name, picked]) => [name, written(picked)]))
    if (further.length === 0) return this.#arrow(literal.length === 0 ? '({})' : `(${start})`, locals)
    return this.#arrow(`(${[...further.map(written), 'o'].join(', ')})`, locals, start)
  }

  /**
   * @param locals the fields that the head reads
   * @param start what the value is made from, `o`
   */
  #arrow(body: string, locals: readonly string[] = [], start?: string): string {
    const any = typed(this.#scope, 'any')
    const made = start === undefined ? '' : `, o${any} = ${start}`
    return `(${parametersText(`${body} ${start ?? ''}`, locals, this.#scope)}${made})${any} => ${body}`
  }

  #declare(name: string, picker: string): void {
    const head = `const ${name} = `
    this.#scope.declare(name, () => `${head}${fillPicker(picker, { indent: 2, used: head.length, after: 0 })}`)
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

/** Whether listed fields are all that values of a schema keep, and all that may become of them. */
function isPickable(schema: Schema, defs: Defs): boolean {
  return !visits(schema, defs, (part) => hasKeyword(part, ...undecided) || isMap(part))
}

/** Whether fields that are not listed may be there, or a field that is `undefined` where none are listed. */
function isMap(schema: Schema): boolean {
  if (!hasKeyword(schema, 'additionalProperties') || typeof schema === 'boolean') return false
  return own(schema, 'additionalProperties') !== false || !hasKeyword(schema, 'properties')
}
