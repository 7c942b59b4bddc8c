import type { Issue } from '../types/codec.js'
import type { JsonSchemaObject } from '../types/json.js'
import { Choices } from './choices.js'
import { IssueList, Postponed } from './issue-list.js'
import { type IssueFacts, unknownFieldMessage } from './issue-messages.js'
import { described, makeIssue } from './issues.js'
import { pointerToken, type Segment } from './json-pointer.js'
import { type Fields, isContainer, isFields } from './json-values.js'
import { loose, strict } from './mode.js'
import type { NameList } from './nearest.js'
import type { Gate, Located, SchemaIndex } from './references.js'
import type { SchemaFacts } from './schema-facts.js'
import type { JsType } from './typed-values.js'
import { TypedPart } from './unwritable.js'

const MAX_ISSUES = 100
const MAX_CONCATENATED = 8
const MAX_NEAREST_ISSUES = 10
/** Limit for the search for similar names in one evaluation, in letter comparisons. After this limit, issues do not suggest names. */
const MAX_COMPARED = 10_000_000
/** Searches with fewer letter comparisons are fast. They are not cached, and do not count towards {@link MAX_COMPARED}. */
const MIN_COUNTED = 1_000

interface Verdict {
  readonly ok: boolean
  readonly trace: Trace | undefined
  readonly reported?: { readonly issues: IssueList; readonly path: string }
}

interface ReportedField {
  readonly name: Segment
  readonly description?: string | undefined
}

/** State of one evaluation of a value. */
export class Run {
  issues: IssueList = new IssueList(MAX_ISSUES)
  /** Item indexes, and field names as returned by `pointerToken` (with the leading `/`). */
  readonly path: Segment[] = []
  /** If true, checks report no issues and stop at the first violation. */
  quiet: boolean = false
  /** True while `collect` runs, for a union variant or a field name. Nested unions then explain only one variant. */
  explaining: boolean = false
  /** `description` in the schema of the current value. */
  about: string | undefined = undefined
  readonly hasUnwritable: boolean
  /**
   * True if a union first tests the variants whose `x-js` is the JavaScript type of the value, for example `Date`. If false, a union tests its
   * variants in order, and treats dates, bigints and bytes as strings.
   */
  readonly judgesTypes: boolean
  readonly rejectsUnknown: boolean
  /** True if the decoded value is not needed. The evaluation then skips values that a generated type guard accepts. */
  readonly onlyIssues: boolean
  /**
   * True if a generated type guard accepted the whole value, so that the value is valid. The evaluation visits only the parts of the value that
   * decoding can change: parts whose schema has a default or a JavaScript type (`x-js`).
   */
  readonly isAccepted: boolean
  readonly postponed: Postponed = new Postponed()
  nesting: number = 0
  /** Depth in the value at which the evaluation stopped because too many schemas were nested. */
  exhaustedAt: number | undefined = undefined
  /** Base URIs (`$id`) of the schemas that currently evaluate the value, outermost schema first. Only for `$dynamicRef`. */
  readonly scope: string[] = []
  #near: Map<NameList, Map<string, string | undefined>> | undefined = undefined
  #compared = 0
  #verdicts: Map<Check, Map<unknown, Verdict>> | undefined = undefined

  constructor(options: {
    readonly hasUnwritable: boolean
    readonly rejectsUnknown: boolean
    readonly onlyIssues?: boolean
    readonly isAccepted?: boolean
    readonly judgesTypes?: boolean
  }) {
    this.hasUnwritable = options.hasUnwritable
    this.judgesTypes = options.judgesTypes ?? false
    this.rejectsUnknown = options.rejectsUnknown
    this.onlyIssues = options.onlyIssues ?? false
    this.isAccepted = options.isAccepted ?? false
  }

  get pointer(): string {
    let text = ''
    // Engines keep all intermediate strings of a concatenation, which takes much memory for long paths.
    if (this.path.length > MAX_CONCATENATED) return this.path.map(asToken).join('')
    for (const token of this.path) text += asToken(token)
    return text
  }

  report(facts: IssueFacts, field?: ReportedField): false {
    if (this.quiet || this.issues.isOver) return false
    const path = field === undefined ? this.pointer : this.pointer + pointerToken(field.name)
    return this.add(makeIssue(facts, { path }), field === undefined ? this.about : field.description)
  }

  add(issue: Issue, description: string | undefined): false {
    if (!this.quiet) this.issues.add(described(issue, description))
    return false
  }

  nearest(received: string, choices: Pick<Choices, 'names'>): string | undefined {
    if (this.issues.isFull || this.#compared >= MAX_COMPARED) return undefined
    const { names } = choices
    const cost = names.cost(received)
    if (cost < MIN_COUNTED) return names.first(received)
    this.#near ??= new Map()
    const known = this.#near.get(names) ?? new Map<string, string | undefined>()
    this.#near.set(names, known)
    if (known.has(received)) return known.get(received)
    this.#compared += cost
    const nearest = names.first(received)
    known.set(received, nearest)
    return nearest
  }

  exhaust(): false {
    this.exhaustedAt ??= this.path.length
    return false
  }

  accepts({ gate }: Node, value: unknown): boolean {
    return this.onlyIssues && gate?.(value, this.rejectsUnknown ? strict : loose) === true
  }

  get isOver(): boolean {
    return (this.issues.isOver && !this.quiet) || this.postponed.isOver
  }

  descend<Key extends Segment>(
    node: Node,
    part: unknown,
    key: Key,
    whole: WholeTrace<Key> | undefined,
    token: string | undefined = undefined,
  ): boolean {
    if (this.isOver) return false
    // A quiet check selects a variant of a union, so the check must test all parts of the value.
    if (this.isAccepted && node.isInert && !(node.isJoint || this.quiet)) return true
    if (this.accepts(node, part)) {
      // Other schemas for the same value must not report undeclared fields in this value.
      const trace = node.isJoint ? whole?.child(key, part) : undefined
      if (trace instanceof ObjectTrace) trace.all = true
      return true
    }
    const { about } = this
    this.about = undefined
    this.path.push(token ?? pathItem(key))
    const trace = this.#traceOfPart(node, part, key, whole)
    const ok = node.check(part, this, trace)
    this.path.pop()
    this.about = about
    return ok
  }

  /** If false, undeclared fields are found after the evaluation, in the trace (recorded facts about the value). */
  get seeksUndeclared(): boolean {
    return this.onlyIssues && this.rejectsUnknown && !this.quiet
  }

  #traceOfPart<Key extends Segment>(
    node: Node,
    part: unknown,
    key: Key,
    whole: WholeTrace<Key> | undefined,
  ): Trace | undefined {
    if (whole !== undefined) return isContainer(part) || node.typed ? whole.child(key, part) : undefined
    return this.onlyIssues ? traceOfJoint(part, node, this) : undefined
  }

  test(node: Node, value: unknown, trace: Trace | undefined): boolean {
    const { quiet } = this
    this.quiet = true
    const ok = node.check(value, this, trace)
    this.quiet = quiet
    return ok
  }

  collect(evaluate: () => void): IssueList {
    const { issues, explaining } = this
    this.issues = new IssueList(MAX_NEAREST_ISSUES)
    this.explaining = true
    evaluate()
    const found = this.issues
    this.issues = issues
    this.explaining = explaining
    return found
  }

  verdict(check: Check, value: unknown, isTraced: boolean): Verdict | undefined {
    const known = this.#verdicts?.get(check)?.get(value)
    if (known === undefined) return undefined
    if (known.ok) return isTraced && known.trace === undefined ? undefined : known
    if (this.quiet) return known
    const { reported } = known
    return reported?.issues === this.issues && reported.path === this.pointer ? known : undefined
  }

  remember(check: Check, value: unknown, ok: boolean, trace: Trace | undefined): void {
    if (this.isOver) return
    this.#verdicts ??= new Map()
    const verdicts = this.#verdicts.get(check) ?? new Map<unknown, Verdict>()
    this.#verdicts.set(check, verdicts)
    const reported = ok || this.quiet ? {} : { reported: { issues: this.issues, path: this.pointer } }
    verdicts.set(value, { ok, trace: ok ? trace : undefined, ...reported })
  }
}

export function pathItem(key: Segment): Segment {
  return typeof key === 'number' ? key : pointerToken(key)
}

function asToken(item: Segment): string {
  return typeof item === 'number' ? `/${item}` : item
}

interface WholeTrace<Key> {
  child(key: Key, value: unknown): Trace
}

/**
 * Facts that schemas have recorded about a value: evaluated fields and items, declared fields, and JavaScript types (`x-js`). JSON Schema uses the
 * term annotations for such facts.
 */
export type Trace = ObjectTrace | ArrayTrace | ScalarTrace

export function traceFor(value: unknown): Trace {
  if (Array.isArray(value)) return new ArrayTrace()
  return isContainer(value) && !(value instanceof TypedPart) ? new ObjectTrace() : new ScalarTrace()
}

export class ScalarTrace {
  type: JsType | undefined = undefined
  uncertain: boolean = false
  /** True if the traces of several arrays or objects contain this trace. Before a change, code must copy a shared trace. */
  isShared: boolean = false

  add(other: ScalarTrace, isAlternative: boolean): void {
    if (!isAlternative) this.type ??= other.type
  }

  forgetTypes(): void {
    this.type = undefined
  }

  copy(): ScalarTrace {
    const copy = new ScalarTrace()
    copy.type = this.type
    return copy
  }
}

abstract class ContainerTrace<Key> {
  /** True if no variant of a union matched, or if several variants of a `oneOf` matched. If true, the undeclared fields and items are unknown. */
  uncertain: boolean = false
  isShared: boolean = false
  children: Map<Key, Trace> | undefined = undefined
  /** Evaluated by keywords without a list of names, such as `patternProperties` or `contains`. */
  protected matched: Set<Key> | undefined = undefined

  match(key: Key): void {
    this.matched ??= new Set()
    this.matched.add(key)
  }

  add(other: this, isAlternative: boolean): void {
    if (isAlternative) this.#keepTypes(other)
    this.uncertain ||= other.uncertain
    for (const key of other.matched ?? []) this.match(key)
    this.addOwn(other, isAlternative)
    for (const [key, trace] of other.children ?? []) {
      const known = this.children?.get(key)
      if (known === undefined) this.adopt(key, trace)
      else absorb(this.#own(key, known), trace, isAlternative)
    }
  }

  protected abstract addOwn(other: this, isAlternative: boolean): void

  child(key: Key, value: unknown): Trace {
    const known = this.children?.get(key)
    if (known !== undefined) return this.#own(key, known)
    const made = traceFor(value)
    this.adopt(key, made)
    return made
  }

  #own(key: Key, trace: Trace): Trace {
    if (!trace.isShared) return trace
    const own = trace.copy()
    this.children?.set(key, own)
    return own
  }

  adopt(key: Key, trace: Trace): void {
    this.children ??= new Map()
    this.children.set(key, trace)
  }

  abstract isEvaluated(key: Key): boolean

  #keepTypes(other: ContainerTrace<Key>): void {
    for (const [key, trace] of other.children ?? []) {
      if (this.children?.has(key) !== true && this.isEvaluated(key)) other.#own(key, trace).forgetTypes()
    }
  }

  forgetTypes(): void {
    for (const [key, trace] of this.children ?? []) this.#own(key, trace).forgetTypes()
  }

  protected shareChildren(): void {
    for (const trace of this.children?.values() ?? []) trace.isShared = true
  }
}

export class ObjectTrace extends ContainerTrace<string> {
  /** True if a schema of the object has `properties`. In such an object, a field is undeclared if no schema evaluates or requires the field. */
  closed: boolean = false
  all: boolean = false
  readonly tables: ObjectTable[] = []
  /** `properties` of those matching union variants that follow the first matching variant. The defaults in these `properties` are ignored. */
  #withoutDefaults: Set<ObjectTable> | undefined = undefined
  /** Values of the keyword `required`. The named fields count as declared, even if no schema evaluates their values. */
  #required: Set<readonly string[]> | undefined = undefined

  declare(table: ObjectTable): void {
    this.tables.push(table)
    this.#withoutDefaults?.delete(table)
    this.closed = true
  }

  require(names: readonly string[]): void {
    this.#required ??= new Set()
    this.#required.add(names)
  }

  isRequired(key: string): boolean {
    if (this.#required === undefined) return false
    for (const names of this.#required) if (names.includes(key)) return true
    return false
  }

  hasDefaults(table: ObjectTable): boolean {
    return this.#withoutDefaults?.has(table) !== true
  }

  isEvaluated(key: string): boolean {
    if (this.all || this.matched?.has(key) === true) return true
    for (const table of this.tables) if (table.names.has(key)) return true
    return false
  }

  declaredNames(): Choices<string> {
    const [first, ...others] = this.tables
    if (first !== undefined && others.length === 0) return first.choices
    return new Choices(this.tables.flatMap((table) => [...table.names]))
  }

  knownNames(): Choices<string> {
    if (this.#required === undefined) return this.declaredNames()
    const required = [...this.#required].flat().filter((name) => !this.isEvaluated(name))
    return required.length === 0 ? this.declaredNames() : new Choices([...this.declaredNames().all, ...required])
  }

  copy(): ObjectTrace {
    const copy = new ObjectTrace()
    copy.add(this, false)
    copy.shareChildren()
    return copy
  }

  protected override addOwn(other: this, isAlternative: boolean): void {
    this.closed = isAlternative ? this.closed && other.closed : this.closed || other.closed
    this.all ||= other.all
    for (const table of other.tables) {
      const isNew = !this.tables.includes(table)
      if (!isAlternative && other.hasDefaults(table)) this.#withoutDefaults?.delete(table)
      else if (isNew) {
        this.#withoutDefaults ??= new Set()
        this.#withoutDefaults.add(table)
      }
      if (isNew) this.tables.push(table)
    }
    for (const names of other.#required ?? []) this.require(names)
  }
}

export class ArrayTrace extends ContainerTrace<number> {
  evaluated: number = 0

  isEvaluated(index: number): boolean {
    return index < this.evaluated || this.matched?.has(index) === true
  }

  copy(): ArrayTrace {
    const copy = new ArrayTrace()
    copy.add(this, false)
    copy.shareChildren()
    return copy
  }

  protected override addOwn(other: this): void {
    this.evaluated = Math.max(this.evaluated, other.evaluated)
  }
}

/** @param isAlternative true if `from` is the trace of a union variant, and an earlier variant already matched */
export function absorb(into: Trace, from: Trace, isAlternative: boolean = false): void {
  if (into instanceof ObjectTrace && from instanceof ObjectTrace) into.add(from, isAlternative)
  else if (into instanceof ArrayTrace && from instanceof ArrayTrace) into.add(from, isAlternative)
  else if (into instanceof ScalarTrace && from instanceof ScalarTrace) into.add(from, isAlternative)
}

/** With `run.quiet`, a check reports nothing and stops at the first violation, so that the trace of an invalid value is incomplete. */
export type Check = (value: unknown, run: Run, trace: Trace | undefined) => boolean

export type StringCheck = (value: string, run: Run) => boolean
export type NumberCheck = (value: number, run: Run) => boolean
export type ArrayCheck = (value: readonly unknown[], run: Run, trace: ArrayTrace | undefined) => boolean
export type ObjectCheck = (value: Fields, run: Run, trace: ObjectTrace | undefined) => boolean

/** Schema in executable form. The nodes can form cycles, because a `$ref` leads to the existing node of its target. */
export interface Node {
  readonly pointer: string
  readonly check: Check
  /**
   * If `fits` returns true, the value is valid. If `fits` returns false, `check` must decide. Only for schemas that allow neither arrays nor objects,
   * and have no JavaScript type (`x-js`).
   */
  readonly rule: { fits(value: unknown): boolean } | undefined
  /**
   * True if `x-js` can convert the value to a JavaScript type. The keyword can be in this schema, or in a schema that applies to the same value, such
   * as the target of `$ref`.
   */
  readonly typed: boolean
  /** True if decoding never changes a valid value: the schema and its subschemas have no default and no JavaScript type. */
  readonly isInert: boolean
  /** Generated type guard. Every value that the guard accepts is valid. */
  readonly gate: Gate | undefined
  /** True if this schema is not the only schema for its value, for example because it is a member of an `allOf`. */
  readonly isJoint: boolean
  /**
   * True if several schemas can apply to the value or to one of its fields, because this schema has a keyword such as `allOf`, `$ref` or
   * `patternProperties`.
   */
  readonly joins: boolean
  readonly description: string | undefined
}

/** Schema to convert to a {@link Node}, with its context. */
export interface Site extends Located {
  readonly schema: JsonSchemaObject
  readonly index: SchemaIndex
  readonly facts: SchemaFacts
  readonly patterns: boolean
  below(schema: unknown, ...path: readonly Segment[]): Node
  target(located: Located): Node
}

export interface Fallback {
  /** Validates the default. An invalid default is ignored. */
  readonly node: Node
  readonly value: unknown
}

export interface DeclaredField {
  readonly name: string
  readonly token: string
  readonly node: Node
  readonly inherited: boolean
  readonly isRequired: boolean
  /** Bit that represents the field in a set of fields. The set is a 32-bit number, so the first and the 33rd field share a bit. */
  readonly bit: number
  readonly fallback: Fallback | undefined
}

export interface ObjectTable {
  readonly fields: readonly DeclaredField[]
  readonly names: ReadonlySet<string>
  readonly choices: Choices<string>
}

export function isKnownField(trace: ObjectTrace, key: string): boolean {
  // A required field is known, even if no schema has evaluated the field.
  return isKnownAsAWhole(trace) || trace.isEvaluated(key) || trace.isRequired(key)
}

function isKnownAsAWhole(trace: ObjectTrace): boolean {
  return !trace.closed || trace.uncertain || trace.all
}

/**
 * Undeclared fields of a value can be reported only at the end of the evaluation if several schemas together declare its fields. A schema that
 * declares all fields alone reports undeclared fields immediately, and needs no trace (recorded facts).
 */
export function traceOfJoint(value: unknown, node: Node, run: Run): Trace | undefined {
  if (!(node.isJoint || node.joins) || !run.seeksUndeclared || !isContainer(value)) return undefined
  const trace = traceFor(value)
  run.postponed.add(() => reportUndeclared(value, trace, run), run.path)
  return trace
}

export function reportUndeclared(value: unknown, trace: Trace, run: Run): void {
  if (run.isOver) return
  if (trace instanceof ObjectTrace && isFields(value)) {
    if (!isKnownAsAWhole(trace)) {
      // Values are plain JSON and inherit no keys. `for ... in` avoids an array of keys.
      for (const key in value) if (!isKnownField(trace, key)) reportUnknown(run, key, () => trace.knownNames())
    }
    if (trace.children !== undefined) for (const [key, child] of trace.children) below(value[key], key, child, run)
  } else if (trace instanceof ArrayTrace && Array.isArray(value)) {
    if (trace.children !== undefined)
      for (const [index, child] of trace.children) below(value[index], index, child, run)
  }
}

function below(part: unknown, key: string | number, trace: Trace, run: Run): void {
  run.path.push(pathItem(key))
  reportUndeclared(part, trace, run)
  run.path.pop()
}

export function reportUnknown(run: Run, field: string, known: () => Choices<string>): false {
  if (run.quiet) return false
  if (run.issues.isFull) return run.report({ constraint: 'unknown_field', field, allowed: [] }, { name: field })
  const choices = known()
  const nearest = run.nearest(field, choices)
  const { allowed, more } = choices.listed(nearest)
  if (more !== undefined) {
    const facts = { constraint: 'unknown_field', field, allowed, more } as const
    return run.report(nearest === undefined ? facts : { ...facts, nearest }, { name: field })
  }
  const path = run.pointer + pointerToken(field)
  const message = unknownFieldMessage(field, nearest, choices.words)
  const issue: Issue =
    nearest === undefined
      ? { path, constraint: 'unknown_field', field, allowed, message }
      : { path, constraint: 'unknown_field', field, allowed, nearest, message }
  return run.add(issue, undefined)
}
