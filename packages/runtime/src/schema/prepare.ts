import type { JsonSchema } from '../types/json.js'
import {
  type ArrayCheck,
  ArrayTrace,
  absorb,
  type Check,
  type Node,
  type NumberCheck,
  type ObjectCheck,
  ObjectTrace,
  type Run,
  type Site,
  type StringCheck,
  type Trace,
  traceFor,
} from './evaluation.js'
import { equalityKey, type Fields, isContainer, isFields } from './json-values.js'
import {
  countKeyword,
  entriesKeyword,
  flagKeyword,
  keyword,
  listKeyword,
  SchemaError,
  textKeyword,
} from './keywords.js'
import { prepareLiterals } from './literals.js'
import { prepareObjects, prepareUnevaluated } from './objects.js'
import {
  type Gates,
  gateOf,
  type Linked,
  type Located,
  refuseLoops,
  revisitedTargets,
  SchemaIndex,
} from './references.js'
import { prepareNumbers, prepareType, ScalarRule } from './scalars.js'
import { SchemaFacts } from './schema-facts.js'
import { prepareLength, prepareStrings, prepareTyped, type TypedCheck } from './strings.js'
import { inPlaceSubschemas } from './subschemas.js'
import { prepareUnions } from './unions.js'
import { TypedPart, Unwritable } from './unwritable.js'

export interface SchemaDocument {
  readonly index: SchemaIndex
  readonly facts: SchemaFacts
  node(located: Located): Node
}

interface DocumentOptions {
  readonly gates?: Gates
  /** If false, `pattern` and `patternProperties` are ignored, so that an invalid pattern causes no error. */
  readonly patterns?: boolean
}

/** @throws {SchemaError} if a schema refers to itself without a property or item in between, such as `{ $ref: '#' }` */
export function readDocument(
  schema: JsonSchema,
  { gates = {}, patterns = true }: DocumentOptions = {},
): SchemaDocument {
  const index = new SchemaIndex(schema)
  refuseLoops(index)
  return new Preparation(index, gates, patterns)
}

interface OpenNode extends Node, Linked<OpenNode> {
  readonly hasDefault: boolean
  check: Check
  rule: ScalarRule | undefined
  isJoint: boolean
  isInert: boolean
  readonly parts: OpenNode[]
  readonly targets: OpenNode[]
}

class Preparation implements SchemaDocument {
  readonly index: SchemaIndex
  readonly facts: SchemaFacts
  readonly #nodes: Map<string, Map<unknown, OpenNode>> = new Map()
  readonly #shared: Set<OpenNode> = new Set()
  /** Postponed conversions of reference targets. The immediate conversion of a long chain of references would overflow the call stack. */
  readonly #waiting: (() => void)[] = []

  readonly #gates: Gates
  readonly #hasGates: boolean
  readonly #patterns: boolean

  constructor(index: SchemaIndex, gates: Gates, patterns: boolean) {
    this.index = index
    this.#patterns = patterns
    this.#gates = gates
    this.#hasGates = Object.keys(gates).length > 0
    this.facts = new SchemaFacts(index)
  }

  node(located: Located): Node {
    const known = this.#nodes.get(located.base)?.get(located.schema)
    if (known !== undefined) return known
    const node = this.#open(located, false)
    for (let prepare = this.#waiting.shift(); prepare !== undefined; prepare = this.#waiting.shift()) prepare()
    this.#rememberVerdicts(node)
    if (this.index.hasDefaults || this.index.typed) this.#markChanging(node)
    return node
  }

  #markChanging(root: OpenNode): void {
    const nodes = new Set([root])
    for (const { parts, targets } of nodes) for (const next of [...parts, ...targets]) nodes.add(next)
    const innermostFirst = [...nodes].reverse()
    for (let isStable = false; !isStable; ) {
      isStable = true
      for (const node of innermostFirst) {
        if (!node.isInert || ![...node.parts, ...node.targets].some((next) => next.hasDefault || !next.isInert))
          continue
        node.isInert = false
        isStable = false
      }
    }
  }

  #rememberVerdicts(root: OpenNode): void {
    // With `$dynamicRef`, the result of a node depends on the references that led to it, so it cannot be cached.
    if (this.index.dynamic) return
    for (const node of new Set([...revisitedTargets(root), ...this.#shared])) node.check = rememberingCheck(node.check)
    this.#shared.clear()
  }

  #open(located: Located, isJoint: boolean, referrer?: OpenNode): OpenNode {
    const { schema, base, pointer } = located
    if (typeof schema === 'boolean') {
      return { ...emptyNode(pointer), check: (_value, run) => schema || run.report({ constraint: 'not_allowed' }) }
    }
    if (!isFields(schema)) throw new SchemaError(pointer, 'a schema must be an object, `true` or `false`.')
    const nodes = this.#nodes.get(base) ?? new Map<unknown, OpenNode>()
    this.#nodes.set(base, nodes)
    const known = nodes.get(schema)
    if (known !== undefined) {
      if (referrer === undefined && known.hasInPlace) this.#shared.add(known)
      if (isJoint) markJoint(known)
      return known
    }
    const node: OpenNode = {
      ...emptyNode(pointer),
      typed: this.index.typed && this.facts.isTyped(located),
      isInert: !Object.hasOwn(schema, 'x-js'),
      hasDefault: Object.hasOwn(schema, 'default'),
      isJoint,
      gate: this.#hasGates ? gateOf(located, this.index, this.#gates) : undefined,
      description: this.facts.description(located),
      hasInPlace: Object.hasOwn(schema, '$ref') || inPlaceSubschemas(schema).length > 0,
      joins: joins(schema),
    }
    nodes.set(schema, node)
    const prepare = (): void => {
      node.check = this.#check(located, schema, node)
    }
    if (referrer === undefined) prepare()
    else this.#waiting.push(prepare)
    return node
  }

  #check(located: Located, schema: Fields, node: OpenNode): Check {
    const site: Site = {
      ...located,
      schema,
      index: this.index,
      facts: this.facts,
      patterns: this.#patterns,
      below: (part, ...path) => {
        const isOnly = disjoint.has(path[0]) && !node.joins
        const isJoint = this.index.joint && (node.isJoint || !isOnly)
        const below = this.#open(this.index.below(located, part, ...path), isJoint)
        node.parts.push(below)
        return below
      },
      target: (target) => {
        const opened = this.#open(target, this.index.joint, node)
        node.targets.push(opened)
        return opened
      },
    }
    const checks: NodeChecks = {
      first: [prepareLiterals(site), prepareType(site)].filter((test) => test !== undefined),
      typed: prepareTyped(site),
      isTypedDocument: this.index.typed,
      strings: prepareStrings(site),
      numbers: prepareNumbers(site),
      arrays: prepareArrays(site),
      objects: prepareObjects(site),
      references: prepareReferences(site),
      inPlace: [...prepareComposition(site), ...prepareUnions(site)],
      unevaluated: prepareUnevaluated(site),
    }
    if (isScalar(checks)) node.rule = new ScalarRule(site)
    const joined = joinChecks(checks)
    const described = withDescription(joined, textKeyword(site, 'description'))
    return this.index.dynamic ? withinResource(described, located.base) : described
  }
}

const disjoint: ReadonlySet<unknown> = new Set(['properties', 'additionalProperties', 'items', 'prefixItems'])
const joining = ['$ref', '$dynamicRef', 'patternProperties', 'unevaluatedProperties', 'unevaluatedItems']

function joins(schema: Fields): boolean {
  return joining.some((name) => Object.hasOwn(schema, name)) || inPlaceSubschemas(schema).length > 0
}

function markJoint(node: OpenNode): void {
  if (node.isJoint) return
  node.isJoint = true
  for (const part of node.parts) markJoint(part)
}

function withDescription(check: Check, description: string | undefined): Check {
  if (description === undefined) return check
  return (value, run, trace) => {
    if (run.about !== undefined) return check(value, run, trace)
    run.about = description
    const ok = check(value, run, trace)
    run.about = undefined
    return ok
  }
}

function withinResource(check: Check, base: string): Check {
  return (value, run, trace) => {
    if (run.scope.at(-1) === base) return check(value, run, trace)
    run.scope.push(base)
    const ok = check(value, run, trace)
    run.scope.pop()
    return ok
  }
}

function emptyNode(pointer: string): OpenNode {
  return {
    pointer,
    typed: false,
    isInert: true,
    hasDefault: false,
    gate: undefined,
    isJoint: false,
    joins: false,
    description: undefined,
    hasInPlace: false,
    parts: [],
    targets: [],
    check: () => true,
    rule: undefined,
  }
}

/** A larger number of nested schemas could overflow the call stack. */
const MAX_NESTING = 600

interface NodeChecks {
  /** `enum`, `const` and `type`. If one of these checks fails, the other checks do not run, because they would report the same problem again. */
  readonly first: readonly ((value: unknown, run: Run) => boolean)[]
  readonly typed: TypedCheck | undefined
  readonly isTypedDocument: boolean
  readonly strings: readonly StringCheck[]
  readonly numbers: readonly NumberCheck[]
  readonly arrays: readonly ArrayCheck[]
  readonly objects: readonly ObjectCheck[]
  readonly references: readonly Check[]
  readonly inPlace: readonly Check[]
  readonly unevaluated: readonly Check[]
}

function isScalar({ typed, arrays, objects, references, inPlace, unevaluated }: NodeChecks): boolean {
  return typed === undefined && [arrays, objects, references, inPlace, unevaluated].every((list) => list.length === 0)
}

function joinChecks(checks: NodeChecks): Check {
  const { first, references, typed, unevaluated } = checks
  const inPlace = [...references, ...checks.inPlace]
  const hasKinds = [checks.strings, checks.numbers, checks.arrays, checks.objects].some((list) => list.length > 0)
  const [only] = references
  // A schema that is only a reference needs no check of its own.
  if (only !== undefined && inPlace.length === 1 && first.length + unevaluated.length === 0 && !hasKinds && !typed)
    return only

  // A schema of scalars needs neither a trace nor the limit of nesting.
  if (isScalar(checks) && !checks.isTypedDocument) {
    return (value, run) => {
      if (run.hasUnwritable && value instanceof Unwritable) return true
      for (let index = 0; index < first.length; index++) if (first[index]?.(value, run) === false) return false
      return !hasKinds || checkKind(checks, value, run, undefined)
    }
  }

  function check(input: unknown, run: Run, trace: Trace | undefined): boolean {
    const isPart = run.hasUnwritable && input instanceof Unwritable
    if (isPart && !(checks.isTypedDocument && input instanceof TypedPart)) return true
    const value = isPart && input instanceof TypedPart ? input.text : input
    if (run.nesting >= MAX_NESTING) return run.exhaust()
    run.nesting++
    let ok = true
    for (let index = 0; ok && index < first.length; index++) ok = first[index]?.(value, run) !== false
    let goesOn = ok
    if (goesOn && typed !== undefined && typeof value === 'string' && !typed(value, run, trace)) {
      ok = false
      goesOn = !run.quiet
    }
    if (goesOn && hasKinds && !checkKind(checks, value, run, trace)) {
      ok = false
      goesOn = !run.quiet
    }
    for (let index = 0; goesOn && index < inPlace.length; index++) {
      // These subschemas receive `input`, which can be a date, bigint or bytes. `value` is then only its string form.
      if (inPlace[index]?.(input, run, trace) !== false) continue
      ok = false
      goesOn = !run.quiet
    }
    run.nesting--
    return ok
  }

  if (unevaluated.length === 0) return check
  return (value, run, trace) => {
    if (!isContainer(value) || (run.hasUnwritable && value instanceof Unwritable)) return check(value, run, trace)
    const own = traceFor(value)
    let ok = check(value, run, own)
    if (!ok && run.quiet) return false
    for (const test of unevaluated) if (!test(value, run, own)) ok = false
    if (trace !== undefined) absorb(trace, own)
    return ok
  }
}

function checkKind(checks: NodeChecks, value: unknown, run: Run, trace: Trace | undefined): boolean {
  if (typeof value === 'string') return checkAll(checks.strings, value, run, undefined)
  if (typeof value === 'number') return checkAll(checks.numbers, value, run, undefined)
  if (Array.isArray(value)) {
    return checkAll(checks.arrays, value, run, trace instanceof ArrayTrace ? trace : undefined)
  }
  if (!isFields(value)) return true
  return checkAll(checks.objects, value, run, trace instanceof ObjectTrace ? trace : undefined)
}

function checkAll<Value, PartTrace>(
  tests: readonly ((value: Value, run: Run, trace: PartTrace) => boolean)[],
  value: Value,
  run: Run,
  trace: PartTrace,
): boolean {
  let ok = true
  for (let index = 0; index < tests.length; index++) {
    if (tests[index]?.(value, run, trace) !== false) continue
    if (run.quiet) return false
    ok = false
  }
  return ok
}

function rememberingCheck(check: Check): Check {
  return (value, run, trace) => {
    const known = run.verdict(check, value, trace !== undefined)
    if (known !== undefined) {
      if (trace !== undefined && known.trace !== undefined) absorb(trace, known.trace.copy())
      return known.ok
    }
    const found = trace === undefined ? undefined : traceFor(value)
    const ok = check(value, run, found)
    run.remember(check, value, ok, found)
    if (trace !== undefined && found !== undefined) absorb(trace, found.copy())
    return ok
  }
}

function prepareComposition(site: Site): readonly Check[] {
  return [allOfCheck(site), notCheck(site), conditionCheck(site), dependentCheck(site)].filter(
    (check) => check !== undefined,
  )
}

function allOfCheck(site: Site): Check | undefined {
  const nodes = listKeyword(site, 'allOf')?.map((schema, index) => site.below(schema, 'allOf', index))
  if (nodes === undefined) return undefined
  return (value, run, trace) => {
    let ok = true
    for (const node of nodes) {
      if (node.check(value, run, trace)) continue
      if (run.quiet) return false
      ok = false
    }
    return ok
  }
}

function notCheck(site: Site): Check | undefined {
  const schema = keyword(site.schema, 'not')
  if (schema === undefined) return undefined
  const node = site.below(schema, 'not')
  return (value, run) => !run.test(node, value, undefined) || run.report({ constraint: 'not_allowed' })
}

function conditionCheck(site: Site): Check | undefined {
  const schema = keyword(site.schema, 'if')
  if (schema === undefined) return undefined
  const condition = site.below(schema, 'if')
  const consequent = keyword(site.schema, 'then')
  const alternative = keyword(site.schema, 'else')
  const met = consequent === undefined ? undefined : site.below(consequent, 'then')
  const unmet = alternative === undefined ? undefined : site.below(alternative, 'else')
  return (value, run, trace) => {
    const found = trace === undefined ? undefined : traceFor(value)
    if (!run.test(condition, value, found)) return unmet === undefined || unmet.check(value, run, trace)
    if (trace !== undefined && found !== undefined) absorb(trace, found)
    return met === undefined || met.check(value, run, trace)
  }
}

function dependentCheck(site: Site): Check | undefined {
  const nodes = entriesKeyword(site, 'dependentSchemas')?.map(([name, schema]) => ({
    name,
    node: site.below(schema, 'dependentSchemas', name),
  }))
  if (nodes === undefined) return undefined
  return (value, run, trace) => {
    if (!isFields(value) || value instanceof Unwritable) return true
    let ok = true
    for (const { name, node } of nodes) {
      if (Object.hasOwn(value, name) && !node.check(value, run, trace instanceof ObjectTrace ? trace : undefined)) {
        ok = false
      }
    }
    return ok
  }
}

/** Limit for nested evaluations of a dynamic reference. Must not be lower than the maximum depth of a value. */
const longestChain = 500

function prepareReferences(site: Site): readonly Check[] {
  return [staticCheck(site), dynamicCheck(site)].filter((check) => check !== undefined)
}

function staticCheck(site: Site): Check | undefined {
  const reference = textKeyword(site, '$ref')
  if (reference === undefined) return undefined
  const target = site.target(site.index.resolve(reference, site))
  return (value, run, trace) => target.check(value, run, trace)
}

function dynamicCheck(site: Site): Check | undefined {
  const reference = textKeyword(site, '$dynamicRef')
  if (reference === undefined) return undefined
  const { index } = site
  const first = index.resolve(reference, site)
  const target = site.target(first)
  const anchor = index.dynamicAnchorOf(first)
  if (anchor === undefined || !reference.endsWith(`#${anchor}`)) {
    return (value, run, trace) => target.check(value, run, trace)
  }
  const targets = new Map<string, Node>()
  for (const located of index.dynamicAnchors(anchor)) targets.set(located.base, site.target(located))
  let chained = 0
  return (value, run, trace) => {
    const resource = run.scope.find((base) => targets.has(base))
    const node = (resource === undefined ? undefined : targets.get(resource)) ?? target
    if (chained > longestChain)
      throw new SchemaError(site.pointer, '`$dynamicRef` refers to itself without a property or item in between.')
    chained++
    try {
      return node.check(value, run, trace)
    } finally {
      chained--
    }
  }
}

function prepareArrays(site: Site): readonly ArrayCheck[] {
  return [lengthCheck(site), itemsCheck(site), containsCheck(site), uniqueCheck(site)].filter(
    (check) => check !== undefined,
  )
}

function lengthCheck(site: Site): ArrayCheck | undefined {
  const check = prepareLength(site, 'Items')
  return check && (({ length }, run) => check(length, run))
}

function itemsCheck(site: Site): ArrayCheck | undefined {
  const first = (listKeyword(site, 'prefixItems') ?? []).map((schema, index) =>
    site.below(schema, 'prefixItems', index),
  )
  const schema = keyword(site.schema, 'items')
  if (schema === false) return tupleCheck(first)
  const rest = schema === undefined ? undefined : site.below(schema, 'items')
  if (rest === undefined && first.length === 0) return undefined
  return (items, run, trace) => {
    let ok = true
    const count = rest === undefined ? Math.min(first.length, items.length) : items.length
    for (let index = 0; index < count; index++) {
      const node = first[index] ?? rest
      const item = items[index]
      if (node?.rule?.fits(item) === true) continue
      if (node !== undefined && !run.descend(node, item, index, trace)) {
        if (run.quiet) return false
        ok = false
      }
    }
    if (trace !== undefined) trace.evaluated = Math.max(trace.evaluated, count)
    return ok
  }
}

function tupleCheck(first: readonly Node[]): ArrayCheck {
  return (items, run, trace) => {
    let ok = true
    for (const [index, node] of first.entries()) {
      if (index >= items.length) break
      if (!run.descend(node, items[index], index, trace)) ok = false
    }
    if (trace !== undefined) trace.evaluated = items.length
    if (items.length <= first.length) return ok
    return run.report({ constraint: 'invalid_length', unit: 'items', received: items.length, maximum: first.length })
  }
}

function containsCheck(site: Site): ArrayCheck | undefined {
  const schema = keyword(site.schema, 'contains')
  const minimum = countKeyword(site, 'minContains') ?? 1
  const maximum = countKeyword(site, 'maxContains')
  if (schema === undefined) return undefined
  const node = site.below(schema, 'contains')
  return (items, run, trace) => {
    let found = 0
    for (const [index, item] of items.entries()) {
      if (!run.test(node, item, undefined)) continue
      found++
      trace?.match(index)
    }
    if (found >= minimum && found <= (maximum ?? found)) return true
    return run.report({ constraint: 'invalid_contains', found, minimum, ...(maximum === undefined ? {} : { maximum }) })
  }
}

function uniqueCheck(site: Site): ArrayCheck | undefined {
  if (flagKeyword(site, 'uniqueItems') !== true) return undefined
  return (items, run) => {
    let ok = true
    const seen = new Map<string, number>()
    for (const [second, item] of items.entries()) {
      const key = equalityKey(item)
      const first = seen.get(key)
      if (first === undefined) seen.set(key, second)
      else ok = run.report({ constraint: 'not_unique', first, second })
      if (!ok && run.quiet) return false
    }
    return ok
  }
}
