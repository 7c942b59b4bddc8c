import { entriesOf, own, type Schema, type SchemaObject, stringsOf } from '../schema/json-schema.js'
import { flatLiteral } from '../text.js'
import { all, any, anyJson, type Code, type CodecScope, code, modeCode, type Operand } from './codec-scope.js'
import { numberOf, subschema } from './conjuncts.js'
import { type FieldRules, type ObjectParts, objectParts } from './parts.js'
import { checkArgument, type PartCheck, patternText } from './scalar-checks.js'
import { isAbsent, isPresent } from './scope.js'

/** An object that is checked. */
export interface ObjectOperand extends Operand {
  /** The place of a field. */
  readonly field: (name: string) => Operand
}

/** Checks what schemas that all apply say of an object and its fields. */
export function objectCheck(
  conjuncts: readonly SchemaObject[],
  operand: ObjectOperand,
  scope: CodecScope,
  part: PartCheck,
): Code | undefined {
  const parts = objectParts(conjuncts)
  return all([
    code(`${scope.words.is}.object(${operand.value})`),
    ...fieldChecks(parts, operand, part),
    ...requiredChecks(parts, operand, scope),
    ...parts.rules.map((rules) => otherFields(rules, parts, operand, scope, part)),
    unevaluatedCheck(conjuncts, parts, operand, scope),
    openCheck(parts, operand, scope),
    ...conjuncts.flatMap((conjunct) => sizeChecks(conjunct, operand, scope, part)),
  ])
}

function fieldChecks(parts: ObjectParts, operand: ObjectOperand, part: PartCheck): readonly (Code | undefined)[] {
  return [...parts.fields].map(([name, schemas]) => {
    const field = operand.field(name)
    const check = all(schemas.map((schema) => part(schema, field)))
    return parts.required.has(name) ? check : any([isAbsent(field), check])
  })
}

/** Fields that are required and declared nowhere may be any JSON. */
function requiredChecks({ fields, required }: ObjectParts, operand: ObjectOperand, scope: CodecScope): readonly Code[] {
  return [...required].filter((name) => !fields.has(name)).map((name) => code(anyJson(operand.field(name), scope)))
}

/** Checks the fields besides the declared ones where a schema says what they may be. */
function otherFields(
  { properties, patterns, others }: FieldRules,
  parts: ObjectParts,
  operand: ObjectOperand,
  scope: CodecScope,
  part: PartCheck,
): Code | undefined {
  const { is } = scope.words
  const names = properties.map(([name]) => name)
  if (patterns.length === 0) {
    if (others === undefined) return code('true')
    if (others === false)
      return modeCode(
        `${is}.sealed(${operand.value}, ${presentCount(names, parts, operand, scope)}, ${operand.mode})`,
        operand.mode,
      )
    return othersCall(names, others, [], operand, scope, part)
  }
  if (others !== undefined || !parts.isClosed) return othersCall(names, others ?? true, patterns, operand, scope, part)
  // Which fields are undeclared, all schemas say together.
  const speaking = parts.rules.filter((rules) => rules.properties.length + rules.patterns.length > 0)
  return speaking.length > 1 ? undefined : othersCall(names, undefined, patterns, operand, scope, part)
}

function othersCall(
  names: readonly string[],
  rest: Schema | undefined,
  patterns: readonly (readonly [string, Schema])[],
  operand: ObjectOperand,
  scope: CodecScope,
  part: PartCheck,
): Code | undefined {
  const { is } = scope.words
  const restCheck =
    rest === undefined ? `${is}.extra` : rest === false ? `${is}.never` : checkArgument(rest, operand, 'Value', part)
  const matches = patterns.map(([pattern, schema]) => {
    const check = checkArgument(schema, operand, 'Value', part)
    const name = scope.claim(`${operand.stem.charAt(0).toLowerCase()}${operand.stem.slice(1)}Names`)
    scope.declare(name, () => patternText(name, pattern, scope))
    return check && `[${name}, ${check}]`
  })
  if (restCheck === undefined || matches.includes(undefined)) return undefined
  const last = matches.length === 0 ? '' : `, [${matches.join(', ')}]`
  return modeCode(
    `${is}.rest(${operand.value}, ${flatLiteral(names)}, ${operand.mode}, ${restCheck}${last})`,
    operand.mode,
  )
}

/** `unevaluatedProperties: false` where nothing but the declared fields can be evaluated. */
function unevaluatedCheck(
  conjuncts: readonly SchemaObject[],
  parts: ObjectParts,
  operand: ObjectOperand,
  scope: CodecScope,
): Code | undefined {
  const rules = conjuncts.filter((conjunct) => own(conjunct, 'unevaluatedProperties') !== undefined)
  const [rule] = rules
  // A schema that takes everything also opens objects whose fields are listed.
  if (rules.every((one) => one.unevaluatedProperties === true)) {
    return rule !== undefined && parts.isClosed ? undefined : code('true')
  }
  const isPlain = rule === conjuncts[0] && rules.length === 1 && rule?.unevaluatedProperties === false
  if (!isPlain || !parts.isClosed || parts.rules.some(({ patterns }) => patterns.length > 0)) return undefined
  const count = presentCount([...parts.fields.keys()], parts, operand, scope)
  return modeCode(`${scope.words.is}.sealed(${operand.value}, ${count}, ${operand.mode})`, operand.mode)
}

/** What becomes of fields that no schema speaks of. */
function openCheck(parts: ObjectParts, operand: ObjectOperand, scope: CodecScope): Code {
  const { is } = scope.words
  const isSpokenOf = parts.rules.some(({ others, patterns }) => others !== undefined || patterns.length > 0)
  if (isSpokenOf) return code('true')
  const count = presentCount([...parts.fields.keys()], parts, operand, scope)
  return parts.isClosed
    ? modeCode(`${is}.closed(${operand.value}, ${count}, ${operand.mode})`, operand.mode)
    : code(anyJson(operand, scope))
}

/** How many of the named fields are there: the required ones, and those of the others that are. */
function presentCount(
  names: readonly string[],
  { required }: ObjectParts,
  operand: ObjectOperand,
  scope: CodecScope,
): string {
  const optional = names.filter((name) => !required.has(name))
  const counts = optional.map((name) => `${scope.words.is}.has(${operand.field(name).value})`)
  const fixed = names.length - optional.length
  return [...(fixed > 0 || counts.length === 0 ? [String(fixed)] : []), ...counts].join(' + ')
}

function sizeChecks(
  schema: SchemaObject,
  operand: ObjectOperand,
  scope: CodecScope,
  part: PartCheck,
): readonly (Code | undefined)[] {
  const { is } = scope.words
  const least = numberOf(schema, 'minProperties')
  const most = numberOf(schema, 'maxProperties')
  const names = subschema(schema, 'propertyNames')
  const checks: (Code | undefined)[] = []
  if (least !== undefined || most !== undefined) {
    checks.push(code(`${is}.size(${operand.value}, ${least ?? 0}${most === undefined ? '' : `, ${most}`})`))
  }
  if (names !== undefined) {
    const check = checkArgument(names, operand, 'Name', part)
    checks.push(
      check === undefined
        ? undefined
        : modeCode(`${is}.propertyNames(${operand.value}, ${check}, ${operand.mode})`, operand.mode),
    )
  }
  for (const [name, needed] of entriesOf(schema, 'dependentRequired')) {
    const absent = isAbsent(operand.field(name))
    for (const other of stringsOf({ needed }, 'needed')) {
      checks.push(any([absent, isPresent(operand.field(other))]))
    }
  }
  return checks
}
