import { own } from '../schema/json/json.js'
import type { Json, SchemaObject } from '../schema/json/json-schema.js'
import { flatLiteral, stringText } from '../text/literal.js'
import { all, any, type Code, code } from './code.js'
import { type CodecScope, type Place, typed } from './codec-scope.js'
import { numberOf, strictest } from './conjuncts.js'
import { patternText } from './pattern-text.js'
import { namesSeveral, saysOnlyType, typeNamed } from './typed-text.js'

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
export function literalCheck(values: readonly Json[], place: Place, scope: CodecScope): Code {
  const { is } = scope.words
  const isContainer = (value: Json): boolean => typeof value === 'object' && value !== null
  if (values.length <= longestChain) {
    const equal = values.map((value) =>
      code(
        isContainer(value)
          ? `${is}.same(${place.value}, ${flatLiteral(value)})`
          : `${place.value} === ${flatLiteral(value)}`,
      ),
    )
    return any(equal) ?? code('false')
  }
  const name = scope.claim(`${decapitalised(place.stem)}Values`)
  const [type, made] = values.some(isContainer)
    ? [`${is}.Literals`, `${is}.literals`]
    : ['ReadonlySet<unknown>', 'new Set']
  scope.declare(name, () => `const ${name}${typed(scope, type)} = /* @__PURE__ */ ${made}(${flatLiteral(values)})`)
  return code(`${name}.has(${place.value})`)
}

/** Checks a text. */
export function stringCheck(conjuncts: readonly SchemaObject[], place: Place, scope: CodecScope): Code | undefined {
  const { is } = scope.words
  const type = typeNamed(conjuncts)
  if (type !== undefined) {
    return saysOnlyType(conjuncts) && !namesSeveral(conjuncts)
      ? code(`${is}.typed(${place.value}, ${stringText(type)})`)
      : undefined
  }
  const least = strictest(conjuncts, 'minLength', Math.max)
  const most = strictest(conjuncts, 'maxLength', Math.min)
  const formats = new Set(conjuncts.map((conjunct) => own(conjunct, 'format')))
  const words = [...formats].map((format) => (typeof format === 'string' ? formatWords.get(format) : undefined))
  const asserted = words.filter((word) => word !== undefined).map((word) => code(`${is}.${word}(${place.value})`))
  const patterns = [...new Set(conjuncts.map((conjunct) => own(conjunct, 'pattern')))].filter(
    (pattern) => typeof pattern === 'string',
  )
  const isBounded = least !== undefined || most !== undefined
  const plain = asserted.length === 0 ? [code(`typeof ${place.value} === 'string'`)] : []
  const length = isBounded ? [code(`${is}.text(${bounded(place.value, least ?? 0, most)})`)] : plain
  const matched = patterns.map((pattern) => {
    const name = scope.claim(`${decapitalised(place.stem)}Pattern`)
    scope.declare(name, () => patternText(name, pattern, scope))
    return code(`${name}.test(${place.value})`)
  })
  return all([...length, ...asserted, ...matched])
}

/** Checks a number. */
export function numberCheck(
  conjuncts: readonly SchemaObject[],
  place: Place,
  scope: CodecScope,
  isWhole: boolean,
): Code | undefined {
  const { is } = scope.words
  const { value } = place
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
export function bounded(value: string, least: number | undefined, most: number | undefined): string {
  if (most !== undefined) return `${value}, ${least ?? 0}, ${most}`
  return least === undefined ? value : `${value}, ${least}`
}

/** A name as constants begin. */
export function decapitalised(stem: string): string {
  return stem.charAt(0).toLowerCase() + stem.slice(1)
}
