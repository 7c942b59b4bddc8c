import type { JsonSchemaObject } from '../types/json.js'
import { Choices } from './choices.js'
import { IssueList, Postponed } from './issue-list.js'
import { type IssueFacts, unknownFieldMessage } from './issue-messages.js'
import { unknownFieldFacts } from './issues.js'
import { pointerOf, pointerSegment, type Segment } from './json-pointer.js'
import { type Fields, isContainer, isFields } from './json-values.js'
import { loose, strict } from './mode.js'
import type { NameList } from './nearest.js'
import type { Gate, Located, SchemaIndex } from './references.js'
import type { SchemaFacts } from './schema-facts.js'
import type { JsType } from './typed-values.js'
import { TypedPart } from './unwritable.js'

const MAX_ISSUES = 100
/** Maximum number of listed issues of a union's nearest variant. */
const MAX_NEAREST_ISSUES = 10
/** Maximum number of pairs of letters that a run compares to find near names; then issues do without them. */
const MAX_COMPARED = 10_000_000

interface Verdict {
  readonly ok: boolean
  /** Of a valid container, where it was wanted; values without parts have none. */
  readonly trace: Trace | undefined
  /** List and path to which the issues of an invalid value were reported. */
  readonly reported?: { readonly issues: IssueList; readonly path: string }
}

interface ReportedField {
  readonly name: Segment
  readonly description?: string | undefined
}

/** One evaluation of one value: what was found so far and where evaluation stands. */
export class Run {
  issues: IssueList = new IssueList(MAX_ISSUES)
  readonly path: Segment[] = []
  /** Only the verdict is wanted: nothing is reported, and the first issue ends a check. */
  quiet: boolean = false
  /** The issues of a union's nearest variant are being looked for. */
  explaining: boolean = false
  /** The schema author's description of the value that is being evaluated. */
  about: string | undefined = undefined
  /** True if the value holds parts that JSON cannot carry. */
  readonly hasUnwritable: boolean
  /**
   * True if unions prefer the variants that name the types of typed values; else those that match the wire form first.
   */
  readonly judgesTypes: boolean
  readonly rejectsUnknown: boolean
  /** Only issues are wanted: gates answer for what they accept, and what nobody asks for later is not learnt. */
  readonly onlyIssues: boolean
  /** Issues that come after all others: undeclared fields, where only issues are wanted. */
  readonly postponed: Postponed = new Postponed()
  /** Number of schemas that are being applied within each other. */
  nesting: number = 0
  /** Depth in the value at which evaluation gave up; `undefined` if it did not. */
  exhaustedAt: number | undefined = undefined
  /** The schema resources that evaluation is within, for `$dynamicRef`. */
  readonly scope: string[] = []
  #near: Map<NameList, Map<string, string | undefined>> | undefined = undefined
  #compared = 0
  #verdicts: Map<Check, Map<unknown, Verdict>> | undefined = undefined

  constructor(options: {
    readonly hasUnwritable: boolean
    readonly rejectsUnknown: boolean
    readonly onlyIssues?: boolean
    readonly judgesTypes?: boolean
  }) {
    this.hasUnwritable = options.hasUnwritable
    this.judgesTypes = options.judgesTypes ?? false
    this.rejectsUnknown = options.rejectsUnknown
    this.onlyIssues = options.onlyIssues ?? false
  }

  /**
   * Records an issue of the current place, or of a field of it; `message` is its sentence where that is prepared.
   * Always `false`: the verdict of whoever reports.
   */
  report(facts: IssueFacts, field?: ReportedField, message?: string): false {
    if (this.quiet || this.issues.isOver) return false
    const here = pointerOf(this.path)
    if (field === undefined) this.issues.add(facts, { path: here, description: this.about, message })
    else {
      const { name, description } = field
      this.issues.add(facts, { path: `${here}/${pointerSegment(name)}`, description, message })
    }
    return false
  }

  /** The text among choices that was probably meant; `undefined` also where the run has compared enough. */
  nearest(received: string, choices: Pick<Choices, 'names'>): string | undefined {
    if (this.issues.isFull || this.#compared >= MAX_COMPARED) return undefined
    const { names } = choices
    this.#near ??= new Map()
    const known = this.#near.get(names) ?? new Map<string, string | undefined>()
    this.#near.set(names, known)
    if (known.has(received)) return known.get(received)
    this.#compared += names.cost(received)
    const nearest = names.first(received)
    known.set(received, nearest)
    return nearest
  }

  /** Gives up: too many schemas are applied within each other. Nothing else that is reported counts then. */
  exhaust(): false {
    this.exhaustedAt ??= this.path.length
    return false
  }

  /** Returns whether a gate accepts a value: it has no issues, undeclared fields included if they are issues. */
  accepts({ gate }: Node, value: unknown): boolean {
    return this.onlyIssues && gate?.(value, this.rejectsUnknown ? strict : loose) === true
  }

  /** True if there are too many issues to look for more. */
  get isOver(): boolean {
    return (this.issues.isOver && !this.quiet) || this.postponed.isOver
  }

  /** Evaluates a part of the current value; the trace is that of the whole. */
  descend<Key extends Segment>(node: Node, part: unknown, key: Key, whole: WholeTrace<Key> | undefined): boolean {
    if (this.isOver) return false
    if (this.accepts(node, part)) {
      // It has no issues, and other schemas that apply to it must not find anything undeclared in it.
      if (node.isJoint) markEvaluated(whole, key, part)
      return true
    }
    const { about } = this
    this.about = undefined
    this.path.push(key)
    const trace = this.#traceOfPart(node, part, key, whole)
    const ok = node.check(part, this, trace)
    this.path.pop()
    this.about = about
    return ok
  }

  /** True if undeclared fields are to be found while evaluation goes on, where it stands. */
  get seeksUndeclared(): boolean {
    return this.onlyIssues && this.rejectsUnknown && !this.quiet
  }

  /** The trace for a part of a container: none where none is wanted or there is nothing to learn about the part. */
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

  /** The issues that an evaluation reports, apart from all others. */
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

  /** Returns an earlier result of a check for a value, if it suffices now. */
  verdict(check: Check, value: unknown, isTraced: boolean): Verdict | undefined {
    const known = this.#verdicts?.get(check)?.get(value)
    if (known === undefined) return undefined
    if (known.ok) return isTraced && known.trace === undefined ? undefined : known
    if (this.quiet) return known
    const { reported } = known
    return reported?.issues === this.issues && reported.path === pointerOf(this.path) ? known : undefined
  }

  remember(check: Check, value: unknown, ok: boolean, trace: Trace | undefined): void {
    // Nothing is asked for any more.
    if (this.isOver) return
    this.#verdicts ??= new Map()
    const verdicts = this.#verdicts.get(check) ?? new Map<unknown, Verdict>()
    this.#verdicts.set(check, verdicts)
    const reported = ok || this.quiet ? {} : { reported: { issues: this.issues, path: pointerOf(this.path) } }
    verdicts.set(value, { ok, trace: ok ? trace : undefined, ...reported })
  }
}

function markEvaluated<Key>(whole: WholeTrace<Key> | undefined, key: Key, part: unknown): void {
  const trace = whole?.child(key, part)
  if (trace instanceof ObjectTrace) trace.all = true
}

/** The trace of a whole, of whose parts something may be learnt. */
interface WholeTrace<Key> {
  child(key: Key, value: unknown): Trace
}

/** Annotations of a value in the sense of JSON Schema: facts that evaluation collects in addition to validity. */
export type Trace = ObjectTrace | ArrayTrace | ScalarTrace

/** A fresh trace for a value. */
export function traceFor(value: unknown): Trace {
  if (Array.isArray(value)) return new ArrayTrace()
  return isContainer(value) && !(value instanceof TypedPart) ? new ObjectTrace() : new ScalarTrace()
}

/** Facts about a value without parts. Exists only where a schema may name a JavaScript type. */
export class ScalarTrace {
  /** JavaScript type to which the string is decoded. The first schema that names one counts. */
  type: JsType | undefined = undefined
  /** A union matched nothing or too much here. */
  uncertain: boolean = false
  /** True if several traces have it for their part: then it does not change any more. */
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
  /** A union matched nothing or too much here, so that nothing is known about undeclared parts. */
  uncertain: boolean = false
  /** True if several traces have it for their part: then it does not change any more. */
  isShared: boolean = false
  /** The traces of parts that have parts themselves. Most containers have none: made when first needed. */
  children: Map<Key, Trace> | undefined = undefined
  /** Undeclared parts that were evaluated, e.g. by `patternProperties` or `contains`. */
  protected matched: Set<Key> | undefined = undefined

  /** Records that an undeclared part was evaluated. */
  match(key: Key): void {
    this.matched ??= new Set()
    this.matched.add(key)
  }

  /**
   * Adds what another schema has learnt that applies too.
   *
   * @param isAlternative true for another variant that matches as well: only one of the two need apply
   */
  add(other: this, isAlternative: boolean): void {
    if (isAlternative) this.#keepTypes(other)
    this.uncertain ||= other.uncertain
    for (const key of other.matched ?? []) this.match(key)
    this.addOwn(other, isAlternative)
    for (const [key, trace] of other.children ?? []) {
      const known = this.children?.get(key)
      if (known === undefined) this.adopt(key, trace)
      else merge(this.#own(key, known), trace, isAlternative)
    }
  }

  protected abstract addOwn(other: this, isAlternative: boolean): void

  /** The trace of a part, made when it is first asked for: all schemas that apply to the part share it. */
  child(key: Key, value: unknown): Trace {
    const known = this.children?.get(key)
    if (known !== undefined) return this.#own(key, known)
    const made = traceFor(value)
    this.children ??= new Map()
    this.children.set(key, made)
    return made
  }

  /** The trace of a part that may be changed: one that is shared gives way to a copy. */
  #own(key: Key, trace: Trace): Trace {
    if (!trace.isShared) return trace
    const own = trace.copy()
    this.children?.set(key, own)
    return own
  }

  /** Takes the trace of a part that was filled in. */
  adopt(key: Key, trace: Trace): void {
    this.children ??= new Map()
    this.children.set(key, trace)
  }

  abstract isEvaluated(key: Key): boolean

  /** Lets another variant that matches as well name types only for what this one says nothing about. */
  #keepTypes(other: ContainerTrace<Key>): void {
    for (const [key, trace] of other.children ?? []) {
      if (this.children?.has(key) !== true && this.isEvaluated(key)) other.#own(key, trace).forgetTypes()
    }
  }

  /** Forgets the types that are named for parts, at any depth. */
  forgetTypes(): void {
    for (const [key, trace] of this.children ?? []) this.#own(key, trace).forgetTypes()
  }

  /** Lets a copy have the same parts: values may be deep, and each level is copied in turn. */
  protected shareChildren(): void {
    for (const trace of this.children?.values() ?? []) trace.isShared = true
  }
}

/** Facts about an object. */
export class ObjectTrace extends ContainerTrace<string> {
  /** Some schema says which fields there are, so that all others are unknown. */
  closed: boolean = false
  /** Every key was evaluated, e.g. by `additionalProperties`. */
  all: boolean = false
  /** The declarations that apply, in the order in which they were met. */
  readonly tables: ObjectTable[] = []
  /** Those of them whose defaults do not count: another variant matched before theirs. */
  #withoutDefaults: Set<ObjectTable> | undefined = undefined
  /** The names that schemas require. They are known, but what they hold is evaluated by nobody. */
  #required: Set<readonly string[]> | undefined = undefined

  /** Records the `properties` of a schema that applies. */
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

  /** The declared names, then those that are required without being declared. */
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

/** Facts about an array. */
export class ArrayTrace extends ContainerTrace<number> {
  /** Number of items from the start that were evaluated. */
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

/** Adds `from` to `into`, both traces of the same value. */
export function absorb(into: Trace, from: Trace): void {
  merge(into, from, false)
}

/** Adds the variant `from` to the variant `into`, both traces of the same value. */
export function addAlternative(into: Trace, from: Trace): void {
  merge(into, from, true)
}

function merge(into: Trace, from: Trace, isAlternative: boolean): void {
  if (into instanceof ObjectTrace && from instanceof ObjectTrace) into.add(from, isAlternative)
  else if (into instanceof ArrayTrace && from instanceof ArrayTrace) into.add(from, isAlternative)
  else if (into instanceof ScalarTrace && from instanceof ScalarTrace) into.add(from, isAlternative)
}

/**
 * Says whether a value satisfies a schema. Reports issues to the run (all of them; the first suffices where the run is
 * quiet) and writes to the trace, where one is wanted, which parts it evaluated. After `false` the trace of a quiet run
 * means nothing.
 */
export type Check = (value: unknown, run: Run, trace: Trace | undefined) => boolean

/** A check of what is in a text. */
export type StringCheck = (value: string, run: Run) => boolean
/** A check of a number. */
export type NumberCheck = (value: number, run: Run) => boolean
/** A check of an array's items. */
export type ArrayCheck = (value: readonly unknown[], run: Run, trace: ArrayTrace | undefined) => boolean
/** A check of an object's fields. */
export type ObjectCheck = (value: Fields, run: Run, trace: ObjectTrace | undefined) => boolean

/** A schema, prepared once. References lead back to nodes, so that nodes form a graph. */
export interface Node {
  readonly pointer: string
  readonly check: Check
  /** True if it, or a schema that applies with it, may name a JavaScript type (`x-js`) for the value. */
  readonly typed: boolean
  /** A generated check: what it accepts has no issues. */
  readonly gate: Gate | undefined
  /** True if several schemas may apply to the value. */
  readonly isJoint: boolean
  /** True if it applies further schemas to the value, or to parts that it does not name. */
  readonly joins: boolean
  /** The author's description of the value, also from the target of a reference. */
  readonly description: string | undefined
}

/** A schema that is being prepared, with the means to prepare the schemas within it. */
export interface Site extends Located {
  readonly schema: JsonSchemaObject
  readonly index: SchemaIndex
  readonly facts: SchemaFacts
  /** False: `pattern` and `patternProperties` are ignored. */
  readonly patterns: boolean
  below(schema: unknown, ...path: readonly Segment[]): Node
  target(located: Located): Node
}

/** A default of a field, as the schema gives it. */
export interface Fallback {
  /** Checks the default itself: one that breaks its own schema is not used. */
  readonly node: Node
  readonly value: unknown
}

/** One declared field. */
export interface DeclaredField {
  readonly name: string
  readonly node: Node
  /** True if every object inherits something of this name. */
  readonly inherited: boolean
  readonly fallback?: Fallback
}

/** Declarations in the `properties` of one schema, in order. */
export interface ObjectTable {
  readonly fields: readonly DeclaredField[]
  readonly names: ReadonlySet<string>
  readonly choices: Choices<string>
}

/**
 * Returns whether a field is known: evaluated or required by some schema, or part of an object whose fields nobody
 * lists.
 */
export function isKnownField(trace: ObjectTrace, key: string): boolean {
  return isKnownAsAWhole(trace) || trace.isEvaluated(key) || trace.isRequired(key)
}

function isKnownAsAWhole(trace: ObjectTrace): boolean {
  return !trace.closed || trace.uncertain || trace.all
}

/**
 * The trace for a value where only issues are wanted: it tells what several schemas leave undeclared. None where one
 * schema alone says what the value may hold: that one looks for itself.
 */
export function traceOfJoint(value: unknown, node: Node, run: Run): Trace | undefined {
  if (!(node.isJoint || node.joins) || !run.seeksUndeclared || !isContainer(value)) return undefined
  const trace = traceFor(value)
  run.postponed.add(() => reportUndeclared(value, trace, run), run.path)
  return trace
}

/** Reports every field of a value, at any depth, that no applicable schema declares. */
export function reportUndeclared(value: unknown, trace: Trace, run: Run): void {
  if (run.isOver) return
  if (trace instanceof ObjectTrace && isFields(value)) {
    if (!isKnownAsAWhole(trace)) {
      // Parts are plain JSON: they inherit no keys, and this way no list is made.
      for (const key in value) if (!isKnownField(trace, key)) reportUnknown(run, key, () => trace.knownNames())
    }
    if (trace.children !== undefined) for (const [key, child] of trace.children) below(value[key], key, child, run)
  } else if (trace instanceof ArrayTrace && Array.isArray(value)) {
    if (trace.children !== undefined)
      for (const [index, child] of trace.children) below(value[index], index, child, run)
  }
}

function below(part: unknown, key: string | number, trace: Trace, run: Run): void {
  run.path.push(key)
  reportUndeclared(part, trace, run)
  run.path.pop()
}

/** Reports a field that must not be there, with the names that may. */
export function reportUnknown(run: Run, field: string, known: () => Choices<string>): false {
  if (run.quiet) return false
  if (run.issues.isFull) return run.report({ constraint: 'unknown_field', field, allowed: [] }, { name: field })
  const choices = known()
  const nearest = run.nearest(field, choices)
  const message = unknownFieldMessage(field, nearest, choices.words)
  return run.report(unknownFieldFacts(field, choices, nearest), { name: field }, message)
}
