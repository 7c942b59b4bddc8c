import { type Defs, isObject, own, type Schema, type SchemaObject, stringsOf } from '../schema/json-schema.js'
import {
  all,
  any,
  type Code,
  type CodecScope,
  choice,
  code,
  fieldOperand,
  isAbsent,
  isPresent,
  modeCode,
  not,
  type Operand,
  typed,
} from './code.js'
import { FieldReads, parameterName } from './field-reads.js'
import { fillText } from './fill.js'
import { FunctionMaker } from './function-maker.js'
import { allKinds, type Kind, kindsOf, literalsOf } from './kinds.js'
import { hasClosedLocations, hasKeyword, visits } from './nested-schemas.js'
import { objectParts } from './object-parts.js'
import { conjunctsOf, plainReference, silent, subschema } from './schema-reading.js'
import { areDisjoint, type Union, unionsOf, variantStem, withoutUnion } from './unions.js'
import { anyJson, arrayGuard, literalGuard, numberGuard, objectGuard, stringGuard } from './value-guards.js'

const maxAlternatives = 24

const stringKeywords = ['minLength', 'maxLength', 'pattern', 'format']
const numberKeywords = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']
const arrayKeywords = ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains', 'unevaluatedItems']
const objectKeywords = [
  ...['properties', 'patternProperties', 'additionalProperties', 'required', 'minProperties', 'maxProperties'],
  ...['propertyNames', 'dependentRequired', 'unevaluatedProperties'],
]
const valueKeywords = [...stringKeywords, ...numberKeywords, ...arrayKeywords, ...objectKeywords]

const unevaluated = ['unevaluatedItems', 'unevaluatedProperties']

export class GuardMaker extends FunctionMaker {
  /** The runtime uses the generated type guards to find issues faster, so each type guard must check the whole schema. */
  readonly functions: Map<SchemaObject, string> = new Map()

  readonly #changes: (readonly [SchemaObject, string | undefined])[] = []

  constructor(scope: CodecScope) {
    super('is', scope)
  }

  protected override checkpoint(): () => void {
    const [undo, count] = [super.checkpoint(), this.#changes.length]
    return () => {
      undo()
      for (const [schema, before] of this.#changes.splice(count).reverse()) {
        if (before === undefined) this.functions.delete(schema)
        else this.functions.set(schema, before)
      }
    }
  }

  protected body(schema: Schema, operand: Operand): Code | undefined {
    return this.nested(() => {
      const reference = plainReference(schema)
      if (reference !== undefined) {
        const name = this.definition(reference)
        return name === undefined ? undefined : modeCode(`${name}(${operand.value}, ${operand.mode})`, operand.mode)
      }
      const conjuncts = conjunctsOf(schema, this.scope.defs)
      return conjuncts === false ? code('false') : this.#conjunction(conjuncts, operand)
    })
  }

  #conjunction(conjuncts: readonly SchemaObject[], operand: Operand): Code | undefined {
    if (!this.countPart()) return undefined
    const unions = unionsOf(conjuncts).filter((one) => this.#declares(one, conjuncts))
    const [union] = unions
    if (union === undefined) return this.#flat(conjuncts, operand)
    if (unions.reduce((product, { variants }) => product * variants.length, 1) > maxAlternatives) return undefined
    return this.#distributed(conjuncts, union, operand)
  }

  /** Distributes the union: `a and (b or c)` becomes `(a and b) or (a and c)`. */
  #distributed(conjuncts: readonly SchemaObject[], union: Union, operand: Operand): Code | undefined {
    const { variants, isExclusive } = union
    const { defs } = this.scope
    if (variants.length > maxAlternatives) return undefined
    if (!areDisjoint(variants, defs)) {
      // Several variants can match the same value. Even if one of them allows any field, the other variants determine which fields
      // are declared.
      const isOpen = variants.some((variant) => hasOpenLocations(variant, defs))
      if (isExclusive) return this.#counted(conjuncts, union, operand)
      if (isOpen && variants.some((variant) => hasClosedLocations(variant, defs))) return undefined
    }
    const others = withoutUnion(conjuncts, union)
    const isPure = others.every((conjunct) => Object.keys(conjunct).every((key) => silent.includes(key)))
    return any(
      variants.map((variant, index) => {
        const stem = `${operand.stem}${variantStem(index, variants, defs)}`
        const at: Operand = { value: operand.value, mode: operand.mode, stem }
        if (isPure) return this.body(variant, at)
        const own = conjunctsOf(variant, defs)
        return own === false ? code('false') : this.#conjunction([...others, ...own], at)
      }),
    )
  }

  /** Returns `undefined` if undeclared fields could change the number of variants of the `oneOf` that match. */
  #counted(conjuncts: readonly SchemaObject[], union: Union, operand: Operand): Code | undefined {
    if (conjuncts.some((conjunct) => hasClosedLocations(conjunct, this.scope.defs))) return undefined
    return all([this.#conjunction(withoutUnion(conjuncts, union), operand), this.#rule(union, operand)])
  }

  /** The unions of the schema must not declare fields or items. */
  #flat(conjuncts: readonly SchemaObject[], operand: Operand): Code | undefined {
    const literals = literalsOf(conjuncts)
    const kinds = kindsOf(conjuncts)
    const conditions = conjuncts.flatMap((conjunct) => this.#conditions(conjunct, operand))
    const rules = unionsOf(conjuncts).map((union) => this.#rule(union, operand))
    if (literals !== undefined) {
      const further = this.#guards(conjuncts, operand)
      return all([literalGuard(literals, operand, this.scope), further, ...conditions, ...rules])
    }
    if (kinds === undefined && !says(conjuncts, valueKeywords)) {
      return all([anyJson(operand), ...conditions, ...rules])
    }
    const isWhole = conditions.length + rules.length === 0
    const { name: _name, ...unnamed } = operand
    const at = isWhole && kinds?.length === 1 ? operand : unnamed
    const checks = (kinds ?? allKinds).map((kind) => this.#kind(kind, conjuncts, at, isWhole))
    return all([any(checks), ...conditions, ...rules])
  }

  #kind(kind: Kind, conjuncts: readonly SchemaObject[], operand: Operand, isWhole: boolean): Code | undefined {
    const { value } = operand
    switch (kind) {
      case 'null':
        return code(`${value} === null`)
      case 'boolean':
        return code(`typeof ${value} === 'boolean'`)
      case 'string':
        return stringGuard(conjuncts, operand, this.scope)
      case 'number':
      case 'integer':
        return numberGuard(conjuncts, operand, kind === 'integer')
      case 'array':
        return arrayGuard(conjuncts, operand, (schema, at) => this.body(schema, at))
      case 'object':
        return this.#object(conjuncts, operand, isWhole)
    }
  }

  #object(conjuncts: readonly SchemaObject[], operand: Operand, isWhole: boolean): Code | undefined {
    const part = (schema: Schema, at: Operand): Code | undefined => this.body(schema, at)
    const { fields, isClosed } = objectParts(conjuncts)
    if (fields.size === 0) {
      return objectGuard(conjuncts, operand, (name) => fieldOperand(operand, name), this.scope, part)
    }
    const object: Operand = { value: 'v', stem: operand.stem, mode: 'm' }
    const reads = new FieldReads(object)
    const guard = objectGuard(conjuncts, object, (name) => reads.operand(name), this.scope, part)
    if (guard === undefined) return undefined
    const { locals, written } = reads.settled(guard.text, 1)
    const name = this.named({ ...guard, text: written(guard.text) }, operand, locals)
    const [only] = conjuncts
    if (isWhole && only !== undefined && conjuncts.length === 1 && isClosed) {
      this.#changes.push([only, this.functions.get(only)])
      this.functions.set(only, name)
    }
    return modeCode(`${name}(${operand.value}, ${operand.mode})`, operand.mode)
  }

  #conditions(schema: SchemaObject, operand: Operand): readonly (Code | undefined)[] {
    const conditions: (Code | undefined)[] = []
    const refused = subschema(schema, 'not')
    if (refused !== undefined) conditions.push(not(this.#holds(refused, operand)))
    const condition = subschema(schema, 'if')
    if (condition !== undefined) {
      const met = this.#holds(condition, operand)
      const then = this.#holds(subschema(schema, 'then') ?? true, operand)
      const otherwise = this.#holds(subschema(schema, 'else') ?? true, operand)
      const isMade = met !== undefined && then !== undefined && otherwise !== undefined
      conditions.push(isMade ? choice(met, then, otherwise) : undefined)
    }
    const dependent = own(schema, 'dependentSchemas')
    for (const [name, part] of isObject(dependent) ? Object.entries(dependent) : []) {
      const isPart = typeof part === 'boolean' || isObject(part)
      const holds = isPart ? this.#holds(part, operand) : undefined
      const isOther = code(`!is.object(${operand.value})`)
      conditions.push(any([isOther, isAbsent(fieldOperand(operand, name)), holds]))
    }
    return conditions
  }

  #rule({ variants, isExclusive }: Union, operand: Operand): Code | undefined {
    const holds = variants.map((variant) => this.#holds(variant, operand))
    if (!isExclusive) return any(holds)
    const texts = holds.map((condition) => condition?.text)
    return texts.includes(undefined) ? undefined : code(`is.exactlyOne(${texts.join(', ')})`)
  }

  #holds(schema: Schema, operand: Operand): Code | undefined {
    const loose = { ...operand, mode: `is.loose`, stem: `${operand.stem}If` }
    if (!this.countPart()) return undefined
    if (schema === true || (isObject(schema) && Object.keys(schema).length === 0)) return code('true')
    const conjuncts = conjunctsOf(schema, this.scope.defs)
    if (conjuncts === false) return code('false')
    if (declaresBelow(conjuncts) || says(conjuncts, unevaluated)) return undefined
    if (kindsOf(conjuncts) !== undefined) return this.#conjunction(conjuncts, loose)
    const unions = unionsOf(conjuncts).map((union) => this.#rule(union, operand))
    const conditions = conjuncts.flatMap((conjunct) => this.#conditions(conjunct, operand))
    return all([this.#guards(conjuncts, loose), ...unions, ...conditions])
  }

  #guards(conjuncts: readonly SchemaObject[], operand: Operand): Code | undefined {
    const { value } = operand
    return all([
      says(conjuncts, stringKeywords)
        ? any([code(`typeof ${value} !== 'string'`), stringGuard(conjuncts, operand, this.scope)])
        : code('true'),
      says(conjuncts, numberKeywords)
        ? any([code(`typeof ${value} !== 'number'`), numberGuard(conjuncts, operand, false)])
        : code('true'),
      says(conjuncts, arrayKeywords)
        ? any([code(`!Array.isArray(${value})`), this.#kind('array', conjuncts, operand, false)])
        : code('true'),
      this.#objectGuard(conjuncts, operand),
    ])
  }

  #objectGuard(conjuncts: readonly SchemaObject[], operand: Operand): Code | undefined {
    if (!says(conjuncts, objectKeywords)) return code('true')
    const isOther = code(`!is.object(${operand.value})`)
    if (
      says(
        conjuncts,
        objectKeywords.filter((keyword) => keyword !== 'required'),
      )
    ) {
      return any([isOther, this.#kind('object', conjuncts, operand, false)])
    }
    const names = conjuncts.flatMap((conjunct) => stringsOf(conjunct, 'required'))
    return any([isOther, all(names.map((name) => isPresent(fieldOperand(operand, name))))])
  }

  #declares({ variants }: Union, conjuncts: readonly SchemaObject[]): boolean {
    const isDeclared = kindsOf(conjuncts) !== undefined
    return variants.some((variant) => {
      const own = conjunctsOf(variant, this.scope.defs)
      if (own === false) return false
      return (
        !isDeclared ||
        says(own, [
          'properties',
          'patternProperties',
          'additionalProperties',
          'items',
          'prefixItems',
          'anyOf',
          'oneOf',
          'type',
          'const',
          'enum',
        ])
      )
    })
  }

  protected declare(name: string, body: Code, locals: readonly string[] = []): void {
    const { scope } = this
    const any = typed(scope, 'any')
    const parameters = [
      `${parameterName('v', body.text)}${any}`,
      `${body.usesMode ? 'm' : '_m'}${typed(scope, 'is.Mode')}`,
      // `{}` avoids an exception if `v` is null or undefined. The body checks that `v` is an object.
      ...(locals.length === 0 ? [] : [`{ ${locals.join(', ')} }${any} = v ?? {}`]),
    ]
    const head = `const ${name} = (${parameters.join(', ')})${typed(scope, 'boolean')} =>`
    scope.declare(name, fillText(head, body.text))
  }
}

function says(conjuncts: readonly SchemaObject[], keywords: readonly string[]): boolean {
  return conjuncts.some((conjunct) => keywords.some((keyword) => Object.hasOwn(conjunct, keyword)))
}

function declaresBelow(conjuncts: readonly SchemaObject[]): boolean {
  return conjuncts.some((conjunct) =>
    [...arrayKeywords, ...objectKeywords].some((keyword) => {
      const value = own(conjunct, keyword)
      return value !== undefined && mentions(value)
    }),
  )
}

function mentions(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(mentions)
  if (!isObject(value)) return false
  return (
    ['properties', 'patternProperties', 'additionalProperties', '$ref'].some((keyword) =>
      Object.hasOwn(value, keyword),
    ) || Object.values(value).some(mentions)
  )
}

const listing = [
  'properties',
  'patternProperties',
  'additionalProperties',
  'const',
  'enum',
  '$ref',
  'allOf',
  'anyOf',
  'oneOf',
]

function hasOpenLocations(schema: Schema, defs: Defs): boolean {
  return visits(schema, defs, isOpen)
}

function isOpen(schema: Schema): boolean {
  if (typeof schema === 'boolean') return schema
  const kinds = kindsOf([schema])
  const isListing = hasKeyword(schema, ...listing)
  if ((kinds === undefined || kinds.includes('object')) && !isListing) return true
  return kinds?.includes('array') === true && !isListing && !hasKeyword(schema, 'items')
}
