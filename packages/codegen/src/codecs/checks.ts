import { isObject, own, type Schema, type SchemaObject, stringsOf } from '../schema/json-schema.js'
import {
  all,
  any,
  anyJson,
  type Code,
  type CodecScope,
  choice,
  code,
  modeCode,
  not,
  type Operand,
  typed,
} from './codec-scope.js'
import { conjunctsOf, type Defs, plainReference, silent, subschema } from './conjuncts.js'
import { fillText } from './fill.js'
import { allKinds, type Kind, kindsOf, literalsOf } from './kinds.js'
import { objectCheck } from './object-checks.js'
import { hasClosedLocations, hasKeyword, objectParts, visits } from './parts.js'
import { arrayCheck, literalCheck, numberCheck, stringCheck } from './scalar-checks.js'
import { calledWith, DefinitionUses, FieldReads, fieldOperand, isAbsent, isPresent, parameterName } from './scope.js'
import { areDisjoint, type Union, unionsOf, variantStem, withoutUnion } from './unions.js'

/** More ways to satisfy a schema than this are not written out. */
const mostAlternatives = 24
/** Schemas nested deeper are left to the interpreter. */
const deepest = 60
/** So are schemas that are larger when references are written out. */
const mostChecks = 5_000

const stringKeywords = ['minLength', 'maxLength', 'pattern', 'format']
const numberKeywords = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']
const arrayKeywords = ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains', 'unevaluatedItems']
const objectKeywords = [
  ...['properties', 'patternProperties', 'additionalProperties', 'required', 'minProperties', 'maxProperties'],
  ...['propertyNames', 'dependentRequired', 'unevaluatedProperties'],
]
/** What is said of values of some kinds. */
const valueKeywords = [...stringKeywords, ...numberKeywords, ...arrayKeywords, ...objectKeywords]

const unevaluated = ['unevaluatedItems', 'unevaluatedProperties']

/** Makes the checks of one file. */
export class CheckMaker {
  readonly #scope: CodecScope
  /** The functions of definitions. */
  readonly #definitions: Map<string, string> = new Map()
  /** The names of one codec's functions by what they do: two objects with the same rules share one. */
  readonly #bodies: Map<string, string> = new Map()
  /** Definitions for which no check can be made. */
  readonly #refused: ReadonlySet<string>
  /** What definitions need of each other, and for which no check could be made. */
  readonly uses: DefinitionUses = new DefinitionUses()
  /** Functions of objects by the schemas that they check, for the one mode in which issues are looked for. */
  readonly functions: Map<SchemaObject, string> = new Map()
  #depth = 0
  /** How many more schemas may be checked by one codec: references beside rules are written out again and again. */
  #left = mostChecks

  /** @param refused definitions for which no check can be made, as an earlier attempt found out */
  constructor(scope: CodecScope, refused: ReadonlySet<string>) {
    this.#scope = scope
    this.#refused = refused
  }

  /** The name of the function that checks a schema; `undefined` where none can be made. */
  rootCheck(schema: Schema, stem: string): string | undefined {
    this.#left = mostChecks
    this.#bodies.clear()
    const check = this.check(schema, { value: 'v', stem, mode: 'm' })
    if (check === undefined) return undefined
    const name = calledWith(check.text, 'v, m')
    if (name !== undefined) return name
    const claimed = this.#scope.claim(`is${stem}`)
    this.#declare(claimed, check)
    return claimed
  }

  /** The check of a whole value: that it is JSON, valid, and without undeclared fields unless the mode admits them. */
  check(schema: Schema, operand: Operand): Code | undefined {
    if (this.#depth > deepest || this.#left-- <= 0) return undefined
    this.#depth += 1
    const made = this.#check(schema, operand)
    this.#depth -= 1
    return made
  }

  #check(schema: Schema, operand: Operand): Code | undefined {
    const reference = plainReference(schema)
    if (reference !== undefined) return this.#definition(reference, operand)
    const conjuncts = conjunctsOf(schema, this.#scope.defs)
    return conjuncts === false ? code('false') : this.#conjunction(conjuncts, operand)
  }

  #definition(name: string, operand: Operand): Code | undefined {
    if (this.#refused.has(name) || !Object.hasOwn(this.#scope.defs, name)) return undefined
    const stem = this.#scope.stemOf(name)
    this.uses.use(name)
    if (!this.#definitions.has(name)) {
      const wanted = this.#scope.claim(`is${stem}`)
      this.#definitions.set(name, wanted)
      const at: Operand = { value: 'v', stem, mode: 'm', name: wanted }
      const body = this.uses.make(name, () => this.check(this.#scope.defs[name] ?? true, at))
      if (body === undefined) return undefined
      if (body.text !== `${wanted}(v, m)`) this.#declare(wanted, body)
    }
    return modeCode(`${this.#definitions.get(name)}(${operand.value}, ${operand.mode})`, operand.mode)
  }

  #conjunction(conjuncts: readonly SchemaObject[], operand: Operand): Code | undefined {
    if (this.#left-- <= 0) return undefined
    const unions = unionsOf(conjuncts).filter((one) => this.#declares(one, conjuncts))
    const [union] = unions
    if (union === undefined) return this.#flat(conjuncts, operand)
    if (unions.reduce((product, { variants }) => product * variants.length, 1) > mostAlternatives) return undefined
    return this.#distributed(conjuncts, union, operand)
  }

  /** Every variant together with what is said besides: `a and (b or c)` as `(a and b) or (a and c)`. */
  #distributed(conjuncts: readonly SchemaObject[], union: Union, operand: Operand): Code | undefined {
    const { variants, isExclusive } = union
    const { defs } = this.#scope
    if (variants.length > mostAlternatives) return undefined
    if (!areDisjoint(variants, defs)) {
      // Of several variants that match each says which fields there are, and where one says nothing the others count.
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
        if (isPure) return this.check(variant, at)
        const own = conjunctsOf(variant, defs)
        return own === false ? code('false') : this.#conjunction([...others, ...own], at)
      }),
    )
  }

  /** An exclusive union whose variants overlap: those that hold are counted, where no field can be undeclared. */
  #counted(conjuncts: readonly SchemaObject[], union: Union, operand: Operand): Code | undefined {
    if (conjuncts.some((conjunct) => hasClosedLocations(conjunct, this.#scope.defs))) return undefined
    return all([this.#conjunction(withoutUnion(conjuncts, union), operand), this.#rule(union, operand)])
  }

  /** A schema without unions that declare anything: one check for each kind of values. */
  #flat(conjuncts: readonly SchemaObject[], operand: Operand): Code | undefined {
    const literals = literalsOf(conjuncts)
    const kinds = kindsOf(conjuncts)
    const conditions = conjuncts.flatMap((conjunct) => this.#conditions(conjunct, operand))
    const rules = unionsOf(conjuncts).map((union) => this.#rule(union, operand))
    if (literals !== undefined) {
      const further = this.#guards(conjuncts, operand)
      return all([literalCheck(literals, operand, this.#scope), further, ...conditions, ...rules])
    }
    if (kinds === undefined && !says(conjuncts, valueKeywords)) {
      return all([code(anyJson(operand, this.#scope)), ...conditions, ...rules])
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
        return stringCheck(conjuncts, operand, this.#scope)
      case 'number':
      case 'integer':
        return numberCheck(conjuncts, operand, this.#scope, kind === 'integer')
      case 'array':
        return arrayCheck(conjuncts, operand, this.#scope, (schema, at) => this.check(schema, at))
      case 'object':
        return this.#object(conjuncts, operand, isWhole)
    }
  }

  /** @param isWhole whether nothing else is demanded of objects: then the function may answer for the schema */
  #object(conjuncts: readonly SchemaObject[], operand: Operand, isWhole: boolean): Code | undefined {
    const part = (schema: Schema, at: Operand): Code | undefined => this.check(schema, at)
    if (objectParts(conjuncts).fields.size === 0) {
      const field = (name: string): Operand => fieldOperand(operand, name, this.#scope)
      return objectCheck(conjuncts, { ...operand, field }, this.#scope, part)
    }
    const reads = new FieldReads({ stem: operand.stem, mode: 'm' }, this.#scope)
    const field = (name: string): Operand => reads.operand(name)
    const checked = objectCheck(conjuncts, { value: 'v', stem: operand.stem, mode: 'm', field }, this.#scope, part)
    if (checked === undefined) return undefined
    const { locals, written } = reads.settled(checked.text, 1)
    const body = { ...checked, text: written(checked.text) }
    const known = this.#bodies.get(body.text)
    const name = operand.name ?? known ?? this.#scope.claim(`is${operand.stem}`)
    if (name !== known) this.#declare(name, body, { locals })
    this.#bodies.set(body.text, name)
    const [own] = conjuncts
    if (isWhole && own !== undefined && conjuncts.length === 1 && objectParts(conjuncts).isClosed)
      this.functions.set(own, name)
    return modeCode(`${name}(${operand.value}, ${operand.mode})`, operand.mode)
  }

  /** What a schema demands of values besides declaring their parts. */
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
      const isOther = code(`!${this.#scope.words.is}.object(${operand.value})`)
      conditions.push(any([isOther, isAbsent(fieldOperand(operand, name, this.#scope)), holds]))
    }
    return conditions
  }

  /** A union whose variants only restrict what is declared besides. */
  #rule({ variants, isExclusive }: Union, operand: Operand): Code | undefined {
    const holds = variants.map((variant) => this.#holds(variant, operand))
    if (!isExclusive) return any(holds)
    const texts = holds.map((condition) => condition?.text)
    return texts.includes(undefined) ? undefined : code(`${this.#scope.words.is}.exactlyOne(${texts.join(', ')})`)
  }

  /** Whether a value, known to be JSON, satisfies a schema; which parts that schema declares does not matter. */
  #holds(schema: Schema, operand: Operand): Code | undefined {
    const loose = { ...operand, mode: `${this.#scope.words.is}.loose`, stem: `${operand.stem}If` }
    if (this.#left-- <= 0) return undefined
    if (schema === true || (isObject(schema) && Object.keys(schema).length === 0)) return code('true')
    const conjuncts = conjunctsOf(schema, this.#scope.defs)
    if (conjuncts === false) return code('false')
    if (declaresBelow(conjuncts) || says(conjuncts, unevaluated)) return undefined
    if (kindsOf(conjuncts) !== undefined) return this.#conjunction(conjuncts, loose)
    const unions = unionsOf(conjuncts).map((union) => this.#rule(union, operand))
    const conditions = conjuncts.flatMap((conjunct) => this.#conditions(conjunct, operand))
    return all([this.#guards(conjuncts, loose), ...unions, ...conditions])
  }

  /** What is demanded of each kind of values, where any kind may come. */
  #guards(conjuncts: readonly SchemaObject[], operand: Operand): Code | undefined {
    const { value } = operand
    return all([
      says(conjuncts, stringKeywords)
        ? any([code(`typeof ${value} !== 'string'`), stringCheck(conjuncts, operand, this.#scope)])
        : code('true'),
      says(conjuncts, numberKeywords)
        ? any([code(`typeof ${value} !== 'number'`), numberCheck(conjuncts, operand, this.#scope, false)])
        : code('true'),
      says(conjuncts, arrayKeywords)
        ? any([code(`!Array.isArray(${value})`), this.#kind('array', conjuncts, operand, false)])
        : code('true'),
      this.#objectGuard(conjuncts, operand),
    ])
  }

  #objectGuard(conjuncts: readonly SchemaObject[], operand: Operand): Code | undefined {
    if (!says(conjuncts, objectKeywords)) return code('true')
    const isOther = code(`!${this.#scope.words.is}.object(${operand.value})`)
    if (
      says(
        conjuncts,
        objectKeywords.filter((keyword) => keyword !== 'required'),
      )
    ) {
      return any([isOther, this.#kind('object', conjuncts, operand, false)])
    }
    const names = conjuncts.flatMap((conjunct) => stringsOf(conjunct, 'required'))
    return any([isOther, all(names.map((name) => isPresent(fieldOperand(operand, name, this.#scope))))])
  }

  /** Whether a union says which parts values have, rather than only restricting what is declared besides. */
  #declares({ variants }: Union, conjuncts: readonly SchemaObject[]): boolean {
    const isDeclared = kindsOf(conjuncts) !== undefined
    return variants.some((variant) => {
      const own = conjunctsOf(variant, this.#scope.defs)
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

  /** @param locals the fields that the head reads */
  #declare(name: string, body: Code, { locals = [] }: { readonly locals?: readonly string[] } = {}): void {
    const scope = this.#scope
    const any = typed(scope, 'any')
    const parameters = [
      `${parameterName('v', body.text)}${any}`,
      `${body.usesMode ? 'm' : '_m'}${typed(scope, `${scope.words.is}.Mode`)}`,
      // What is no object has no fields; that it is one, the body checks.
      ...(locals.length === 0 ? [] : [`{ ${locals.join(', ')} }${any} = v ?? {}`]),
    ]
    scope.declare(name, () =>
      fillText(`const ${name} = (${parameters.join(', ')})${typed(scope, 'boolean')} =>`, body.text),
    )
  }
}

/** Whether some schema has one of the keywords. */
function says(conjuncts: readonly SchemaObject[], keywords: readonly string[]): boolean {
  return conjuncts.some((conjunct) => keywords.some((keyword) => Object.hasOwn(conjunct, keyword)))
}

/** Whether the parts of a value have declared parts themselves. */
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

/** Whether values of a schema have places where any object may stand, since nothing says which fields it has. */
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
