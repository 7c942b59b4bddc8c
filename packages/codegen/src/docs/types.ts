import type { JsType } from '@toolgen/runtime/schema'
import type { Json, Schema, SchemaObject, ToolsetIr } from '../ir/types.js'
import { own } from '../schema/json-schema.js'
import { resolveShape, shapeOf } from '../schema/read-shape.js'
import { definitionsUsed } from '../schema/references.js'
import type { Shape, ShapeField } from '../schema/shape.js'
import { propertyNameText } from '../text.js'
import { anchorOf, type Block, code, joined, jsonCode, type Line, table } from './page.js'

export interface TypeContext {
  readonly defs: Readonly<Record<string, Schema>>
  readonly anchors: ReadonlyMap<string, string>
  /** Names of the enclosing definitions without a section. For a recursive reference to one of them, the page shows only its name. */
  readonly within?: readonly string[]
}

export function typeContext({ name, defs }: ToolsetIr): TypeContext {
  const bare: TypeContext = { defs, anchors: new Map() }
  const withSection = Object.keys(defs).filter(
    (def) =>
      definitionsUsed(defs[def] ?? true, defs).includes(def) || rowsBelow(shapeIn(def, bare), '', bare).length > 0,
  )
  return { defs, anchors: new Map(withSection.map((def) => [def, anchorOf('type', `${name}.${def}`)])) }
}

function shapeIn(definition: string, { defs }: TypeContext): Shape {
  return resolveShape(shapeOf(defs[definition] ?? true, defs), defs)
}

export function definitionBlocks(name: string, context: TypeContext): readonly Block[] {
  const shape = shapeOf(context.defs[name] ?? true, context.defs)
  const { description } = shape.schema
  const fields = fieldTable(resolveShape(shape, context.defs), context, 'Field')
  return [
    ...(typeof description === 'string' ? [{ kind: 'prose' as const, text: description }] : []),
    ...(shape.kind === 'object' && fields.length > 0 ? [] : [typeLine(shape, context)]),
    ...fields,
  ]
}

export function resultBlocks(schema: Schema, context: TypeContext): readonly Block[] {
  const shape = shapeOf(schema, context.defs)
  const { description } = shape.schema
  const fields = fieldTable(shape, context, 'Field')
  return [
    ...(shape.kind !== 'object' || fields.length === 0 ? [typeLine(shape, context)] : []),
    ...(typeof description === 'string' ? [{ kind: 'prose' as const, text: description }] : []),
    ...fields,
  ]
}

export function argumentBlocks(schema: Schema, context: TypeContext): readonly Block[] {
  const shape = resolveShape(shapeOf(schema, context.defs), context.defs)
  const fields = fieldTable(shape, context, 'Argument')
  if (fields.length > 0) return fields
  const isEmpty = shape.kind === 'object' && shape.additional === undefined
  return [isEmpty ? { kind: 'line', line: ['None.'] } : typeLine(shape, context)]
}

function typeLine(shape: Shape, context: TypeContext): Block {
  return { kind: 'line', line: typeWords(shape, context) }
}

/** The JSON Schema on the page contains all values of an enum. */
const maxValues = 40

const typedWords: Readonly<Record<JsType, Line>> = {
  Date: ['date and time (', code('Date'), ' in code)'],
  bigint: ['integer of any size, as a string (', code('bigint'), ' in code)'],
  Uint8Array: ['bytes as a base64 string (', code('Uint8Array'), ' in code)'],
}

const formatWords: ReadonlyMap<unknown, string> = new Map([
  ['date-time', 'date and time'],
  ['date', 'date'],
  ['time', 'time'],
  ['duration', 'duration'],
  ['email', 'e-mail address'],
  ['uri', 'URI'],
  ['uri-reference', 'URI or relative reference'],
  ['uuid', 'UUID'],
  ['ipv4', 'IPv4 address'],
  ['ipv6', 'IPv6 address'],
  ['hostname', 'host name'],
  ['regex', 'regular expression'],
])

function typeWords(shape: Shape, context: TypeContext, many = false): Line {
  const plural = (one: string): string => (many ? `${one}s` : one)
  switch (shape.kind) {
    case 'unknown':
      return [plural('any value')]
    case 'never':
      return ['nothing']
    case 'null':
      return [code('null')]
    case 'boolean':
      return [plural('boolean')]
    case 'string':
      return [formatWords.get(own(shape.schema, 'format')) ?? plural('string')]
    case 'typed':
      return typedWords[shape.type]
    case 'number':
      return [plural(shape.integer ? 'integer' : 'number')]
    case 'literals': {
      const values = shape.values.slice(0, maxValues).map((value) => [jsonCode(value)])
      const more = shape.values.length - values.length
      return more > 0 ? [...joined(values, ', '), `, or one of ${more} more`] : alternatives(values)
    }
    case 'array':
      return [`${plural('array')} of `, ...typeWords(shape.items, context, true)]
    case 'tuple': {
      const items = shape.items.map((item) => typeWords(item, context))
      const rest = shape.rest === undefined ? [] : [['then ', ...typeWords(shape.rest, context, true)]]
      return [`${plural('tuple')} of `, ...joined([...items, ...rest], ', ')]
    }
    case 'object':
      if (shape.fields.length > 0 || shape.additional === undefined) return [plural('object')]
      if (shape.additional.kind === 'unknown') return [`${plural('object')} with any fields`]
      return [`${plural('object')} whose values are `, ...typeWords(shape.additional, context, true)]
    case 'union':
      return alternatives(shape.variants.map((variant) => typeWords(variant, context, many)))
    case 'intersection':
      return joined(distinct(shape.parts.map((part) => typeWords(part, context, many))), ' and ')
    case 'ref': {
      const to = context.anchors.get(shape.name)
      if (to !== undefined) return [{ text: shape.name, style: 'code', to }]
      const inner = contextWithin(shape.name, context)
      return inner === undefined ? [code(shape.name)] : typeWords(resolveShape(shape, context.defs), inner, many)
    }
  }
}

function contextWithin(name: string, context: TypeContext): TypeContext | undefined {
  const { within = [] } = context
  return within.includes(name) ? undefined : { ...context, within: [...within, name] }
}

function alternatives(lines: readonly Line[]): Line {
  const all = distinct(lines)
  const last = all.at(-1) ?? ['nothing']
  return all.length < 2 ? last : [...joined(all.slice(0, -1), ', '), ' or ', ...last]
}

function distinct(lines: readonly Line[]): readonly Line[] {
  return [...new Map(lines.map((line) => [JSON.stringify(line), line])).values()]
}

interface FieldRow {
  readonly path: Line
  readonly type: Line
  /** Absent for the heading of a union variant. */
  readonly required?: boolean
  readonly default?: Json
  readonly rules: readonly Line[]
  readonly description?: Json | undefined
}

function fieldTable(shape: Shape, context: TypeContext, head: string): readonly Block[] {
  return table(
    [head, 'Type', 'Required', 'Default', 'Rules', 'Description'],
    rowsBelow(shape, '', context).map(({ path, type, required, default: value, rules, description }) => [
      path,
      type,
      required === undefined ? [] : [required ? 'yes' : 'no'],
      value === undefined ? [] : [jsonCode(value)],
      joined(rules, '; '),
      typeof description === 'string' ? [description.trim()] : [],
    ]),
  )
}

function rowsBelow(shape: Shape, path: string, context: TypeContext): readonly FieldRow[] {
  switch (shape.kind) {
    case 'object':
      return [
        ...shape.fields.flatMap((field) => fieldRows(field, path, context)),
        ...(shape.additional === undefined ? [] : otherRows(shape.fields.length, shape.additional, path, context)),
      ]
    case 'array':
      return rowsBelow(shape.items, `${path}[]`, context)
    case 'tuple':
      return [
        ...shape.items.flatMap((item, index) => rowsBelow(item, `${path}[${index}]`, context)),
        ...(shape.rest === undefined ? [] : rowsBelow(shape.rest, `${path}[${shape.items.length}…]`, context)),
      ]
    case 'union':
      return variantRows(shape, path, context)
    case 'intersection':
      return shape.parts.flatMap((part) => rowsBelow(part, path, context))
    default:
      return []
  }
}

function fieldRows({ name, shape, ...field }: ShapeField, parent: string, context: TypeContext): readonly FieldRow[] {
  const path = parent === '' ? propertyNameText(name) : `${parent}.${propertyNameText(name)}`
  const row = { ...field, path: [code(path)], type: typeWords(shape, context), rules: rulesOf(shape, context) }
  return [row, ...rowsBelow(shape, path, context)]
}

function otherRows(named: number, shape: Shape, parent: string, context: TypeContext): readonly FieldRow[] {
  const path = parent === '' ? '*' : `${parent}.*`
  const inner = rowsBelow(shape, path, context)
  if (shape.kind === 'unknown' || (named === 0 && parent !== '' && inner.length === 0)) return []
  const row = {
    path: [code(path), named === 0 ? ' (any name)' : ' (any other name)'],
    type: typeWords(shape, context),
    required: false,
    rules: rulesOf(shape, context),
    description: own(shape.schema, 'description'),
  }
  return [row, ...inner]
}

function variantRows(
  { variants, discriminator }: Extract<Shape, { kind: 'union' }>,
  path: string,
  context: TypeContext,
): readonly FieldRow[] {
  const withRows = variants
    .map((shape, index) => ({ shape, index, rows: rowsBelow(shape, path, context) }))
    .filter(({ rows }) => rows.length > 0)
  if (withRows.length < 2) return withRows.flatMap(({ rows }) => rows)
  return withRows.flatMap(({ shape, index, rows }) => {
    const field = shape.kind === 'object' ? shape.fields.find(({ name }) => name === discriminator) : undefined
    const values = field?.shape.kind === 'literals' ? field.shape.values.map((value) => [jsonCode(value)]) : []
    const tag =
      field === undefined || values.length === 0 ? [] : [': ', code(field.name), ' is ', ...joined(values, ' or ')]
    const head = {
      path: path === '' ? [] : [code(path)],
      type: [`variant ${index + 1}`, ...tag],
      rules: [],
      description: shape.schema.description,
    }
    return [head, ...rows]
  })
}

function rulesOf(shape: Shape, context: TypeContext): readonly Line[] {
  if (shape.kind === 'ref') {
    const inner = context.anchors.has(shape.name) ? undefined : contextWithin(shape.name, context)
    return inner === undefined ? [] : rulesOf(resolveShape(shape, context.defs), inner)
  }
  if (shape.kind === 'union') return shape.variants.flatMap((variant) => rulesOf(variant, context))
  const items = shape.kind === 'array' ? rulesOf(shape.items, context) : []
  return [...ownRules(shape.schema), ...items.map((rule) => ['each ', ...rule])]
}

/** Type descriptions omit these keywords. The JSON Schema on the page contains them. */
const furtherKeywords: readonly string[] = [
  ...['not', 'if', 'contains', 'dependentRequired', 'dependentSchemas', 'patternProperties', 'propertyNames'],
  ...['unevaluatedProperties', 'unevaluatedItems'],
]

function ownRules(schema: SchemaObject): readonly Line[] {
  const numberOf = (keyword: string): number | undefined => {
    const value = own(schema, keyword)
    return typeof value === 'number' ? value : undefined
  }
  const sizes = (kind: string, unit: string): readonly Line[] => {
    const [min, max] = [numberOf(`min${kind}`), numberOf(`max${kind}`)]
    const units = (count: number): string => `${count} ${unit}${count === 1 ? '' : 's'}`
    if (min !== undefined && max !== undefined) {
      return [[min === max ? `exactly ${units(min)}` : `${min} to ${units(max)}`]]
    }
    if (min !== undefined) return [[min === 1 ? 'not empty' : `at least ${units(min)}`]]
    return max === undefined ? [] : [[`at most ${units(max)}`]]
  }
  // Zod adds the bounds of safe integers to every integer.
  const bound = (keyword: string): number | undefined =>
    Math.abs(numberOf(keyword) ?? 0) === Number.MAX_SAFE_INTEGER ? undefined : numberOf(keyword)
  const [min, max] = [bound('minimum'), bound('maximum')]
  const isRange = min !== undefined && max !== undefined
  const numbers: readonly (readonly [string, number | undefined])[] = [
    ...(isRange ? [] : [['at least', min] as const, ['at most', max] as const]),
    ['more than', numberOf('exclusiveMinimum')],
    ['less than', numberOf('exclusiveMaximum')],
    ['a multiple of', numberOf('multipleOf')],
  ]
  return [
    ...sizes('Length', 'character'),
    ...patternRules(schema),
    ...(isRange ? [[min === max ? `exactly ${min}` : `${min} to ${max}`]] : []),
    ...numbers.flatMap(([words, limit]) => (limit === undefined ? [] : [[`${words} ${limit}`]])),
    ...sizes('Items', 'item'),
    ...(own(schema, 'uniqueItems') === true ? [['unique items']] : []),
    ...sizes('Properties', 'field'),
    ...(furtherKeywords.some((keyword) => Object.hasOwn(schema, keyword))
      ? [['other constraints in the JSON Schema']]
      : []),
    ...(own(schema, 'deprecated') === true ? [['deprecated']] : []),
  ]
}

function patternRules(schema: SchemaObject): readonly Line[] {
  const pattern = own(schema, 'pattern')
  // Zod writes this pattern for a date and time without offsets.
  if (pattern === 'Z$' && own(schema, 'format') === 'date-time') return [['in UTC, ends with ', code('Z')]]
  return typeof pattern === 'string' ? [['matches ', code(pattern)]] : []
}
