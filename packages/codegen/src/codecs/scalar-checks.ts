import { isObject, type Json, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { flatLiteral, stringText } from '../text.js'
import { all, any, type Code, type CodecScope, code, modeCode, type Operand, typed } from './codec-scope.js'
import { type Defs, numberOf, strictest, subschema, subschemas } from './conjuncts.js'
import { hasKeyword, visits } from './parts.js'
import { calledWith, parameterName } from './scope.js'

/** More literals than this are looked up in a set. */
const longestChain = 12

/** The checks of the formats that are asserted. */
const formatWords: ReadonlyMap<string, string> = new Map([
  ['date-time', 'dateTime'],
  ['date', 'date'],
  ['time', 'time'],
  ['duration', 'duration'],
  ['email', 'email'],
  ['uri', 'uri'],
  ['uri-reference', 'uriReference'],
  ['uuid', 'uuid'],
  ['ipv4', 'ipv4'],
  ['ipv6', 'ipv6'],
  ['hostname', 'hostname'],
  ['regex', 'regex'],
])

/** Checks that a value is one of a list. */
export function literalCheck(values: readonly Json[], operand: Operand, scope: CodecScope): Code {
  const { is } = scope.words
  const isContainer = (value: Json): boolean => typeof value === 'object' && value !== null
  if (values.length <= longestChain) {
    const equal = values.map((value) =>
      code(
        isContainer(value)
          ? `${is}.equal(${operand.value}, ${flatLiteral(value)})`
          : `${operand.value} === ${flatLiteral(value)}`,
      ),
    )
    return any(equal) ?? code('false')
  }
  const name = scope.claim(`${decapitalised(operand.stem)}Values`)
  const [type, made] = values.some(isContainer)
    ? [`${is}.Literals`, `${is}.literals`]
    : ['ReadonlySet<unknown>', 'new Set']
  scope.declare(name, () => `const ${name}${typed(scope, type)} = /* @__PURE__ */ ${made}(${flatLiteral(values)})`)
  return code(`${name}.has(${operand.value})`)
}

/** Checks a text. */
export function stringCheck(conjuncts: readonly SchemaObject[], operand: Operand, scope: CodecScope): Code | undefined {
  const { is } = scope.words
  const type = typeNamed(conjuncts)
  if (type !== undefined) {
    return saysOnlyType(conjuncts) && !namesSeveral(conjuncts)
      ? code(`${is}.typed(${operand.value}, ${stringText(type)})`)
      : undefined
  }
  const least = strictest(conjuncts, 'minLength', Math.max)
  const most = strictest(conjuncts, 'maxLength', Math.min)
  const formats = new Set(conjuncts.map((conjunct) => own(conjunct, 'format')))
  const words = [...formats].map((format) => (typeof format === 'string' ? formatWords.get(format) : undefined))
  const asserted = words.filter((word) => word !== undefined).map((word) => code(`${is}.${word}(${operand.value})`))
  const patterns = [...new Set(conjuncts.map((conjunct) => own(conjunct, 'pattern')))].filter(
    (pattern) => typeof pattern === 'string',
  )
  const isBounded = least !== undefined || most !== undefined
  const plain = asserted.length === 0 ? [code(`typeof ${operand.value} === 'string'`)] : []
  const length = isBounded ? [code(`${is}.string(${bounded(operand.value, least ?? 0, most)})`)] : plain
  const matched = patterns.map((pattern) => {
    const name = scope.claim(`${decapitalised(operand.stem)}Pattern`)
    scope.declare(name, () => patternText(name, pattern, scope))
    return code(`${name}.test(${operand.value})`)
  })
  return all([...length, ...asserted, ...matched])
}

/** Checks a number. */
export function numberCheck(
  conjuncts: readonly SchemaObject[],
  operand: Operand,
  scope: CodecScope,
  isWhole: boolean,
): Code | undefined {
  const { is } = scope.words
  const { value } = operand
  const least = strictest(conjuncts, 'minimum', Math.max)
  const most = strictest(conjuncts, 'maximum', Math.min)
  const above = strictest(conjuncts, 'exclusiveMinimum', Math.max)
  const below = strictest(conjuncts, 'exclusiveMaximum', Math.min)
  const steps = conjuncts.map((conjunct) => numberOf(conjunct, 'multipleOf')).filter((step) => step !== undefined)
  const isBounded = least !== undefined || most !== undefined
  return all([
    isBounded
      ? code(`${is}.${isWhole ? 'integer' : 'number'}(${bounded(value, least ?? Number.NEGATIVE_INFINITY, most)})`)
      : code(`Number.${isWhole ? 'isInteger' : 'isFinite'}(${value})`),
    ...(above === undefined ? [] : [code(`${value} > ${above}`)]),
    ...(below === undefined ? [] : [code(`${value} < ${below}`)]),
    ...steps.map((step) => code(`${is}.multipleOf(${value}, ${step})`)),
  ])
}

/** The arguments of a check with optional bounds. */
function bounded(value: string, least: number | undefined, most: number | undefined): string {
  if (most !== undefined) return `${value}, ${least ?? 0}, ${most}`
  return least === undefined ? value : `${value}, ${least}`
}

/** A name as constants begin. */
function decapitalised(stem: string): string {
  return stem.charAt(0).toLowerCase() + stem.slice(1)
}

/**
 * The declaration of a pattern of JSON Schema. The runtime decides how it is matched: not every pattern is safe as a regular
 * expression of JavaScript.
 */
export function patternText(name: string, pattern: string, scope: Pick<CodecScope, 'language' | 'words'>): string {
  const { is } = scope.words
  return `const ${name}${typed(scope, `${is}.Pattern`)} = /* @__PURE__ */ ${is}.pattern(${stringText(pattern)})`
}

/** The JavaScript type that schemas which all apply name for a text; `undefined` where none does. */
export function typeNamed(conjuncts: readonly SchemaObject[]): string | undefined {
  const name = conjuncts.map((conjunct) => own(conjunct, 'x-js')).find((type) => type !== undefined)
  return typeof name === 'string' ? name : undefined
}

/** Whether schemas which all apply name more than one type, of which no text is both. */
function namesSeveral(conjuncts: readonly SchemaObject[]): boolean {
  return new Set(conjuncts.map((conjunct) => own(conjunct, 'x-js')).filter((type) => type !== undefined)).size > 1
}

/** Whether schemas say nothing of a typed text but what its type says. */
function saysOnlyType(conjuncts: readonly SchemaObject[]): boolean {
  return conjuncts.every((conjunct) => {
    const isTyped = own(conjunct, 'x-js') !== undefined
    const rules = ['minLength', 'const', 'enum', ...(isTyped ? [] : ['pattern', 'format', 'maxLength'])]
    return !rules.some((keyword) => Object.hasOwn(conjunct, keyword))
  })
}

/** Whether what is typed depends on conditions. */
export function conditionsNameType(conjuncts: readonly SchemaObject[], defs: Defs): boolean {
  return conjuncts.some((conjunct) =>
    ['if', 'then', 'else', 'dependentSchemas'].some((keyword) => {
      const part = own(conjunct, keyword)
      return isObject(part) && visits({ properties: part, allOf: [part] }, defs, (inner) => hasKeyword(inner, 'x-js'))
    }),
  )
}

/** Checks what schemas that all apply say of an array and its items. */
export function arrayCheck(
  conjuncts: readonly SchemaObject[],
  operand: Operand,
  scope: CodecScope,
  part: PartCheck,
): Code | undefined {
  const { is } = scope.words
  if (conjuncts.some((conjunct) => own(conjunct, 'unevaluatedItems') !== undefined)) return undefined
  const least = strictest(conjuncts, 'minItems', Math.max)
  const closed = conjuncts
    .filter((conjunct) => subschema(conjunct, 'items') === false)
    .map((conjunct) => subschemas(conjunct, 'prefixItems').length)
  const most = [strictest(conjuncts, 'maxItems', Math.min) ?? Infinity, ...closed].reduce((a, b) => Math.min(a, b))
  const isUnique = conjuncts.some((conjunct) => own(conjunct, 'uniqueItems') === true)
  const bounds = [least, most === Infinity ? undefined : most] as const
  const whole = conjuncts.find(speaksOfAllAlike)
  const every = whole === undefined ? unspokenOf(conjuncts, operand, scope) : itemCheck(whole, operand, part)
  if (whole !== undefined && every === undefined) return undefined
  return all([
    every === undefined
      ? code(
          isBounded(bounds) ? `${is}.array(${bounded(operand.value, ...bounds)})` : `Array.isArray(${operand.value})`,
        )
      : modeCode(`${is}.arrayOf(${bounded(`${operand.value}, ${every}, ${operand.mode}`, ...bounds)})`, operand.mode),
    ...conjuncts
      .filter((conjunct) => conjunct !== whole)
      .flatMap((conjunct) => itemChecks(conjunct, least ?? 0, operand, scope, part)),
    ...(isUnique ? [code(`${is}.unique(${operand.value})`)] : []),
    ...conjuncts.map((conjunct) => containsCheck(conjunct, operand, scope, part)),
  ])
}

function isBounded(bounds: readonly (number | undefined)[]): boolean {
  return bounds.some((bound) => bound !== undefined)
}

/** Whether a schema gives one rule for every item. */
function speaksOfAllAlike(conjunct: SchemaObject): boolean {
  const items = subschema(conjunct, 'items')
  return items !== undefined && items !== false && subschemas(conjunct, 'prefixItems').length === 0
}

/** The check of items of which no schema speaks; `undefined` where they need none. */
function unspokenOf(conjuncts: readonly SchemaObject[], { mode }: Operand, { words }: CodecScope): string | undefined {
  return isItemised(conjuncts) || mode !== 'm' ? undefined : `${words.is}.any`
}

function itemCheck(conjunct: SchemaObject, operand: Operand, part: PartCheck): string | undefined {
  return checkArgument(subschema(conjunct, 'items') ?? true, operand, 'Item', part)
}

/** Whether some schema speaks of every item. */
function isItemised(conjuncts: readonly SchemaObject[]): boolean {
  return conjuncts.some((conjunct) => subschema(conjunct, 'items') !== undefined)
}

function itemChecks(
  conjunct: SchemaObject,
  least: number,
  operand: Operand,
  scope: CodecScope,
  part: PartCheck,
): readonly (Code | undefined)[] {
  const first = subschemas(conjunct, 'prefixItems')
  const rest = subschema(conjunct, 'items')
  const checks = first.map((schema, index) => {
    const value = `${operand.value}[${index}]`
    const check = part(schema, { mode: operand.mode, value, stem: `${operand.stem}Item${index + 1}` })
    return index < least ? check : any([code(`${operand.value}.length <= ${index}`), check])
  })
  if (rest === undefined || rest === false) return checks
  const check = itemCheck(conjunct, operand, part)
  if (check === undefined) return [undefined]
  const from = first.length === 0 ? '' : `, ${first.length}`
  return [
    ...checks,
    modeCode(`${scope.words.is}.each(${operand.value}, ${check}, ${operand.mode}${from})`, operand.mode),
  ]
}

function containsCheck(conjunct: SchemaObject, operand: Operand, scope: CodecScope, part: PartCheck): Code | undefined {
  const { is } = scope.words
  const schema = subschema(conjunct, 'contains')
  if (schema === undefined) return code('true')
  const loose = `${is}.loose`
  const check = checkArgument(schema, { ...operand, mode: loose }, 'Contained', part)
  if (check === undefined) return undefined
  const least = numberOf(conjunct, 'minContains')
  const most = numberOf(conjunct, 'maxContains')
  const bounds = most === undefined ? (least === undefined ? '' : `, ${least}`) : `, ${least ?? 1}, ${most}`
  return code(`${is}.contains(${operand.value}, ${check}, ${loose}${bounds})`)
}

/** Checks of the runtime whose second argument is a bound, not a mode. */
const withBounds = /\.(?:text|array|integer|number)$/

/** The check of a schema as a function that is handed on: by its name where it has one. */
export function checkArgument(schema: Schema, operand: Operand, role: string, part: PartCheck): string | undefined {
  const check = part(schema, { value: 'v', stem: `${operand.stem}${role}`, mode: operand.mode })
  if (check === undefined) return undefined
  const name = calledWith(check.text, 'v')
  if (name !== undefined && !withBounds.test(name)) return name
  // The mode is handed on as it is.
  const modal = calledWith(check.text, `v, ${operand.mode}`)
  if (modal !== undefined && !modal.includes('.')) return modal
  const value = parameterName('v', check.text)
  return check.usesMode ? `(${value}, m) => ${check.text}` : `(${value}) => ${check.text}`
}

/** Makes the check of a part. */
export type PartCheck = (schema: Schema, operand: Operand) => Code | undefined
