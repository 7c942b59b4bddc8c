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
/** Maximum number of listed issues of the variant that matches best. */
const MAX_NEAREST_ISSUES = 10
/** Maximum number of letter comparisons per evaluation for finding similar names. Beyond it, no names are suggested. */
const MAX_COMPARED = 10_000_000

interface Verdict {
  readonly ok: boolean
  /** Trace of a valid array or object, if one was requested. */
  readonly trace: Trace | undefined
  /** Issue list and path to which the issues of an invalid value were added. */
  readonly reported?: { readonly issues: IssueList; readonly path: string }
}

interface ReportedField {
  readonly name: Segment
  readonly description?: string | undefined
}

/** State of one evaluation of one value: the issues found so far and the current position. */
export class Run {
  issues: IssueList = new IssueList(MAX_ISSUES)
  readonly path: Segment[] = []
  /** True if only the result (valid or not) matters: the check reports no issues and ends at the first violation. */
  quiet: boolean = false
  /** True while the issues of the best matching variant of a union are collected. */
  explaining: boolean = false
  /** Description, from the schema, of the current value. */
  about: string | undefined = undefined
  /** True if the value contains parts that JSON cannot represent. */
  readonly hasUnwritable: boolean
  /**
   * True if unions prefer variants that name the type of a typed value (`x-js`) over variants that match its string
   * form.
   */
  readonly judgesTypes: boolean
  readonly rejectsUnknown: boolean
  /** True if only issues matter, not the decoded value. Generated checks then replace parts of the evaluation. */
  readonly onlyIssues: boolean
  /** Reports of undeclared fields, which follow all other issues if `onlyIssues` is set. */
  readonly postponed: Postponed = new Postponed()
  /** Number of nested schemas that are being applied to the current value. */
  nesting: number = 0
  /** Depth at which evaluation stopped because schemas are nested too deep; `undefined` if it did not stop. */
  exhaustedAt: number | undefined = undefined
  /** Base URIs of the schema resources that are being evaluated, outermost first, for `$dynamicRef`. */
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
   * Adds an issue at the current position, or at one of its fields. Always returns `false`, as the result of a failed
   * check.
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

  /**
   * Returns the allowed string most similar to `received`; `undefined` if none is similar or the comparison limit is
   * reached.
   */
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

  /** Stops evaluation because too many schemas are nested. All other issues are discarded. */
  exhaust(): false {
    this.exhaustedAt ??= this.path.length
    return false
  }

  /** Returns whether the generated check of a schema accepts a value. An accepted value has no issues. */
  accepts({ gate }: Node, value: unknown): boolean {
    return this.onlyIssues && gate?.(value, this.rejectsUnknown ? strict : loose) === true
  }

  /** True if the limit of counted issues is reached, so that evaluation can stop. */
  get isOver(): boolean {
    return (this.issues.isOver && !this.quiet) || this.postponed.isOver
  }

  /** Evaluates a field or item of the current value. `whole` is the trace of the current value. */
  descend<Key extends Segment>(node: Node, part: unknown, key: Key, whole: WholeTrace<Key> | undefined): boolean {
    if (this.isOver) return false
    if (this.accepts(node, part)) {
      // Other schemas for the same value must not report undeclared fields in it.
      const trace = node.isJoint ? whole?.child(key, part) : undefined
      if (trace instanceof ObjectTrace) trace.all = true
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

  /** True if undeclared fields are reported during evaluation, not afterwards from the trace. */
  get seeksUndeclared(): boolean {
    return this.onlyIssues && this.rejectsUnknown && !this.quiet
  }

  /** Returns the trace for a field or item; `undefined` if no trace is needed. */
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

  /** Returns the issues that `evaluate` reports, without adding them to those of the run. */
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

  /** Returns the cached result of a check for a value, if it can be used. */
  verdict(check: Check, value: unknown, isTraced: boolean): Verdict | undefined {
    const known = this.#verdicts?.get(check)?.get(value)
    if (known === undefined) return undefined
    if (known.ok) return isTraced && known.trace === undefined ? undefined : known
    if (this.quiet) return known
    const { reported } = known
    return reported?.issues === this.issues && reported.path === pointerOf(this.path) ? known : undefined
  }

  remember(check: Check, value: unknown, ok: boolean, trace: Trace | undefined): void {
    if (this.isOver) return
    this.#verdicts ??= new Map()
    const verdicts = this.#verdicts.get(check) ?? new Map<unknown, Verdict>()
    this.#verdicts.set(check, verdicts)
    const reported = ok || this.quiet ? {} : { reported: { issues: this.issues, path: pointerOf(this.path) } }
    verdicts.set(value, { ok, trace: ok ? trace : undefined, ...reported })
  }
}

/** Trace of an array or object. */
interface WholeTrace<Key> {
  child(key: Key, value: unknown): Trace
}

/**
 * Results of evaluating a value (JSON Schema annotations): its evaluated parts, declared fields and JavaScript types.
 */
export type Trace = ObjectTrace | ArrayTrace | ScalarTrace

/** Creates the trace of a value. */
export function traceFor(value: unknown): Trace {
  if (Array.isArray(value)) return new ArrayTrace()
  return isContainer(value) && !(value instanceof TypedPart) ? new ObjectTrace() : new ScalarTrace()
}

/** Trace of a value that is not an array or object. Used only if a schema can name a JavaScript type for it. */
export class ScalarTrace {
  /** JavaScript type to which the string is decoded: that of the first schema that names one. */
  type: JsType | undefined = undefined
  /** True if no variant of a union matched, or too many did. */
  uncertain: boolean = false
  /** True if several traces of arrays or objects contain this trace. It must then be copied before a change. */
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
  /** True if no variant of a union matched, or too many did. It is then unknown which parts are undeclared. */
  uncertain: boolean = false
  /** True if several traces contain this trace. It must then be copied before a change. */
  isShared: boolean = false
  /** Traces of nested arrays and objects. Created when first needed, because most values have none. */
  children: Map<Key, Trace> | undefined = undefined
  /** Undeclared fields or items that were evaluated, for example by `patternProperties` or `contains`. */
  protected matched: Set<Key> | undefined = undefined

  match(key: Key): void {
    this.matched ??= new Set()
    this.matched.add(key)
  }

  /**
   * Adds the trace of another schema that applies to the same value.
   *
   * @param isAlternative true if the other schema is another matching variant of a union
   */
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

  /** Returns the trace of a field or item, and creates it if needed. All schemas that apply to the part share it. */
  child(key: Key, value: unknown): Trace {
    const known = this.children?.get(key)
    if (known !== undefined) return this.#own(key, known)
    const made = traceFor(value)
    this.adopt(key, made)
    return made
  }

  /** Returns a trace that may be changed: a copy if the trace is shared. */
  #own(key: Key, trace: Trace): Trace {
    if (!trace.isShared) return trace
    const own = trace.copy()
    this.children?.set(key, own)
    return own
  }

  /** Sets the trace of a field whose default was filled in. */
  adopt(key: Key, trace: Trace): void {
    this.children ??= new Map()
    this.children.set(key, trace)
  }

  abstract isEvaluated(key: Key): boolean

  /** Removes JavaScript types from `other` for parts that this variant has evaluated: this variant matched first. */
  #keepTypes(other: ContainerTrace<Key>): void {
    for (const [key, trace] of other.children ?? []) {
      if (this.children?.has(key) !== true && this.isEvaluated(key)) other.#own(key, trace).forgetTypes()
    }
  }

  /** Removes the JavaScript types that were recorded for fields and items, at any depth. */
  forgetTypes(): void {
    for (const [key, trace] of this.children ?? []) this.#own(key, trace).forgetTypes()
  }

  /** Shares the traces of parts with a copy. A shared trace is copied only before it changes. */
  protected shareChildren(): void {
    for (const trace of this.children?.values() ?? []) trace.isShared = true
  }
}

export class ObjectTrace extends ContainerTrace<string> {
  /** True if a schema lists fields, so that all others are undeclared. */
  closed: boolean = false
  /** True if every field was evaluated, for example by `additionalProperties`. */
  all: boolean = false
  /** The `properties` of all schemas that apply, in the order of evaluation. */
  readonly tables: ObjectTable[] = []
  /** The tables whose defaults are not used, because they belong to a variant that was not the first match. */
  #withoutDefaults: Set<ObjectTable> | undefined = undefined
  /** Required field names. These fields count as declared, but no schema evaluates their values. */
  #required: Set<readonly string[]> | undefined = undefined

  /** Adds the `properties` of a schema that applies. */
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

  /** The field names in `properties`, then the names that are only in `required`. */
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
  /** Number of leading items that were evaluated. */
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

/**
 * Merges `from` into `into`; both are traces of the same value.
 *
 * @param isAlternative true if `from` is the trace of another matching variant of a union. Default: false
 */
export function absorb(into: Trace, from: Trace, isAlternative: boolean = false): void {
  if (into instanceof ObjectTrace && from instanceof ObjectTrace) into.add(from, isAlternative)
  else if (into instanceof ArrayTrace && from instanceof ArrayTrace) into.add(from, isAlternative)
  else if (into instanceof ScalarTrace && from instanceof ScalarTrace) into.add(from, isAlternative)
}

/**
 * Returns whether a value satisfies a schema. Reports its issues to the run: all of them, or only the first if the run
 * is quiet. Records the evaluated parts in the trace, if there is one. If a quiet run returns `false`, the trace is
 * incomplete.
 */
export type Check = (value: unknown, run: Run, trace: Trace | undefined) => boolean

export type StringCheck = (value: string, run: Run) => boolean
export type NumberCheck = (value: number, run: Run) => boolean
export type ArrayCheck = (value: readonly unknown[], run: Run, trace: ArrayTrace | undefined) => boolean
export type ObjectCheck = (value: Fields, run: Run, trace: ObjectTrace | undefined) => boolean

/** Prepared schema. Nodes form a graph, because references lead to existing nodes. */
export interface Node {
  readonly pointer: string
  readonly check: Check
  /** True if this schema, or one that applies to the same value, can name a JavaScript type (`x-js`). */
  readonly typed: boolean
  /** Generated check. Values that it accepts have no issues. */
  readonly gate: Gate | undefined
  /** True if other schemas can apply to the same value. */
  readonly isJoint: boolean
  /** True if this schema applies further schemas to the value, or to parts whose names the schema does not list. */
  readonly joins: boolean
  /** Description from the schema, or from the target of its reference. */
  readonly description: string | undefined
}

/** Schema that is being prepared, with functions that prepare its subschemas and reference targets. */
export interface Site extends Located {
  readonly schema: JsonSchemaObject
  readonly index: SchemaIndex
  readonly facts: SchemaFacts
  /** If false, `pattern` and `patternProperties` are ignored. */
  readonly patterns: boolean
  below(schema: unknown, ...path: readonly Segment[]): Node
  target(located: Located): Node
}

/** Default of a field, as written in the schema. */
export interface Fallback {
  /** Validates the default. An invalid default is not used. */
  readonly node: Node
  readonly value: unknown
}

export interface DeclaredField {
  readonly name: string
  readonly node: Node
  /** True if `Object.prototype` has a member of this name. */
  readonly inherited: boolean
  readonly fallback?: Fallback
}

/** The `properties` of one schema, in order. */
export interface ObjectTable {
  readonly fields: readonly DeclaredField[]
  readonly names: ReadonlySet<string>
  readonly choices: Choices<string>
}

/**
 * Returns whether a field is allowed: a schema evaluates or requires it, or no schema lists the fields of the object.
 */
export function isKnownField(trace: ObjectTrace, key: string): boolean {
  return isKnownAsAWhole(trace) || trace.isEvaluated(key) || trace.isRequired(key)
}

function isKnownAsAWhole(trace: ObjectTrace): boolean {
  return !trace.closed || trace.uncertain || trace.all
}

/**
 * Returns the trace of a value if several schemas can declare its fields; undeclared fields are then reported at the
 * end. Returns `undefined` if one schema declares all fields: that schema reports the undeclared ones.
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
  run.path.push(key)
  reportUndeclared(part, trace, run)
  run.path.pop()
}

/** Reports an undeclared field, with the names that are allowed. */
export function reportUnknown(run: Run, field: string, known: () => Choices<string>): false {
  if (run.quiet) return false
  if (run.issues.isFull) return run.report({ constraint: 'unknown_field', field, allowed: [] }, { name: field })
  const choices = known()
  const nearest = run.nearest(field, choices)
  const message = unknownFieldMessage(field, nearest, choices.words)
  return run.report(unknownFieldFacts(field, choices, nearest), { name: field }, message)
}
