import { entriesOf, type Json, own, type Schema, type SchemaObject, stringsOf } from '../schema/json-schema.js'
import { flatLiteral, stringText } from '../text.js'
import {
  all,
  any,
  type Code,
  type CodecScope,
  code,
  isAbsent,
  isPresent,
  modeCode,
  type Operand,
  typed,
} from './code.js'
import { parameterName } from './field-reads.js'
import { calledWith } from './function-maker.js'
import { typeNamed } from './nested-schemas.js'
import { type FieldRules, objectParts } from './object-parts.js'
import { numberOf, strictest, subschema, subschemas } from './schema-reading.js'

export type PartGuard = (schema: Schema, operand: Operand) => Code | undefined

const maxComparedLiterals = 12

const formatGuards: ReadonlyMap<unknown, string> = new Map([
  ['date-time', 'dateTime'],
  ['uri-reference', 'uriReference'],
  ...['date', 'time', 'duration', 'email', 'uri', 'uuid', 'ipv4', 'ipv6', 'hostname', 'regex'].map(
    (format) => [format, format] as const,
  ),
])

/**
 * In a condition such as `if`, the type guard only rejects `undefined`, because the type guard of the whole value has checked that the value is JSON.
 */
export function anyJson({ value, mode }: Operand): Code {
  return code(mode === 'm' ? `is.any(${value})` : `${value} !== undefined`)
}

export function literalGuard(values: readonly Json[], operand: Operand, scope: CodecScope): Code {
  const isContainer = (value: Json): boolean => typeof value === 'object' && value !== null
  const { value: subject } = operand
  if (values.length <= maxComparedLiterals) {
    const equal = values.map((value) =>
      code(isContainer(value) ? `is.equal(${subject}, ${flatLiteral(value)})` : `${subject} === ${flatLiteral(value)}`),
    )
    return any(equal) ?? code('false')
  }
  const name = scope.claim(constantName(operand, 'Values'))
  const [type, make] = values.some(isContainer) ? ['is.Literals', 'is.literals'] : ['ReadonlySet<unknown>', 'new Set']
  scope.declare(name, `const ${name}${typed(scope, type)} = /* @__PURE__ */ ${make}(${flatLiteral(values)})`)
  return code(`${name}.has(${subject})`)
}

function constantName({ stem }: Operand, role: string): string {
  return `${stem.charAt(0).toLowerCase()}${stem.slice(1)}${role}`
}

function declarePattern(pattern: string, name: string, scope: CodecScope): string {
  const claimed = scope.claim(name)
  scope.declare(
    claimed,
    // The runtime matches the pattern, because some patterns are not safe as `RegExp`.
    `const ${claimed}${typed(scope, 'is.Pattern')} = /* @__PURE__ */ is.pattern(${stringText(pattern)})`,
  )
  return claimed
}

export function stringGuard(conjuncts: readonly SchemaObject[], operand: Operand, scope: CodecScope): Code | undefined {
  const { value } = operand
  const distinct = (keyword: string): readonly unknown[] => [
    ...new Set(conjuncts.map((conjunct) => own(conjunct, keyword))),
  ]
  const type = typeNamed(conjuncts)
  if (type !== undefined) {
    const isSole = distinct('x-js').filter((name) => name !== undefined).length === 1
    return isSole && hasOnlyType(conjuncts) ? code(`is.typed(${value}, ${stringText(type)})`) : undefined
  }
  const min = strictest(conjuncts, 'minLength', Math.max)
  const max = strictest(conjuncts, 'maxLength', Math.min)
  const formats = distinct('format').flatMap((format) => formatGuards.get(format) ?? [])
  const patterns = distinct('pattern').filter((pattern) => typeof pattern === 'string')
  const isBounded = min !== undefined || max !== undefined
  const plain = formats.length === 0 ? [code(`typeof ${value} === 'string'`)] : []
  return all([
    ...(isBounded ? [code(`is.string(${bounded(value, min ?? 0, max)})`)] : plain),
    ...formats.map((format) => code(`is.${format}(${value})`)),
    ...patterns.map((pattern) =>
      code(`${declarePattern(pattern, constantName(operand, 'Pattern'), scope)}.test(${value})`),
    ),
  ])
}

function hasOnlyType(conjuncts: readonly SchemaObject[]): boolean {
  return conjuncts.every((conjunct) => {
    const isTyped = own(conjunct, 'x-js') !== undefined
    const rules = ['minLength', 'const', 'enum', ...(isTyped ? [] : ['pattern', 'format', 'maxLength'])]
    return !rules.some((keyword) => Object.hasOwn(conjunct, keyword))
  })
}

export function numberGuard(
  conjuncts: readonly SchemaObject[],
  { value }: Operand,
  isInteger: boolean,
): Code | undefined {
  const min = strictest(conjuncts, 'minimum', Math.max)
  const max = strictest(conjuncts, 'maximum', Math.min)
  const above = strictest(conjuncts, 'exclusiveMinimum', Math.max)
  const below = strictest(conjuncts, 'exclusiveMaximum', Math.min)
  const steps = conjuncts.flatMap((conjunct) => numberOf(conjunct, 'multipleOf') ?? [])
  const isBounded = min !== undefined || max !== undefined
  return all([
    isBounded
      ? code(`is.${isInteger ? 'integer' : 'number'}(${bounded(value, min ?? Number.NEGATIVE_INFINITY, max)})`)
      : code(`Number.${isInteger ? 'isInteger' : 'isFinite'}(${value})`),
    ...(above === undefined ? [] : [code(`${value} > ${above}`)]),
    ...(below === undefined ? [] : [code(`${value} < ${below}`)]),
    ...steps.map((step) => code(`is.multipleOf(${value}, ${step})`)),
  ])
}

function bounded(value: string, min: number | undefined, max: number | undefined): string {
  if (max !== undefined) return `${value}, ${min ?? 0}, ${max}`
  return min === undefined ? value : `${value}, ${min}`
}

export function arrayGuard(conjuncts: readonly SchemaObject[], operand: Operand, part: PartGuard): Code | undefined {
  if (conjuncts.some((conjunct) => own(conjunct, 'unevaluatedItems') !== undefined)) return undefined
  const { value, mode } = operand
  const min = strictest(conjuncts, 'minItems', Math.max)
  const closed = conjuncts
    .filter((conjunct) => subschema(conjunct, 'items') === false)
    .map((conjunct) => subschemas(conjunct, 'prefixItems').length)
  const limit = Math.min(strictest(conjuncts, 'maxItems', Math.min) ?? Infinity, ...closed)
  const max = limit === Infinity ? undefined : limit
  // A schema that applies the same rule to every item.
  const whole = conjuncts.find((conjunct) => {
    const items = subschema(conjunct, 'items')
    return items !== undefined && items !== false && subschemas(conjunct, 'prefixItems').length === 0
  })
  const isItemised = conjuncts.some((conjunct) => subschema(conjunct, 'items') !== undefined)
  const ofAny = isItemised || mode !== 'm' ? undefined : 'is.any'
  const item = whole === undefined ? ofAny : itemGuard(whole, operand, part)
  if (whole !== undefined && item === undefined) return undefined
  const isBounded = min !== undefined || max !== undefined
  return all([
    item === undefined
      ? code(isBounded ? `is.array(${bounded(value, min, max)})` : `Array.isArray(${value})`)
      : modeCode(`is.arrayOf(${bounded(`${value}, ${item}, ${mode}`, min, max)})`, mode),
    ...conjuncts
      .filter((conjunct) => conjunct !== whole)
      .flatMap((conjunct) => itemGuards(conjunct, min ?? 0, operand, part)),
    ...(conjuncts.some((conjunct) => own(conjunct, 'uniqueItems') === true) ? [code(`is.unique(${value})`)] : []),
    ...conjuncts.map((conjunct) => containsGuard(conjunct, operand, part)),
  ])
}

function itemGuard(conjunct: SchemaObject, operand: Operand, part: PartGuard): string | undefined {
  return guardArgument(subschema(conjunct, 'items') ?? true, operand, 'Item', part)
}

function itemGuards(
  conjunct: SchemaObject,
  min: number,
  operand: Operand,
  part: PartGuard,
): readonly (Code | undefined)[] {
  const { value: array, mode } = operand
  const first = subschemas(conjunct, 'prefixItems')
  const rest = subschema(conjunct, 'items')
  const guards = first.map((schema, index) => {
    const guard = part(schema, { mode, value: `${array}[${index}]`, stem: `${operand.stem}Item${index + 1}` })
    return index < min ? guard : any([code(`${array}.length <= ${index}`), guard])
  })
  if (rest === undefined || rest === false) return guards
  const guard = itemGuard(conjunct, operand, part)
  if (guard === undefined) return [undefined]
  const from = first.length === 0 ? '' : `, ${first.length}`
  return [...guards, modeCode(`is.each(${array}, ${guard}, ${mode}${from})`, mode)]
}

function containsGuard(conjunct: SchemaObject, operand: Operand, part: PartGuard): Code | undefined {
  const schema = subschema(conjunct, 'contains')
  if (schema === undefined) return code('true')
  const guard = guardArgument(schema, { ...operand, mode: 'is.loose' }, 'Contained', part)
  if (guard === undefined) return undefined
  const min = numberOf(conjunct, 'minContains')
  const max = numberOf(conjunct, 'maxContains')
  const bounds = max === undefined ? (min === undefined ? '' : `, ${min}`) : `, ${min ?? 1}, ${max}`
  return code(`is.contains(${operand.value}, ${guard}, is.loose${bounds})`)
}

/**
 * Matches runtime guards with a limit as second argument, such as `is.string`. The second argument of other guards is `m`, which determines whether
 * objects can have undeclared fields.
 */
const withBounds = /\.(?:string|array|integer|number)$/

function guardArgument(schema: Schema, operand: Operand, role: string, part: PartGuard): string | undefined {
  const guard = part(schema, { value: 'v', stem: `${operand.stem}${role}`, mode: operand.mode })
  if (guard === undefined) return undefined
  const name = calledWith(guard.text, 'v')
  if (name !== undefined && !withBounds.test(name)) return name
  // The called function has the same parameters, so it can be passed directly.
  const modal = calledWith(guard.text, `v, ${operand.mode}`)
  if (modal !== undefined && !modal.includes('.')) return modal
  const value = parameterName('v', guard.text)
  return guard.usesMode ? `(${value}, m) => ${guard.text}` : `(${value}) => ${guard.text}`
}

export function objectGuard(
  conjuncts: readonly SchemaObject[],
  operand: Operand,
  field: (name: string) => Operand,
  scope: CodecScope,
  part: PartGuard,
): Code | undefined {
  const { value, mode } = operand
  const { fields, required, rules, isClosed } = objectParts(conjuncts)
  const presentCount = (names: Iterable<string>): string => {
    const all = [...names]
    const optional = all.filter((name) => !required.has(name))
    const counts = optional.map((name) => `is.has(${field(name).value})`)
    const fixed = all.length - optional.length
    return [...(fixed > 0 || counts.length === 0 ? [String(fixed)] : []), ...counts].join(' + ')
  }
  const sealed = (names: Iterable<string>): Code =>
    modeCode(`is.sealed(${value}, ${presentCount(names)}, ${mode})`, mode)

  const rest = (names: readonly string[], schema: Schema | undefined, patterns: FieldRules['patterns']) => {
    const guard =
      schema === undefined ? 'is.extra' : schema === false ? 'is.never' : guardArgument(schema, operand, 'Value', part)
    const matches = patterns.map(([pattern, matched]) => {
      const matchGuard = guardArgument(matched, operand, 'Value', part)
      const name = declarePattern(pattern, constantName(operand, 'Names'), scope)
      return matchGuard && `[${name}, ${matchGuard}]`
    })
    if (guard === undefined || matches.includes(undefined)) return undefined
    const last = matches.length === 0 ? '' : `, [${matches.join(', ')}]`
    return modeCode(`is.rest(${value}, ${flatLiteral(names)}, ${mode}, ${guard}${last})`, mode)
  }

  const otherFields = ({ properties, patterns, others }: FieldRules): Code | undefined => {
    const names = properties.map(([name]) => name)
    if (patterns.length === 0) {
      if (others === undefined) return code('true')
      return others === false ? sealed(names) : rest(names, others, [])
    }
    if (others !== undefined || !isClosed) return rest(names, others ?? true, patterns)
    // If several schemas declare fields, only the interpreter can find fields that are undeclared.
    const declaring = rules.filter((one) => one.properties.length + one.patterns.length > 0)
    return declaring.length > 1 ? undefined : rest(names, undefined, patterns)
  }

  const unevaluated = (): Code | undefined => {
    const ruling = conjuncts.filter((conjunct) => own(conjunct, 'unevaluatedProperties') !== undefined)
    const [rule] = ruling
    // `unevaluatedProperties: true` also allows further fields in objects with listed fields.
    if (ruling.every((one) => one.unevaluatedProperties === true)) {
      return rule !== undefined && isClosed ? undefined : code('true')
    }
    const isPlain = rule === conjuncts[0] && ruling.length === 1 && rule?.unevaluatedProperties === false
    const isKnown = isPlain && isClosed && rules.every(({ patterns }) => patterns.length === 0)
    return isKnown ? sealed(fields.keys()) : undefined
  }

  const unmentioned = (): Code => {
    if (rules.some(({ others, patterns }) => others !== undefined || patterns.length > 0)) return code('true')
    if (!isClosed) return anyJson(operand)
    return modeCode(`is.closed(${value}, ${presentCount(fields.keys())}, ${mode})`, mode)
  }

  return all([
    code(`is.object(${value})`),
    ...[...fields].map(([name, schemas]) => {
      const one = field(name)
      const guard = all(schemas.map((schema) => part(schema, one)))
      return required.has(name) ? guard : any([isAbsent(one), guard])
    }),
    // Required fields that are not declared can be any JSON value.
    ...[...required].filter((name) => !fields.has(name)).map((name) => anyJson(field(name))),
    ...rules.map(otherFields),
    unevaluated(),
    unmentioned(),
    ...conjuncts.flatMap((conjunct) => sizeGuards(conjunct, operand, field, part)),
  ])
}

function sizeGuards(
  schema: SchemaObject,
  operand: Operand,
  field: (name: string) => Operand,
  part: PartGuard,
): readonly (Code | undefined)[] {
  const { value, mode } = operand
  const min = numberOf(schema, 'minProperties')
  const max = numberOf(schema, 'maxProperties')
  const names = subschema(schema, 'propertyNames')
  const guards: (Code | undefined)[] = []
  if (min !== undefined || max !== undefined) guards.push(code(`is.size(${bounded(value, min ?? 0, max)})`))
  if (names !== undefined) {
    const guard = guardArgument(names, operand, 'Name', part)
    guards.push(guard === undefined ? undefined : modeCode(`is.propertyNames(${value}, ${guard}, ${mode})`, mode))
  }
  for (const [name, needed] of entriesOf(schema, 'dependentRequired')) {
    const absent = isAbsent(field(name))
    for (const other of stringsOf({ needed }, 'needed')) guards.push(any([absent, isPresent(field(other))]))
  }
  return guards
}
