import type { JsonSchema } from '../../contract/json.js'
import { type Fields, isFields } from '../json/kind.js'
import type { Segment } from '../json/pointer.js'
import { prepareArrays } from './arrays.js'
import { prepareComposition } from './composition.js'
import { type Gates, gateOf } from './gates.js'
import { textKeyword } from './keywords.js'
import { prepareLiterals } from './literals.js'
import type { Check, Node } from './node.js'
import { joinChecks } from './node-check.js'
import { prepareNumbers } from './numbers.js'
import { prepareObjects } from './objects.js'
import { prepareReferences } from './reference-check.js'
import { refuseLoops } from './reference-loops.js'
import { type Located, SchemaIndex } from './references.js'
import { rememberingCheck } from './remembering-check.js'
import { type Linked, revisitedTargets } from './revisits.js'
import { SchemaError } from './schema-error.js'
import { SchemaFacts } from './schema-facts.js'
import type { Site } from './site.js'
import { prepareStrings } from './strings.js'
import { inPlaceSubschemas } from './subschemas.js'
import { prepareTyped } from './typed-check.js'
import { prepareType } from './types.js'
import { prepareUnevaluated } from './unevaluated.js'
import { prepareUnions } from './unions.js'

/** A schema document, ready for its schemas to be prepared. */
export interface SchemaDocument {
  readonly index: SchemaIndex
  readonly facts: SchemaFacts
  /**
   * Prepares a schema of the document, and every one that it leads to, to closures, once.
   *
   * @throws {SchemaError} for a malformed keyword, a bad pattern, or a reference that leads nowhere or to another
   * document.
   */
  node(located: Located): Node
}

/**
 * Reads a schema document and refuses references that lead back to themselves.
 *
 * @throws {SchemaError}
 */
export function readDocument(schema: JsonSchema, gates: Gates = {}): SchemaDocument {
  const index = new SchemaIndex(schema)
  refuseLoops(index)
  return new Preparation(index, gates)
}

/** A node while it is being prepared. */
interface OpenNode extends Node, Linked<OpenNode> {
  check: Check
  isJoint: boolean
  readonly parts: OpenNode[]
  readonly targets: OpenNode[]
}

/** How a schema is come to. */
interface Opening {
  /** What refers to it; `undefined`: it stands there. */
  readonly referrer?: OpenNode
  /** Whether other schemas may apply to the same value. */
  readonly isJoint: boolean
}

class Preparation implements SchemaDocument {
  readonly index: SchemaIndex
  readonly facts: SchemaFacts
  /** By schema and base: one schema object may stand in several places. */
  readonly #nodes: Map<string, Map<unknown, OpenNode>> = new Map()
  /** Nodes of schema objects that stand in several places. */
  readonly #shared: Set<OpenNode> = new Set()
  /** What references lead to is prepared after what refers to it: chains of references may be long. */
  readonly #waiting: (() => void)[] = []

  readonly #gates: Gates
  readonly #hasGates: boolean

  constructor(index: SchemaIndex, gates: Gates) {
    this.index = index
    this.#gates = gates
    this.#hasGates = Object.keys(gates).length > 0
    this.facts = new SchemaFacts(index)
  }

  node(located: Located): Node {
    const known = this.#nodes.get(located.base)?.get(located.schema)
    if (known !== undefined) return known
    const node = this.#open(located, { isJoint: false })
    for (let prepare = this.#waiting.shift(); prepare !== undefined; prepare = this.#waiting.shift()) prepare()
    this.#rememberVerdicts(node)
    return node
  }

  #rememberVerdicts(root: OpenNode): void {
    // What a node says about a value may depend on the dynamic scope, if there is one: then nothing can be remembered.
    if (this.index.dynamic) return
    for (const node of new Set([...revisitedTargets(root), ...this.#shared])) node.check = rememberingCheck(node.check)
    this.#shared.clear()
  }

  /** The node of a schema; prepared now, or later where it is the target of a reference. */
  #open(located: Located, { referrer, isJoint }: Opening): OpenNode {
    const { schema, base, pointer } = located
    if (typeof schema === 'boolean') return booleanNode(schema, pointer)
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
      below: (part, ...path) => {
        const isJoint = this.index.joint && (node.isJoint || !isDisjoint(schema, path))
        const below = this.#open(this.index.below(located, part, ...path), { isJoint })
        node.parts.push(below)
        return below
      },
      target: (target) => {
        const opened = this.#open(target, { referrer: node, isJoint: this.index.joint })
        node.targets.push(opened)
        return opened
      },
    }
    const joined = joinChecks({
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
    })
    const described = withDescription(joined, textKeyword(site, 'description'))
    return this.index.dynamic ? withinResource(described, located.base) : described
  }
}

/** Keywords whose schemas apply to parts to which no other schema of these keywords applies. */
const disjoint: ReadonlySet<unknown> = new Set(['properties', 'additionalProperties', 'items', 'prefixItems'])
/** Keywords beside which further schemas apply to the same parts. */
const joining = ['$ref', '$dynamicRef', 'patternProperties', 'unevaluatedProperties', 'unevaluatedItems']

/** Whether the subschema at a path is the only one by which its schema judges the parts it applies to. */
function isDisjoint(schema: Fields, [keyword]: readonly Segment[]): boolean {
  return disjoint.has(keyword) && !joins(schema)
}

/** Whether a schema applies others to its value, or to parts of it to which further ones may apply. */
function joins(schema: Fields): boolean {
  return joining.some((name) => Object.hasOwn(schema, name)) || inPlaceSubschemas(schema).length > 0
}

/** Records that other schemas may apply to the same value, and so to its parts. */
function markJoint(node: OpenNode): void {
  if (node.isJoint) return
  node.isJoint = true
  for (const part of node.parts) markJoint(part)
}

/** Issues carry the description that stands nearest to the value: at the field itself rather than at what it refers to. */
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

/** Keeps the dynamic scope: the resources that evaluation is within, outermost first. */
function withinResource(check: Check, base: string): Check {
  return (value, run, trace) => {
    if (run.scope.at(-1) === base) return check(value, run, trace)
    run.scope.push(base)
    const ok = check(value, run, trace)
    run.scope.pop()
    return ok
  }
}

function booleanNode(accepts: boolean, pointer: string): OpenNode {
  return { ...emptyNode(pointer), check: (_value, run) => accepts || run.report({ constraint: 'not_allowed' }) }
}

function emptyNode(pointer: string): OpenNode {
  return {
    pointer,
    typed: false,
    gate: undefined,
    isJoint: false,
    joins: false,
    description: undefined,
    hasInPlace: false,
    parts: [],
    targets: [],
    check: () => true,
  }
}
