import { type Json, own, type SchemaObject } from '../schema/json-schema.js'
import { resolveShape, type Shape, type ShapeField } from '../schema/shape.js'
import { propertyNameText } from '../text.js'
import { type Block, code, joined, type Line, table } from './page.js'
import { contextWithin, jsonCode, type TypeContext, typeWords } from './type-text.js'

/** One line of a table of fields. */
interface FieldRow {
  /** Path of the field, such as `lines[].sku`. */
  readonly path: Line
  readonly type: Line
  /** Absent: the row is about a variant, and not about a field. */
  readonly required?: boolean
  readonly default?: Json
  readonly rules: readonly Line[]
  readonly description?: string
}

/**
 * All fields of a type with those inside them, in the order of the design. A definition that has a section of its own is not
 * gone into, so that a type which contains itself comes to an end.
 */
export function fieldRows(shape: Shape, context: TypeContext): readonly FieldRow[] {
  return rowsBelow(shape, '', context)
}

/** The rows of what a reference at the top leads to; references below it stay links. */
export function rootRows(shape: Shape, context: TypeContext): readonly FieldRow[] {
  return fieldRows(resolveShape(shape, context.defs), context)
}

function rowsBelow(shape: Shape, path: string, context: TypeContext): readonly FieldRow[] {
  switch (shape.kind) {
    case 'object':
      return [
        ...shape.fields.flatMap((field) => rowsOf(field, path, context)),
        ...(shape.additional === undefined ? [] : otherFields(shape.fields.length, shape.additional, path, context)),
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

function rowsOf(field: ShapeField, above: string, context: TypeContext): readonly FieldRow[] {
  const name = propertyNameText(field.name)
  const path = above === '' ? name : `${above}.${name}`
  const { shape, required, description } = field
  const row: FieldRow = {
    path: [code(path)],
    type: typeWords(shape, context),
    required,
    rules: rulesOf(shape, context),
    ...(field.default !== undefined && { default: field.default }),
    ...(description !== undefined && { description }),
  }
  return [row, ...rowsBelow(shape, path, context)]
}

/** The rules of a field and of the items in it; those of a definition with a section of its own stand there. */
function rulesOf(shape: Shape, context: TypeContext): readonly Line[] {
  if (shape.kind === 'ref') {
    const inside = context.anchors.has(shape.name) ? undefined : contextWithin(shape.name, context)
    return inside === undefined ? [] : rulesOf(resolveShape(shape, context.defs), inside)
  }
  if (shape.kind === 'union') return shape.variants.flatMap((variant) => rulesOf(variant, context))
  const inner = shape.kind === 'array' ? rulesOf(shape.items, context) : []
  return [...ruleWords(shape.schema), ...inner.map((rule) => ['each ', ...rule])]
}

/** Fields that no name is given for. What nobody restricts is not worth a line beside fields that have names. */
function otherFields(named: number, shape: Shape, path: string, context: TypeContext): readonly FieldRow[] {
  const above = path === '' ? '' : `${path}.`
  const below = rowsBelow(shape, `${above}*`, context)
  if (shape.kind === 'unknown' || (named === 0 && path !== '' && below.length === 0)) return []
  const description = own(shape.schema, 'description')
  const row: FieldRow = {
    path: [code(`${above}*`), named === 0 ? ' (any name)' : ' (any other name)'],
    type: typeWords(shape, context),
    required: false,
    rules: rulesOf(shape, context),
    ...(typeof description === 'string' && { description }),
  }
  return [row, ...below]
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
    const { description } = shape.schema
    const head: FieldRow = {
      path: path === '' ? [] : [code(path)],
      type: [`variant ${index + 1}`, ...distinction(shape, discriminator)],
      rules: [],
      ...(typeof description === 'string' && { description }),
    }
    return [head, ...rows]
  })
}

/** By what a variant is told from the others. */
function distinction(shape: Shape, discriminator: string | undefined): Line {
  const field = shape.kind === 'object' ? shape.fields.find(({ name }) => name === discriminator) : undefined
  if (field?.shape.kind !== 'literals') return []
  const values = field.shape.values.flatMap((value, index) =>
    index === 0 ? [jsonCode(value)] : [' or ', jsonCode(value)],
  )
  return [': ', code(field.name), ' is ', ...values]
}

/** Fields as a table; columns of which no field has anything are left out. */
export function fieldTable(rows: readonly FieldRow[], head: string): readonly Block[] {
  return table(
    [head, 'Type', 'Required', 'Default', 'Rules', 'Description'],
    rows.map((row) => [
      row.path,
      row.type,
      requiredWords(row),
      row.default === undefined ? [] : [jsonCode(row.default)],
      joined(row.rules, '; '),
      row.description === undefined ? [] : [row.description.trim()],
    ]),
  )
}

function requiredWords({ required }: FieldRow): Line {
  if (required === undefined) return []
  return [required ? 'yes' : 'no']
}

/** Keywords that restrict a value in ways that only the schema itself can say. */
const further = [
  'not',
  'if',
  'contains',
  'dependentRequired',
  'dependentSchemas',
  'patternProperties',
  'propertyNames',
  'unevaluatedProperties',
  'unevaluatedItems',
]

/** Returns the constraints of a schema in addition to its type, one line each. */
function ruleWords(schema: SchemaObject): readonly Line[] {
  return [
    ...range(schema, ['minLength', 'maxLength'], 'character'),
    ...patternOf(schema),
    ...bounds(schema),
    ...range(schema, ['minItems', 'maxItems'], 'item'),
    ...(own(schema, 'uniqueItems') === true ? [['no item twice']] : []),
    ...range(schema, ['minProperties', 'maxProperties'], 'field'),
    ...(further.some((keyword) => Object.hasOwn(schema, keyword)) ? [['further rules in the JSON Schema']] : []),
    ...(own(schema, 'deprecated') === true ? [['deprecated']] : []),
  ]
}

function range(schema: SchemaObject, [low, high]: readonly [string, string], unit: string): readonly Line[] {
  const [least, most] = [numberOf(schema, low), numberOf(schema, high)]
  const units = (count: number): string => `${count} ${unit}${count === 1 ? '' : 's'}`
  if (least !== undefined && most !== undefined) {
    return [[least === most ? `exactly ${units(least)}` : `${least} to ${units(most)}`]]
  }
  if (least === 1) return [['not empty']]
  if (least !== undefined) return [[`at least ${units(least)}`]]
  return most === undefined ? [] : [[`at most ${units(most)}`]]
}

function bounds(schema: SchemaObject): readonly Line[] {
  // Zod gives every integer the bounds of what a double can hold exactly.
  const known = (keyword: string): number | undefined => {
    const bound = numberOf(schema, keyword)
    return bound === undefined || Math.abs(bound) === Number.MAX_SAFE_INTEGER ? undefined : bound
  }
  const [low, high] = [known('minimum'), known('maximum')]
  const within =
    low !== undefined && high !== undefined ? [[low === high ? `exactly ${low}` : `${low} to ${high}`]] : []
  const one: [string, number | undefined][] = [
    ['at least', within.length === 0 ? low : undefined],
    ['at most', within.length === 0 ? high : undefined],
    ['more than', numberOf(schema, 'exclusiveMinimum')],
    ['less than', numberOf(schema, 'exclusiveMaximum')],
    ['a multiple of', numberOf(schema, 'multipleOf')],
  ]
  return [...within, ...one.flatMap(([words, bound]) => (bound === undefined ? [] : [[`${words} ${bound}`]]))]
}

function patternOf(schema: SchemaObject): readonly Line[] {
  const pattern = own(schema, 'pattern')
  // What Zod writes of a date and time without offsets.
  if (pattern === 'Z$' && own(schema, 'format') === 'date-time') return [['in UTC, ends with ', code('Z')]]
  return typeof pattern === 'string' ? [['matches ', code(pattern)]] : []
}

function numberOf(schema: SchemaObject, keyword: string): number | undefined {
  const value: Json | undefined = own(schema, keyword)
  return typeof value === 'number' ? value : undefined
}
