import type { Issue } from '../types/codec.js'
import type { AllowedValues } from './allowed-values.js'
import { Choices } from './choices.js'
import {
  ArrayTrace,
  absorb,
  type Check,
  type Node,
  ObjectTrace,
  type Run,
  reportUndeclared,
  ScalarTrace,
  type Site,
  type Trace,
  traceFor,
} from './evaluation.js'
import { makeIssue } from './issues.js'
import { pointerToken } from './json-pointer.js'
import { equalityKey, type Fields, isContainer, isFields, kindOf } from './json-values.js'
import { filledListKeyword, hasKind, keyword, schemaObject, textKeyword } from './keywords.js'
import {
  enumFacts,
  expectedFacts,
  type LiteralTest,
  literalChoices,
  literalTest,
  reportWrongLiteral,
} from './literals.js'
import type { Located } from './references.js'
import type { SchemaFacts, Tags } from './schema-facts.js'
import { TypedPart } from './unwritable.js'
import { kindInWords, quotedList } from './wording.js'

export function prepareUnions(site: Site): readonly Check[] {
  return (['anyOf', 'oneOf'] as const)
    .filter((name) => keyword(site.schema, name) !== undefined)
    .map((name) => unionCheck(site, name))
}

function unionCheck(site: Site, name: 'anyOf' | 'oneOf'): Check {
  filledListKeyword(site, name)
  const variants = prepareVariants(site, name)
  const facts = unionFacts(variants, site.facts.format(site))
  const discriminator = discriminatorOf(variants, site.facts)
  const isExclusive = name === 'oneOf'
  const candidatesOf = prepareCandidates(variants)
  return (value, run, trace) => {
    if (discriminator !== undefined && isFields(value) && !(value instanceof TypedPart)) {
      const variant = selected(discriminator, value)
      // Only the selected variant can match, so the union reports the issues of this variant.
      if (variant !== undefined) return isAccepted(variant, value, run, trace) || variant.node.check(value, run, trace)
      return run.quiet ? false : reportTag(facts, discriminator, value, run, trace)
    }
    const judgesTypes = run.judgesTypes && site.index.typed && !isExclusive
    const { matching, found } = judgesTypes
      ? matchTyped(variants, value, run, trace)
      : match(candidatesOf(value), isExclusive, value, run, trace)
    if (matching.length === 1 || (matching.length > 1 && !isExclusive)) {
      if (trace !== undefined && found !== undefined) absorb(trace, found)
      return true
    }
    if (run.quiet) return false
    if (matching.length === 0) return reportNoVariant(facts, value, run, trace)
    if (trace !== undefined) trace.uncertain = true
    return run.report({ constraint: 'several_variants_match', matching })
  }
}

function isAccepted({ node }: Variant, value: unknown, run: Run, trace: Trace | undefined): boolean {
  // If undeclared fields are allowed, the trace must record these fields, but generated guards do not record fields.
  if (!(trace === undefined || run.rejectsUnknown) || !run.accepts(node, value)) return false
  if (trace instanceof ObjectTrace) trace.all = true
  return true
}

interface Matching {
  readonly matching: readonly number[]
  readonly found: Trace | undefined
}

type Candidates = Iterable<readonly [index: number, variant: Variant]>

function prepareCandidates(variants: readonly Variant[]): (value: unknown) => Candidates {
  const byLiteral = new Map<string, (readonly [number, Variant])[]>()
  for (const [index, variant] of variants.entries()) {
    if (variant.literals === undefined) return () => variants.entries()
    for (const key of new Set(variant.literals.map(equalityKey))) {
      const known = byLiteral.get(key)
      if (known === undefined) byLiteral.set(key, [[index, variant]])
      else known.push([index, variant])
    }
  }
  return (value) => byLiteral.get(equalityKey(value)) ?? []
}

function match(
  candidates: Candidates,
  isExclusive: boolean,
  value: unknown,
  run: Run,
  trace: Trace | undefined,
): Matching {
  const isTraced = trace !== undefined
  const matching: number[] = []
  let found: Trace | undefined
  for (const [index, variant] of candidates) {
    if (!hasKind(value, variant.kinds)) continue
    const own = isTraced && (isContainer(value) || variant.node.typed) ? traceFor(value) : undefined
    if (!run.test(variant.node, value, own)) continue
    matching.push(index)
    // The first matching variant decides the JavaScript type of a string. Further variants only matter for the fields that they evaluate.
    if (!isExclusive && (!isTraced || !isContainer(value))) return { matching, found: own }
    if (found === undefined) found = own
    else if (own !== undefined) absorb(found, own, true)
  }
  return { matching, found }
}

function matchTyped(variants: readonly Variant[], value: unknown, run: Run, trace: Trace | undefined): Matching {
  const found: { readonly index: number; readonly own: Trace; readonly unnamed: number }[] = []
  for (const [index, variant] of variants.entries()) {
    if (!hasKind(value, variant.kinds)) continue
    const own = traceFor(value)
    if (run.test(variant.node, value, own)) found.push({ index, own, unnamed: unnamedTypes(value, own, trace) })
  }
  found.sort((a, b) => a.unnamed - b.unnamed)
  const [first, ...others] = found
  if (first !== undefined) for (const { own } of others) absorb(first.own, own, true)
  return { matching: found.map(({ index }) => index), found: first?.own }
}

interface UnionFacts {
  readonly variants: readonly Variant[]
  readonly names: Choices<string>
  readonly literals: { readonly choices: Choices; readonly isAllowed: LiteralTest } | undefined
  readonly format: string | undefined
}

function unionFacts(variants: readonly Variant[], format: string | undefined): UnionFacts {
  const lists = variants.map((variant) => variant.literals)
  const literals = lists.every((list) => list !== undefined) ? lists.flat() : []
  return {
    variants,
    names: new Choices(variants.map((variant) => variant.name)),
    literals: literals.length > 0 ? { choices: literalChoices(literals), isAllowed: literalTest(literals) } : undefined,
    format,
  }
}

function reportTag(
  { names }: UnionFacts,
  { field, choices }: Discriminator,
  value: Fields,
  run: Run,
  trace: Trace | undefined,
): false {
  if (trace !== undefined) trace.uncertain = true
  const facts = Object.hasOwn(value, field)
    ? enumFacts(choices, value[field], run)
    : ({ constraint: 'missing_field', field, ...expectedFacts({ literals: choices.all, kinds: undefined }) } as const)
  const nearest = [makeIssue(facts, { path: run.pointer + pointerToken(field) })]
  return run.report({ ...noVariant(names), discriminator: { field, ...choices.listed() }, nearest })
}

function reportNoVariant(
  { variants, names, literals, format }: UnionFacts,
  value: unknown,
  run: Run,
  trace: Trace | undefined,
): boolean {
  const plain = value instanceof TypedPart ? value.text : value
  if (literals !== undefined && !literals.isAllowed(plain)) {
    return reportWrongLiteral(literals.choices, plain, run)
  }
  const [only, ...others] = variants.filter(({ kinds }) => hasKind(value, kinds))
  if (only === undefined) {
    const expected = Object.freeze([...new Set(variants.flatMap((variant) => variant.kinds ?? []))])
    if (expected.length === 0) return run.report({ constraint: 'not_allowed' })
    return run.report({
      constraint: 'invalid_type',
      expected,
      ...(format === undefined ? {} : { format }),
      received: kindOf(value),
    })
  }
  if (others.length === 0) return only.node.check(value, run, trace)
  // If issues are only counted, no explanation is needed.
  const nearest = run.issues.isFull ? [] : nearestIssues([only, ...others], value, run, trace)
  if (trace !== undefined) trace.uncertain = true
  return run.report({ ...noVariant(names), ...(nearest.length === 0 ? {} : { nearest }) })
}

function noVariant(names: Choices<string>) {
  const { allowed: variants, ...more } = names.listed()
  return { constraint: 'no_variant_matches', variants, ...more } as const
}

function nearestIssues(
  possible: readonly Variant[],
  value: unknown,
  run: Run,
  trace: Trace | undefined,
): readonly Issue[] {
  const points = possible.map((variant) => (value instanceof TypedPart ? 0 : variant.likeness(value)))
  const best = Math.max(...points)
  const likest = possible.filter((_, index) => points[index] === best)
  // An explanation inside another explanation uses only one candidate, because with several candidates, each nested
  // union would multiply the time.
  const candidates = run.explaining ? likest.slice(0, 1) : likest
  const explained = candidates.map((variant) => run.collect(() => explain(variant, value, run, trace)))
  const [first, ...rest] = explained
  const fewest = rest.reduce((least, issues) => (least && issues.count < least.count ? issues : least), first)
  return fewest?.closed(run.pointer) ?? []
}

function explain(variant: Variant, value: unknown, run: Run, outer: Trace | undefined): void {
  const trace = isContainer(value) ? traceFor(value) : undefined
  variant.node.check(value, run, trace)
  if (!run.rejectsUnknown || trace === undefined) return
  // Fields that the schema around the union declares are allowed too.
  if (isFields(value) && trace instanceof ObjectTrace && outer instanceof ObjectTrace) {
    for (const key of Object.keys(value)) if (outer.isEvaluated(key) || outer.isRequired(key)) trace.match(key)
  }
  reportUndeclared(value, trace, run)
}

interface Variant extends AllowedValues {
  readonly located: Located
  readonly node: Node
  readonly name: string
  readonly tags: Tags
  readonly likeness: (value: unknown) => number
}

function prepareVariants(site: Site, name: 'anyOf' | 'oneOf'): readonly Variant[] {
  return site.facts.variants(site, name).map((located, index) => {
    const { kinds, literals } = site.facts.allowed(located)
    const tags = site.facts.tags(located)
    return {
      located,
      node: site.below(located.schema, name, index),
      name: nameOf(located, { kinds, literals, tags }, index),
      kinds,
      literals,
      tags,
      likeness: likenessTo(located, site.facts),
    }
  })
}

function nameOf(located: Located, facts: Pick<Variant, 'kinds' | 'literals' | 'tags'>, index: number): string {
  const context = { schema: schemaObject(located.schema) ?? {}, pointer: located.pointer }
  const title = keyword(context.schema, 'title')
  if (typeof title === 'string') return title
  const reference = textKeyword(context, '$ref')
  const referred = reference?.split(/[/#]/).at(-1)
  if (referred !== undefined && referred !== '') return referred
  const [tag] = facts.tags
  if (tag !== undefined) return `${tag[0]}: ${quotedList(tag[1])}`
  if (facts.literals !== undefined) return quotedList(facts.literals)
  if (facts.kinds !== undefined && facts.kinds.length > 0)
    return facts.kinds.map((kind) => kindInWords(kind)).join(' or ')
  return `variant ${index + 1}`
}

function likenessTo(located: Located, facts: SchemaFacts): (value: unknown) => number {
  const required = new Set(facts.requiredNames(located))
  const tests = [...facts.tags(located)].map(([name, literals]): readonly [string, LiteralTest] => [
    name,
    literalTest(literals),
  ])
  const declared = declaredKinds(located, facts)
  return (value) => {
    if (!isFields(value)) return 0
    let points = 0
    for (const [name, test] of tests) if (Object.hasOwn(value, name) && test(value[name])) points += 8
    for (const name of required) if (Object.hasOwn(value, name)) points += 2
    for (const key of Object.keys(value)) {
      const field = declared.get(key)
      if (field !== undefined) points += hasKind(value[key], field.kinds) ? 2 : 1
    }
    return points
  }
}

function declaredKinds(located: Located, facts: SchemaFacts): ReadonlyMap<string, Pick<AllowedValues, 'kinds'>> {
  const declared = new Map<string, Pick<AllowedValues, 'kinds'>>()
  for (const part of facts.conjuncts(located)) {
    const properties = schemaObject(keyword(schemaObject(part.schema) ?? {}, 'properties')) ?? {}
    for (const name of Object.keys(properties)) {
      const field = declared.has(name) ? undefined : facts.allowedInField(located, name)
      if (field !== undefined) declared.set(name, field)
    }
  }
  return declared
}

function unnamedTypes(value: unknown, trace: Trace | undefined, around: Trace | undefined): number {
  if (value instanceof TypedPart) {
    const outer = around instanceof ScalarTrace ? around.type : undefined
    return trace instanceof ScalarTrace && (outer ?? trace.type) !== value.type ? 1 : 0
  }
  if (!isContainer(value) || !(trace instanceof ObjectTrace || trace instanceof ArrayTrace)) return 0
  let count = 0
  for (const [key, child] of trace.children ?? []) {
    count += unnamedTypes(Reflect.get(value, key), child, childOf(around, key))
  }
  return count
}

function childOf(trace: Trace | undefined, key: string | number): Trace | undefined {
  if (trace instanceof ObjectTrace) return trace.children?.get(String(key))
  return trace instanceof ArrayTrace ? trace.children?.get(Number(key)) : undefined
}

interface Discriminator {
  readonly field: string
  readonly choices: Choices
  readonly byLiteral: ReadonlyMap<unknown, Variant>
}

function discriminatorOf(variants: readonly Variant[], facts: SchemaFacts): Discriminator | undefined {
  const objects = variants.filter(({ kinds }) => kinds === undefined || kinds.includes('object'))
  const found = objects.length > 1 ? facts.discriminator(objects.map(({ located }) => located)) : undefined
  if (found === undefined) return undefined
  const { field, literals } = found
  const byLiteral = new Map<unknown, Variant>()
  for (const [index, variant] of objects.entries()) {
    for (const literal of literals[index] ?? []) byLiteral.set(literal, variant)
  }
  return { field, choices: literalChoices(literals.flat()), byLiteral }
}

function selected(discriminator: Discriminator, value: Fields): Variant | undefined {
  const { field, byLiteral } = discriminator
  return Object.hasOwn(value, field) ? byLiteral.get(value[field]) : undefined
}
