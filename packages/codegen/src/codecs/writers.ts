import { type Json, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { flatLiteral, stringText } from '../text.js'
import { type CodecScope, type Operand, typed } from './codec-scope.js'
import { conjunctsOf, plainReference, subschema, subschemas } from './conjuncts.js'
import { fillText } from './fill.js'
import { type Kind, kindsOf, literalsOf } from './kinds.js'
import { hasDeclaredParts, objectParts } from './parts.js'
import { conditionsNameType, typeNamed } from './scalar-checks.js'
import { calledWith, DefinitionUses, FieldReads, fieldOperand, parameterName, parametersText } from './scope.js'
import { discriminatorOf } from './unions.js'
import { mayDeclare, type Variant, variantsOf } from './variants.js'

/** Formats of which no text has a character that JSON escapes. */
const plainFormats: readonly string[] = ['date-time', 'date', 'time', 'duration', 'uuid', 'ipv4', 'ipv6', 'hostname']
/** Schemas nested deeper are left to the interpreter. */
const deepest = 60
/** So are schemas that are larger when references are written out. */
const mostWriters = 5_000

/** Makes the writers of one file: functions that write values which the checks accepted. */
export class WriteMaker {
  readonly #scope: CodecScope
  readonly #definitions: Map<string, string> = new Map()
  /** The names of one codec's functions by what they write: two objects with the same fields share one. */
  readonly #bodies: Map<string, string> = new Map()
  readonly #refused: ReadonlySet<string>
  /** What definitions need of each other, and for which no writer could be made. */
  readonly uses: DefinitionUses = new DefinitionUses()
  #depth = 0
  #left = mostWriters

  /** @param refused definitions for which no writer can be made, as an earlier attempt found out */
  constructor(scope: CodecScope, refused: ReadonlySet<string>) {
    this.#scope = scope
    this.#refused = refused
  }

  /** The name of the function that writes the values of a schema; `undefined` where none can be made. */
  rootWriter(schema: Schema, stem: string): string | undefined {
    this.#left = mostWriters
    this.#bodies.clear()
    const written = this.#written(schema, { value: 'v', stem, mode: '' })
    if (written === undefined) return undefined
    const text = piecesText(written)
    const name = calledWith(text, 'v')
    if (name !== undefined) return name
    const claimed = this.#scope.claim(`serialize${stem}`)
    this.#declare(claimed, text)
    return claimed
  }

  #written(schema: Schema, operand: Operand): readonly Piece[] | undefined {
    if (this.#depth > deepest || this.#left-- <= 0) return undefined
    this.#depth += 1
    const written = this.#write(schema, operand)
    this.#depth -= 1
    return written
  }

  #write(schema: Schema, operand: Operand): readonly Piece[] | undefined {
    const reference = plainReference(schema)
    if (reference !== undefined && hasDeclaredParts(schema, this.#scope.defs))
      return this.#definition(reference, operand)
    const conjuncts = conjunctsOf(schema, this.#scope.defs) || []
    if (conditionsNameType(conjuncts, this.#scope.defs)) return undefined
    if (!hasDeclaredParts(schema, this.#scope.defs)) return this.#plain(conjuncts, operand)
    return this.#structured(conjuncts, operand)
  }

  /** Values whose fields have no order but their own. */
  #plain(conjuncts: readonly SchemaObject[], { value }: Operand): readonly Piece[] {
    const { serialize } = this.#scope.words
    const literals = literalsOf(conjuncts)
    const [only, ...others] = literals ?? []
    if (only !== undefined && others.length === 0 && (typeof only !== 'object' || only === null)) {
      return [constant(JSON.stringify(only))]
    }
    const kinds = kindsOf(conjuncts) ?? []
    if (kinds.join() === 'array' && this.#areTexts(conjuncts)) return [textPiece(`${serialize}.strings(${value})`)]
    const [kind, another] = kinds.filter((each) => each !== 'null')
    if (kind === undefined || another !== undefined || ['array', 'object'].includes(kind)) {
      return [textPiece(`${serialize}.value(${value})`)]
    }
    const isText = kind === 'string' && !isPlainText(literals, conjuncts)
    if (kinds.includes('null')) {
      const written = isText ? `${serialize}.string(${value})` : piecesText(plainScalar(kind, value))
      return [textPiece(`(${value} === null ? 'null' : ${written})`)]
    }
    // The quotes go into the constants beside them: fewer pieces are put together.
    return isText ? [constant('"'), textPiece(`${serialize}.chars(${value})`), constant('"')] : plainScalar(kind, value)
  }

  /** Whether all items of an array are texts. */
  #areTexts(conjuncts: readonly SchemaObject[]): boolean {
    if (conjuncts.some((conjunct) => subschemas(conjunct, 'prefixItems').length > 0)) return false
    return conjuncts.some((conjunct) => {
      const items = conjunctsOf(subschema(conjunct, 'items') ?? true, this.#scope.defs)
      return items !== false && kindsOf(items)?.join() === 'string'
    })
  }

  #definition(name: string, operand: Operand): readonly Piece[] | undefined {
    if (this.#refused.has(name) || !Object.hasOwn(this.#scope.defs, name)) return undefined
    this.uses.use(name)
    if (!this.#definitions.has(name)) {
      const stem = this.#scope.stemOf(name)
      const wanted = this.#scope.claim(`serialize${stem}`)
      this.#definitions.set(name, wanted)
      const at: Operand = { value: 'v', stem, mode: '', name: wanted }
      const body = this.uses.make(name, () => this.#written(this.#scope.defs[name] ?? true, at))
      if (body === undefined) return undefined
      const text = piecesText(body)
      if (text !== `${wanted}(v)`) this.#declare(wanted, text)
    }
    return [textPiece(`${this.#definitions.get(name)}(${operand.value})`)]
  }

  #structured(conjuncts: readonly SchemaObject[], operand: Operand): readonly Piece[] | undefined {
    const variants = variantsOf(conjuncts, this.#scope.defs, () => this.#left-- > 0)
    if (variants === undefined) return undefined
    const [only, ...others] = variants
    const [kind, another] = only?.kinds ?? []
    if (only !== undefined && others.length === 0 && kind !== undefined && another === undefined) {
      return this.#container(kind, only, operand)
    }
    const { name: _name, ...unnamed } = operand
    return this.#chosen(variants, unnamed)
  }

  #typed(type: string, { value }: Operand): readonly Piece[] {
    return [textPiece(`${this.#scope.words.serialize}.typed(${value}, ${stringText(type)})`)]
  }

  /** An expression that finds out how a value has to be written. */
  #chosen(variants: readonly Variant[], operand: Operand): readonly Piece[] | undefined {
    const { serialize } = this.#scope.words
    const { value } = operand
    const typed = variants.find(({ conjuncts }) => typeNamed(conjuncts) !== undefined)
    if (typed !== undefined) {
      const others = variants.filter((variant) => variant !== typed)
      const isOptional = [typed, ...others].every(({ kinds }) =>
        kinds.every((kind) => kind === 'string' || kind === 'null'),
      )
      if (!isOptional || others.some(({ kinds }) => kinds.includes('string'))) return undefined
      const written = this.#typed(typeNamed(typed.conjuncts) ?? '', operand)
      return [textPiece(`(${value} === null ? 'null' : ${piecesText(written)})`)]
    }
    const cases: string[] = []
    const arrays = variants.filter(({ kinds }) => kinds.includes('array'))
    const objects = variants.filter(({ kinds }) => kinds.includes('object'))
    if (arrays.length > 1) return undefined
    const [array] = arrays
    if (array !== undefined) {
      const written = this.#container('array', array, operand)
      if (written === undefined) return undefined
      cases.push(`Array.isArray(${value}) ? ${piecesText(written)}`)
    }
    const isOnlyContainers = variants.every(({ kinds }) => kinds.every((kind) => kind === 'array' || kind === 'object'))
    if (!isOnlyContainers)
      cases.unshift(`typeof ${value} !== 'object' || ${value} === null ? ${serialize}.value(${value})`)
    const written = this.#objectCases(objects, operand)
    if (written === undefined) return undefined
    const all = [...cases, ...written]
    return [textPiece(all.length === 1 ? (all[0] ?? '') : `(${all.join(' : ')})`)]
  }

  /** The cases of objects by their tag; the last one has no condition. */
  #objectCases(objects: readonly Variant[], operand: Operand): readonly string[] | undefined {
    if (objects.length === 0) return [`${this.#scope.words.serialize}.value(${operand.value})`]
    const tag =
      objects.length > 1
        ? discriminatorOf(
            objects.map(({ conjuncts }) => ({ allOf: conjuncts })),
            this.#scope.defs,
          )
        : undefined
    if (objects.length > 1 && tag === undefined) return undefined
    const cases: string[] = []
    for (const [index, variant] of objects.entries()) {
      const written = this.#container('object', variant, {
        ...operand,
        stem: `${operand.stem}${variant.stem}`,
      })
      if (written === undefined) return undefined
      const text = piecesText(written)
      const literals = index === objects.length - 1 ? [] : (tag?.literals[index] ?? [])
      const field = tag === undefined ? '' : fieldOperand(operand, tag.field, this.#scope).value
      const condition = literals.map((literal) => `${field} === ${flatLiteral(literal)}`).join(' || ')
      cases.push(condition === '' ? text : `${condition} ? ${text}`)
    }
    return cases
  }

  #container(kind: Kind, variant: Variant, operand: Operand): readonly Piece[] | undefined {
    if (variant.reference !== undefined) return this.#written({ $ref: `#/$defs/${variant.reference}` }, operand)
    const type = typeNamed(variant.conjuncts)
    if (type !== undefined) return kind === 'string' ? this.#typed(type, operand) : undefined
    if (kind === 'object') return this.#object(variant.conjuncts, operand)
    return kind === 'array' ? this.#array(variant.conjuncts, operand) : this.#plain(variant.conjuncts, operand)
  }

  #array(conjuncts: readonly SchemaObject[], operand: Operand): readonly Piece[] | undefined {
    const { defs, words } = this.#scope
    const first = conjuncts.flatMap((conjunct) => subschemas(conjunct, 'prefixItems'))
    const items = conjuncts.map((conjunct) => subschema(conjunct, 'items')).filter((item) => item !== undefined)
    if (first.some((schema) => hasDeclaredParts(schema, defs))) return undefined
    const declared = items.filter((schema) => hasDeclaredParts(schema, defs))
    if (declared.length === 0) return [textPiece(`${words.serialize}.value(${operand.value})`)]
    if (first.length > 0) return undefined
    const write = this.#argument(items.length === 1 ? (items[0] ?? true) : { allOf: items }, operand, 'Item')
    return write === undefined ? undefined : [textPiece(`${words.serialize}.array(${operand.value}, ${write})`)]
  }

  #object(conjuncts: readonly SchemaObject[], operand: Operand): readonly Piece[] | undefined {
    const { words } = this.#scope
    const parts = objectParts(conjuncts)
    if (!parts.isClosed && parts.fields.size === 0 && parts.rules.every(({ others }) => others === undefined)) {
      return [textPiece(`${words.serialize}.value(${operand.value})`)]
    }
    const others = this.#others(conjuncts, operand)
    if (others === undefined) return undefined
    const reads = new FieldReads(operand, this.#scope)
    const pieces: Piece[] = []
    let hasFirst = false
    for (const [name, schemas] of parts.fields) {
      const field = reads.operand(name)
      const written = this.#written(schemas.length === 1 ? (schemas[0] ?? true) : { allOf: schemas }, field)
      if (written === undefined) return undefined
      const isRequired = parts.required.has(name)
      if (pieces.length === 0) hasFirst = isRequired
      const comma = hasFirst && pieces.length === 0 ? '{' : ','
      const entry = [constant(`${comma}${JSON.stringify(name)}:`), ...written]
      if (isRequired) pieces.push(...entry)
      else pieces.push(textPiece(`(${field.value} === undefined ? '' : ${piecesText(entry)})`))
    }
    const fields = [...pieces, ...others]
    if (fields.length === 0) return [constant('{}')]
    const text = hasFirst ? piecesText([...fields, constant('}')]) : `${words.serialize}.object(${piecesText(fields)})`
    const { locals, written } = reads.settled(text, 1)
    const body = written(text)
    const known = this.#bodies.get(body)
    const name = operand.name ?? known ?? this.#scope.claim(`serialize${operand.stem}`)
    if (name !== known) this.#declare(name, body, locals)
    this.#bodies.set(body, name)
    return [textPiece(`${name}(${operand.value})`)]
  }

  /** The fields that are not declared by name; `undefined` where they cannot be written. */
  #others(conjuncts: readonly SchemaObject[], operand: Operand): readonly Piece[] | undefined {
    const { defs, words } = this.#scope
    const { rules, fields, required, isClosed } = objectParts(conjuncts)
    const patterns = rules.flatMap((rule) => rule.patterns.map(([, schema]) => schema))
    const rest = rules.map(({ others }) => others).filter((schema) => schema !== undefined && schema !== false)
    const isKnown = (name: string): boolean => fields.has(name)
    // Which other fields stay depends on the value.
    if (isClosed && (patterns.length > 0 || ![...required].every(isKnown) || mayDeclare(conjuncts, isKnown, defs))) {
      return undefined
    }
    if (patterns.length === 0 && rest.length === 0) return []
    const names = flatLiteral([...fields.keys()])
    const [only] = rest
    if (![...patterns, ...rest].some((schema) => schema !== undefined && hasDeclaredParts(schema, defs))) {
      return [textPiece(`${words.serialize}.rest(v, ${names}, ${words.serialize}.value)`)]
    }
    if (patterns.length > 0 || rest.length > 1 || only === undefined) return undefined
    const write = this.#argument(only, operand, 'Value')
    return write === undefined ? undefined : [textPiece(`${words.serialize}.rest(v, ${names}, ${write})`)]
  }

  /** The writer of a schema as a function that is handed on. */
  #argument(schema: Schema, operand: Operand, role: string): string | undefined {
    const written = this.#written(schema, { value: 'v', stem: `${operand.stem}${role}`, mode: '' })
    if (written === undefined) return undefined
    const text = piecesText(written)
    return calledWith(text, 'v') ?? `(${parameterName('v', text)}) => ${text}`
  }

  /** @param locals the fields that the head reads */
  #declare(name: string, body: string, locals: readonly string[] = []): void {
    const parameters = parametersText(body, locals, this.#scope)
    this.#scope.declare(name, () => fillText(`const ${name} = (${parameters})${typed(this.#scope, 'string')} =>`, body))
  }
}

/** What is written as it stands, a text between quotes. */
function plainScalar(kind: Kind, value: string): readonly Piece[] {
  return kind === 'string' ? [constant('"'), scalarPiece(value), constant('"')] : [scalarPiece(value)]
}

/** Whether no text of a schema has a character that JSON escapes. */
function isPlainText(literals: readonly Json[] | undefined, conjuncts: readonly SchemaObject[]): boolean {
  return (
    literals?.every((literal) => JSON.stringify(literal) === `"${String(literal)}"` || literal === null) ??
    conjuncts.some((conjunct) => plainFormats.some((format) => own(conjunct, 'format') === format))
  )
}

/** A part of a text that generated code puts together. */
type Piece =
  /** Always the same. */
  | { readonly kind: 'constant'; readonly text: string }
  /** An expression. */
  | { readonly kind: 'code'; readonly text: string; readonly isText: boolean }

/** Text that is always the same. */
function constant(text: string): Piece {
  return { kind: 'constant', text }
}

/** An expression that is a text. */
function textPiece(text: string): Piece {
  return { kind: 'code', text, isText: true }
}

/** An expression that becomes a text beside one: a number or a boolean. */
function scalarPiece(text: string): Piece {
  return { kind: 'code', text, isText: false }
}

/** Pieces as one expression. */
function piecesText(pieces: readonly Piece[]): string {
  const joined: Piece[] = []
  for (const piece of pieces) {
    const last = joined.at(-1)
    if (last?.kind === 'constant' && piece.kind === 'constant') joined.splice(-1, 1, constant(last.text + piece.text))
    else joined.push(piece)
  }
  const [first] = joined
  // What is no text at the beginning would be added, not joined.
  if (first === undefined || (first.kind === 'code' && !first.isText)) joined.unshift(constant(''))
  return joined.map((piece) => (piece.kind === 'constant' ? stringText(piece.text) : piece.text)).join(' + ')
}
