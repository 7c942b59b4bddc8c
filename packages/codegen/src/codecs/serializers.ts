import { type Json, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { refTo } from '../schema/references.js'
import { flatLiteral, stringText } from '../text.js'
import { type Code, type CodecScope, code, type Operand, typed } from './code.js'
import { FieldReads, parameterName, parametersText } from './field-reads.js'
import { fillText } from './fill.js'
import { calledWith, FunctionMaker } from './function-maker.js'
import { type Kind, kindsOf, literalsOf } from './kinds.js'
import { conditionsNameType, hasDeclaredParts, typeNamed } from './nested-schemas.js'
import { mayDeclare, objectParts } from './object-parts.js'
import { conjunctsOf, plainReference, subschema, subschemas } from './schema-reading.js'
import { type Variant, variantsOf } from './unions.js'

/** String formats whose values never contain a character that JSON must escape. */
const plainFormats: readonly string[] = ['date-time', 'date', 'time', 'duration', 'uuid', 'ipv4', 'ipv6', 'hostname']

/** Serializers require that the type guard has accepted the value. */
export class SerializerMaker extends FunctionMaker {
  constructor(scope: CodecScope) {
    super('serialize', scope)
  }

  protected body(schema: Schema, operand: Operand): Code | undefined {
    const pieces = this.#pieces(schema, operand)
    return pieces && code(piecesText(pieces))
  }

  #pieces(schema: Schema, operand: Operand): readonly Piece[] | undefined {
    const { defs } = this.scope
    return this.nested(() => {
      const reference = plainReference(schema)
      if (reference !== undefined && hasDeclaredParts(schema, defs)) {
        const name = this.definition(reference)
        return name === undefined ? undefined : [stringPiece(`${name}(${operand.value})`)]
      }
      const conjuncts = conjunctsOf(schema, defs) || []
      if (conditionsNameType(conjuncts, defs)) return undefined
      return hasDeclaredParts(schema, defs) ? this.#structured(conjuncts, operand) : this.#plain(conjuncts, operand)
    })
  }

  /** The schema must not declare fields. */
  #plain(conjuncts: readonly SchemaObject[], { value }: Operand): readonly Piece[] {
    const literals = literalsOf(conjuncts)
    const [only, ...others] = literals ?? []
    if (only !== undefined && others.length === 0 && (typeof only !== 'object' || only === null)) {
      return [constant(JSON.stringify(only))]
    }
    const kinds = kindsOf(conjuncts) ?? []
    if (kinds.join() === 'array' && this.#areStrings(conjuncts)) return [stringPiece(`serialize.strings(${value})`)]
    const [kind, another] = kinds.filter((each) => each !== 'null')
    if (kind === undefined || another !== undefined || ['array', 'object'].includes(kind)) {
      return [stringPiece(`serialize.value(${value})`)]
    }
    const isString = kind === 'string' && !isPlainString(literals, conjuncts)
    if (kinds.includes('null')) {
      const written = isString ? `serialize.string(${value})` : piecesText(plainScalar(kind, value))
      return [stringPiece(`(${value} === null ? 'null' : ${written})`)]
    }
    // The quotes are merged with adjacent constants, so that fewer strings are joined.
    return isString
      ? [constant('"'), stringPiece(`serialize.chars(${value})`), constant('"')]
      : plainScalar(kind, value)
  }

  #areStrings(conjuncts: readonly SchemaObject[]): boolean {
    if (conjuncts.some((conjunct) => subschemas(conjunct, 'prefixItems').length > 0)) return false
    return conjuncts.some((conjunct) => {
      const items = conjunctsOf(subschema(conjunct, 'items') ?? true, this.scope.defs)
      return items !== false && kindsOf(items)?.join() === 'string'
    })
  }

  #structured(conjuncts: readonly SchemaObject[], operand: Operand): readonly Piece[] | undefined {
    const variants = variantsOf(conjuncts, this.scope.defs, () => this.countPart())
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
    return [stringPiece(`serialize.typed(${value}, ${stringText(type)})`)]
  }

  #chosen(variants: readonly Variant[], operand: Operand): readonly Piece[] | undefined {
    const { value } = operand
    const typed = variants.find(({ conjuncts }) => typeNamed(conjuncts) !== undefined)
    if (typed !== undefined) {
      const others = variants.filter((variant) => variant !== typed)
      const isOptional = [typed, ...others].every(({ kinds }) =>
        kinds.every((kind) => kind === 'string' || kind === 'null'),
      )
      if (!isOptional || others.some(({ kinds }) => kinds.includes('string'))) return undefined
      const written = this.#typed(typeNamed(typed.conjuncts) ?? '', operand)
      return [stringPiece(`(${value} === null ? 'null' : ${piecesText(written)})`)]
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
      cases.unshift(`typeof ${value} !== 'object' || ${value} === null ? serialize.value(${value})`)
    const written =
      objects.length === 0
        ? [`serialize.value(${value})`]
        : this.objectCases(objects, operand, (variant, at) => {
            const pieces = this.#container('object', variant, at)
            return pieces && piecesText(pieces)
          })
    if (written === undefined) return undefined
    const all = [...cases, ...written]
    return [stringPiece(all.length === 1 ? (all[0] ?? '') : `(${all.join(' : ')})`)]
  }

  #container(kind: Kind, variant: Variant, operand: Operand): readonly Piece[] | undefined {
    if (variant.reference !== undefined) return this.#pieces({ $ref: refTo(variant.reference) }, operand)
    const type = typeNamed(variant.conjuncts)
    if (type !== undefined) return kind === 'string' ? this.#typed(type, operand) : undefined
    if (kind === 'object') return this.#object(variant.conjuncts, operand)
    return kind === 'array' ? this.#array(variant.conjuncts, operand) : this.#plain(variant.conjuncts, operand)
  }

  #array(conjuncts: readonly SchemaObject[], operand: Operand): readonly Piece[] | undefined {
    const { defs } = this.scope
    const first = conjuncts.flatMap((conjunct) => subschemas(conjunct, 'prefixItems'))
    const items = conjuncts.map((conjunct) => subschema(conjunct, 'items')).filter((item) => item !== undefined)
    if (first.some((schema) => hasDeclaredParts(schema, defs))) return undefined
    const declared = items.filter((schema) => hasDeclaredParts(schema, defs))
    if (declared.length === 0) return [stringPiece(`serialize.value(${operand.value})`)]
    if (first.length > 0) return undefined
    const write = this.#argument(items.length === 1 ? (items[0] ?? true) : { allOf: items }, operand, 'Item')
    return write === undefined ? undefined : [stringPiece(`serialize.array(${operand.value}, ${write})`)]
  }

  #object(conjuncts: readonly SchemaObject[], operand: Operand): readonly Piece[] | undefined {
    const parts = objectParts(conjuncts)
    if (!parts.isClosed && parts.fields.size === 0 && parts.rules.every(({ others }) => others === undefined)) {
      return [stringPiece(`serialize.value(${operand.value})`)]
    }
    const others = this.#others(conjuncts, operand)
    if (others === undefined) return undefined
    const reads = new FieldReads(operand)
    const pieces: Piece[] = []
    let hasFirst = false
    for (const [name, schemas] of parts.fields) {
      const field = reads.operand(name)
      const written = this.#pieces(schemas.length === 1 ? (schemas[0] ?? true) : { allOf: schemas }, field)
      if (written === undefined) return undefined
      const isRequired = parts.required.has(name)
      if (pieces.length === 0) hasFirst = isRequired
      const comma = hasFirst && pieces.length === 0 ? '{' : ','
      const entry = [constant(`${comma}${JSON.stringify(name)}:`), ...written]
      if (isRequired) pieces.push(...entry)
      else pieces.push(stringPiece(`(${field.value} === undefined ? '' : ${piecesText(entry)})`))
    }
    const fields = [...pieces, ...others]
    if (fields.length === 0) return [constant('{}')]
    const text = hasFirst ? piecesText([...fields, constant('}')]) : `serialize.object(${piecesText(fields)})`
    const { locals, written } = reads.settled(text, 1)
    return [stringPiece(`${this.named(code(written(text)), operand, locals)}(${operand.value})`)]
  }

  #others(conjuncts: readonly SchemaObject[], operand: Operand): readonly Piece[] | undefined {
    const { defs } = this.scope
    const { rules, fields, required, isClosed } = objectParts(conjuncts)
    const patterns = rules.flatMap((rule) => rule.patterns.map(([, schema]) => schema))
    const rest = rules.map(({ others }) => others).filter((schema) => schema !== undefined && schema !== false)
    const isKnown = (name: string): boolean => fields.has(name)
    // The value determines which other fields are declared.
    if (isClosed && (patterns.length > 0 || ![...required].every(isKnown) || mayDeclare(conjuncts, isKnown, defs))) {
      return undefined
    }
    if (patterns.length === 0 && rest.length === 0) return []
    const names = flatLiteral([...fields.keys()])
    const [only] = rest
    if (![...patterns, ...rest].some((schema) => schema !== undefined && hasDeclaredParts(schema, defs))) {
      return [stringPiece(`serialize.rest(v, ${names}, serialize.value)`)]
    }
    if (patterns.length > 0 || rest.length > 1 || only === undefined) return undefined
    const write = this.#argument(only, operand, 'Value')
    return write === undefined ? undefined : [stringPiece(`serialize.rest(v, ${names}, ${write})`)]
  }

  #argument(schema: Schema, operand: Operand, role: string): string | undefined {
    const body = this.body(schema, { value: 'v', stem: `${operand.stem}${role}`, mode: '' })
    if (body === undefined) return undefined
    return calledWith(body.text, 'v') ?? `(${parameterName('v', body.text)}) => ${body.text}`
  }

  protected declare(name: string, { text }: Code, locals: readonly string[] = []): void {
    const head = `const ${name} = (${parametersText(text, locals, this.scope)})${typed(this.scope, 'string')} =>`
    this.scope.declare(name, fillText(head, text))
  }
}

function plainScalar(kind: Kind, value: string): readonly Piece[] {
  return kind === 'string' ? [constant('"'), scalarPiece(value), constant('"')] : [scalarPiece(value)]
}

function isPlainString(literals: readonly Json[] | undefined, conjuncts: readonly SchemaObject[]): boolean {
  return (
    literals?.every((literal) => JSON.stringify(literal) === `"${String(literal)}"` || literal === null) ??
    conjuncts.some((conjunct) => plainFormats.some((format) => own(conjunct, 'format') === format))
  )
}

type Piece =
  | { readonly kind: 'constant'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string; readonly isString: boolean }

function constant(text: string): Piece {
  return { kind: 'constant', text }
}

function stringPiece(text: string): Piece {
  return { kind: 'code', text, isString: true }
}

function scalarPiece(text: string): Piece {
  return { kind: 'code', text, isString: false }
}

function piecesText(pieces: readonly Piece[]): string {
  const joined: Piece[] = []
  for (const piece of pieces) {
    const last = joined.at(-1)
    if (last?.kind === 'constant' && piece.kind === 'constant') joined.splice(-1, 1, constant(last.text + piece.text))
    else joined.push(piece)
  }
  const [first] = joined
  // The first operand must be a string: two numbers would be added.
  if (first === undefined || (first.kind === 'code' && !first.isString)) joined.unshift(constant(''))
  return joined.map((piece) => (piece.kind === 'constant' ? stringText(piece.text) : piece.text)).join(' + ')
}
