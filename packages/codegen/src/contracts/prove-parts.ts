import { pointerOf } from '@toolgen/runtime/schema'
import { isObject, own, type Schema, type SchemaObject, stringsOf, without } from '../schema/json-schema.js'
import { annotations } from '../schema/keywords.js'
import { type Lengths, lengthMismatches, lengthsOf } from './lengths.js'
import { keywordMismatch, type Mismatch, prefixed } from './mismatch.js'
import { declares, type Fit, type PossibleFields } from './possible-fields.js'
import { type DefinitionPair, sameSchema } from './same-schema.js'
import { type Constraints, everythingIn, type FlatSchema, type SourceValues } from './schema-cases.js'
import {
  conditionalParts,
  declaresFields,
  fieldPatterns,
  knownNames,
  namesOf,
  numbersOf,
  schemaAt,
  schemaMap,
  schemaOf,
  schemasAt,
  schemasOf,
  schemasOfField,
  schemasOfItem,
  schemasOfOthers,
} from './schema-parts.js'
import { acceptsValue } from './schema-relations.js'

export interface Prover {
  readonly pair: DefinitionPair
  /**
   * Handling of undeclared fields. `known`, for payloads, reports source fields that the target does not declare, because payload codecs reject these
   * fields. `any`, for results, reports target fields that the source does not declare, because programs read these fields.
   */
  readonly fields: 'known' | 'any'
  /** Returns `false` above the limit. The comparison then reports all parts that it has not compared as mismatches. */
  spend(steps: number): boolean
  fieldsOf(source: SourceValues): PossibleFields
  mismatches(source: Constraints, target: Constraints): readonly Mismatch[]
  fit(source: SourceValues, target: FlatSchema, conditional?: readonly Schema[]): Fit
  /** Ignores undeclared fields. */
  fits(source: SourceValues, target: Schema): boolean
}

interface TargetObjects {
  readonly plain: readonly SchemaObject[]
  /** `undefined` if the target allows every field. */
  readonly applying: readonly SchemaObject[] | undefined
  readonly conditional: readonly Schema[]
}

export function objectMismatches(source: SourceValues, target: TargetObjects, prover: Prover): readonly Mismatch[] {
  const possible = prover.fieldsOf(source)
  const required = new Set(namesOf(source.plain, 'required'))
  if ([...required].some((name) => possible.at(name) === undefined)) return []
  const comparison = new ObjectComparison(source, target, possible, required, prover)
  const lengths = lengthsOf(source.plain, 'minProperties', 'maxProperties')
  return [
    ...comparison.missingFields(),
    ...lengthMismatches(
      { least: Math.max(required.size, lengths.least), most: Math.min(possible.limit, lengths.most) },
      lengthsOf(target.plain, 'minProperties', 'maxProperties'),
    ),
    ...comparison.namedFields(),
    ...comparison.otherFields(),
    ...target.plain.flatMap((schema) => comparison.brokenRules(schema)),
  ]
}

const unknownFields: Mismatch = {
  aspect: 'unknown-fields',
  pointer: '',
  source: 'any field',
  target: 'only declared fields',
}

class ObjectComparison {
  readonly #source: SourceValues
  readonly #target: readonly SchemaObject[]
  readonly #possible: PossibleFields
  readonly #required: ReadonlySet<string>
  readonly #prover: Prover
  readonly #conditional: readonly SchemaObject[]
  readonly #declaring: readonly SchemaObject[] | undefined

  constructor(
    source: SourceValues,
    { plain, applying, conditional }: TargetObjects,
    possible: PossibleFields,
    required: ReadonlySet<string>,
    prover: Prover,
  ) {
    this.#source = source
    // Readers of a result ignore undeclared fields, even if their schema excludes such fields.
    this.#target =
      prover.fields === 'known'
        ? plain
        : plain.map((schema) =>
            own(schema, 'additionalProperties') === false ? without(schema, ['additionalProperties']) : schema,
          )
    this.#possible = possible
    this.#required = required
    this.#prover = prover
    this.#conditional = everythingIn(conditional, prover.pair.target)
    if (applying === undefined || prover.fields === 'any') return
    const all = [...applying, ...everythingIn(conditionalParts(applying), prover.pair.target), ...this.#conditional]
    const isOpen =
      !all.some(declaresFields) ||
      applying.some(
        (schema) => Object.hasOwn(schema, 'additionalProperties') || Object.hasOwn(schema, 'unevaluatedProperties'),
      )
    if (!isOpen) this.#declaring = applying
  }

  missingFields(): readonly Mismatch[] {
    const declared = new Set(this.#source.plain.flatMap((schema) => fieldNames(schema)))
    const gone =
      this.#prover.fields === 'known'
        ? []
        : this.#target.flatMap((schema) =>
            schemaMap(schema, 'properties')
              .filter(
                ([name]) =>
                  !declared.has(name) && !(this.#possible.isOpen && this.#possible.at(name)?.all.length !== 0),
              )
              .map(([name, part]): Mismatch => ({ ...fieldMismatch(name, undefined), target: part })),
          )
    const reported = new Set(gone.map(({ pointer }) => pointer))
    const missing = [...new Set(namesOf(this.#target, 'required'))]
      .filter((name) => !this.#required.has(name))
      .map((name): Mismatch => {
        const isKnown = this.#possible.at(name) !== undefined && this.#possible.names.has(name)
        const source = isKnown ? 'optional' : 'undeclared'
        return { aspect: 'required', pointer: fieldPointer(name), source, target: 'required' }
      })
    return [...gone, ...missing.filter(({ pointer }) => !reported.has(pointer))]
  }

  namedFields(): readonly Mismatch[] {
    const names = new Set([...this.#possible.names, ...[...this.#target, ...this.#conditional].flatMap(knownNames)])
    return [...names].flatMap((name): readonly Mismatch[] => {
      const from = this.#possible.at(name)
      if (from === undefined) return []
      const all = schemasOfField(this.#target, name)
      const isKnown = this.#declaring?.some((schema) => declares(schema, name)) ?? true
      if (all.includes(false) || !isKnown) return [fieldMismatch(name, schemasOfField(this.#source.plain, name)[0])]
      const conditional = schemasOfField(this.#conditional, name)
      if (all.length === 0 && conditional.length === 0) return []
      return prefixed(fieldPointer(name), this.#prover.mismatches(from, { all, conditional, alternatives: [] }))
    })
  }

  otherFields(): readonly Mismatch[] {
    const conditional = schemasOfOthers(this.#conditional)
    const compare = (from: Constraints | undefined, all: readonly Schema[], step: string): readonly Mismatch[] =>
      from === undefined ? [] : prefixed(step, this.#prover.mismatches(from, { all, conditional, alternatives: [] }))
    const patterns = fieldPatterns(this.#target)
    const matched = this.#target
      .flatMap((schema) => schemaMap(schema, 'patternProperties'))
      .flatMap(([pattern, part]) =>
        compare(this.#possible.atPattern(pattern), [part], `/patternProperties${pointerOf([pattern])}`),
      )
    let areRejected = this.#declaring !== undefined && this.#possible.others(patterns) !== undefined
    const rest = this.#target.flatMap((schema) => {
      const part = schemaAt(schema, 'additionalProperties')
      const from = this.#possible.others(fieldPatterns([schema]))
      if (part === undefined || from === undefined) return []
      if (part !== false) return compare(from, [part], '/additionalProperties')
      areRejected = true
      return []
    })
    const ofConditions = conditional.length === 0 ? [] : compare(this.#possible.others([]), [], '/additionalProperties')
    return [...matched, ...rest, ...ofConditions, ...(areRejected ? [unknownFields] : [])]
  }

  brokenRules(target: SchemaObject): readonly Mismatch[] {
    const broken = [
      ...(this.#keepsNames(target) ? [] : ['propertyNames']),
      ...(this.#keepsRequired(target) ? [] : ['dependentRequired']),
      ...(this.#keepsSchemas(target) ? [] : ['dependentSchemas']),
      ...(this.#keepsEvaluated(target) ? [] : ['unevaluatedProperties']),
    ]
    return broken.map((keyword) => keywordMismatch(keyword, this.#source.plain, target))
  }

  #keepsNames(target: SchemaObject): boolean {
    const wanted = schemaAt(target, 'propertyNames')
    if (wanted === undefined) return true
    const { pair } = this.#prover
    if (schemasOf(this.#source.plain, 'propertyNames').some((known) => sameSchema(known, wanted, pair))) return true
    const names = this.#possibleNames()
    if (!names.every((name) => acceptsValue([wanted], name, pair.target) === true)) return false
    // Names that match a pattern are allowed if the pattern is the only restriction.
    return this.#possible.others(onlyPattern(wanted)) === undefined
  }

  #possibleNames(): readonly string[] {
    return [...this.#possible.names].filter((name) => this.#possible.at(name) !== undefined)
  }

  #keepsRequired(target: SchemaObject): boolean {
    const wanted = own(target, 'dependentRequired')
    if (!isObject(wanted)) return true
    return Object.keys(wanted).every((name) => {
      const known = this.#source.plain.flatMap((schema) => {
        const rules = own(schema, 'dependentRequired')
        return isObject(rules) ? stringsOf(rules, name) : []
      })
      return (
        this.#possible.at(name) === undefined ||
        stringsOf(wanted, name).every((field) => this.#required.has(field) || known.includes(field))
      )
    })
  }

  #keepsSchemas(target: SchemaObject): boolean {
    return schemaMap(target, 'dependentSchemas').every(([name, wanted]) => {
      if (this.#possible.at(name) === undefined) return true
      const isSame = this.#source.plain.some((schema) => {
        const known = schemaOf(schema, 'dependentSchemas', name)
        return known !== undefined && sameSchema(known, wanted, this.#prover.pair)
      })
      return isSame || this.#prover.fits(this.#source, wanted)
    })
  }

  #keepsEvaluated(target: SchemaObject): boolean {
    const { fields, pair } = this.#prover
    const wanted = own(target, 'unevaluatedProperties')
    if (wanted === undefined || wanted === true || (fields === 'any' && wanted === false)) return true
    if (this.#source.plain.some((schema) => sameSchema(schema, target, pair))) return true
    // `additionalProperties` evaluates every field.
    if (Object.hasOwn(target, 'additionalProperties')) return true
    const areDeclared = this.#possibleNames().every((name) => schemasOfField([target], name).length > 0)
    return areDeclared && this.#possible.others(fieldPatterns([target])) === undefined
  }
}

function onlyPattern(schema: Schema): readonly string[] {
  if (typeof schema === 'boolean') return []
  const { pattern, type = 'string', ...rest } = schema
  const isOnly = Object.keys(rest).every((keyword) => annotations.includes(keyword))
  return isOnly && type === 'string' && typeof pattern === 'string' ? [pattern] : []
}

function fieldNames(schema: SchemaObject): readonly string[] {
  return schemaMap(schema, 'properties').map(([name]) => name)
}

function fieldPointer(name: string): string {
  return `/properties${pointerOf([name])}`
}

function fieldMismatch(name: string, source: Schema | undefined): Mismatch {
  return { aspect: 'field', pointer: fieldPointer(name), source, target: undefined }
}

interface TargetArrays {
  readonly plain: readonly SchemaObject[]
  readonly conditional: readonly Schema[]
}

export function arrayMismatches(source: SourceValues, target: TargetArrays, prover: Prover): readonly Mismatch[] {
  const [lengths, others] = [arrayLengths(source.plain), arrayLengths(target.plain)]
  if (lengths.least > lengths.most) return []
  return [
    ...lengthMismatches(lengths, others),
    ...target.plain.flatMap((schema) =>
      brokenArrayRules(source.plain, lengths, schema, prover).map((keyword) =>
        keywordMismatch(keyword, source.plain, schema),
      ),
    ),
    // Items that only one side has are a mismatch of the length.
    ...itemMismatches(source, target, Math.min(lengths.most, others.most), prover),
  ]
}

function arrayLengths(plain: readonly SchemaObject[]): Lengths {
  const { least, most } = lengthsOf(plain, 'minItems', 'maxItems')
  const tuples = plain.filter((schema) => own(schema, 'items') === false).map(prefixLength)
  return { least, most: Math.min(most, ...tuples) }
}

function prefixLength(schema: SchemaObject): number {
  return schemasAt(schema, 'prefixItems')?.length ?? 0
}

function brokenArrayRules(
  source: readonly SchemaObject[],
  { most }: Lengths,
  target: SchemaObject,
  { pair }: Prover,
): readonly string[] {
  const isUnique = most <= 1 || source.some((schema) => own(schema, 'uniqueItems') === true)
  const wanted = schemaAt(target, 'contains')
  const containsWanted =
    wanted === undefined ||
    source.some((schema) => {
      const known = schemaAt(schema, 'contains')
      if (known === undefined || !sameSchema(known, wanted, pair)) return false
      const [has, wants] = [containsCount(schema), containsCount(target)]
      return has.least >= wants.least && has.most <= wants.most
    })
  const isSame = source.some((schema) => sameSchema(schema, target, pair))
  return [
    ...(own(target, 'uniqueItems') === true && !isUnique ? ['uniqueItems'] : []),
    ...(containsWanted ? [] : ['contains']),
    ...(Object.hasOwn(target, 'unevaluatedItems') && !isSame ? ['unevaluatedItems'] : []),
  ]
}

function containsCount(schema: SchemaObject): Lengths {
  const [least = 1] = numbersOf([schema], 'minContains')
  const [most = Number.POSITIVE_INFINITY] = numbersOf([schema], 'maxContains')
  return { least, most }
}

function itemMismatches(source: SourceValues, target: TargetArrays, most: number, prover: Prover): readonly Mismatch[] {
  const conditional = everythingIn(source.conditional, prover.pair.source)
  const alternatives = everythingIn(source.alternatives, prover.pair.source)
  const targetConditional = everythingIn(target.conditional, prover.pair.target)
  const prefix = Math.max(...[...source.plain, ...target.plain].map(prefixLength))
  return Array.from({ length: Math.ceil(Math.min(prefix + 1, most)) }, (_, index) => {
    const from: Constraints = {
      all: schemasOfItem(source.plain, index),
      conditional: [
        ...schemasOfItem(conditional, index),
        ...itemConditions([...source.plain, ...conditional, ...alternatives]),
      ],
      alternatives: schemasOfItem(alternatives, index),
    }
    const to: Constraints = {
      all: schemasOfItem(target.plain, index),
      conditional: [
        ...schemasOfItem(targetConditional, index),
        ...itemConditions([...target.plain, ...targetConditional]),
      ],
      alternatives: [],
    }
    if (to.all.length === 0 && to.conditional.length === 0) return []
    return prefixed(index < prefix ? `/prefixItems/${index}` : '/items', prover.mismatches(from, to))
  }).flat()
}

function itemConditions(plain: readonly SchemaObject[]): readonly Schema[] {
  return plain.flatMap((schema) => [...schemasOf([schema], 'contains'), ...schemasOf([schema], 'unevaluatedItems')])
}
