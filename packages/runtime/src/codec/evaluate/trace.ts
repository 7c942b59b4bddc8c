import { Choices } from '../issues/choices.js'
import { isContainer } from '../json/kind.js'
import { TypedPart } from '../json/unwritable.js'
import type { JsType } from '../typed/js-type.js'
import type { ObjectTable } from './object-table.js'

/** What evaluation learnt about a value, apart from whether it is valid: the annotations of JSON Schema. */
export type Trace = ObjectTrace | ArrayTrace | ScalarTrace

/** A fresh trace for a value. */
export function traceFor(value: unknown): Trace {
  if (Array.isArray(value)) return new ArrayTrace()
  return isContainer(value) && !(value instanceof TypedPart) ? new ObjectTrace() : new ScalarTrace()
}

/** What is known about a value without parts. Made only where some schema may name a JavaScript type. */
export class ScalarTrace {
  /** What the text is decoded to. The first schema that says so counts. */
  type: JsType | undefined = undefined
  /** A union matched nothing or too much here. */
  uncertain: boolean = false
  /** Whether several traces have it for their part: then it does not change any more. */
  isShared: boolean = false

  /** Adds what another schema that applies too has learnt. */
  absorb(other: ScalarTrace): void {
    this.type ??= other.type
  }

  /** Forgets the type, and leaves a text that stays text. */
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
  /** Whether several traces have it for their part: then it does not change any more. */
  isShared: boolean = false
  /** The traces of parts that have parts themselves. Most containers have none: made when first needed. */
  children: Map<Key, Trace> | undefined = undefined

  /** The trace of a part, made when it is first asked for: all schemas that apply to the part share it. */
  child(key: Key, value: unknown): Trace {
    const known = this.children?.get(key)
    if (known !== undefined) return this.#own(key, known)
    const made = traceFor(value)
    this.children ??= new Map()
    this.children.set(key, made)
    return made
  }

  protected joinChildren(other: ContainerTrace<Key>, join: (into: Trace, from: Trace) => void): void {
    if (other.children === undefined) return
    this.children ??= new Map()
    for (const [key, trace] of other.children) {
      const known = this.children.get(key)
      if (known === undefined) this.children.set(key, trace)
      else join(this.#own(key, known), trace)
    }
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

  /** Whether some schema evaluated the part. */
  abstract isEvaluated(key: Key): boolean

  /** Lets another variant that matches as well name types only for what this one says nothing about. */
  protected keepTypes(other: ContainerTrace<Key>): void {
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

/** What is known about an object. */
export class ObjectTrace extends ContainerTrace<string> {
  /** Some schema says which fields there are, so that all others are unknown. */
  closed: boolean = false
  /** Every key was evaluated, e.g. by `additionalProperties`. */
  all: boolean = false
  /** The declarations that apply, in the order in which they were met. */
  readonly tables: ObjectTable[] = []
  /** Those of them whose defaults do not count: another variant matched before theirs. */
  #withoutDefaults: Set<ObjectTable> | undefined = undefined
  /** Undeclared keys that were evaluated, e.g. by `patternProperties`. */
  #matched: Set<string> | undefined = undefined
  /** The names that schemas require. They are known, but what they hold is evaluated by nobody. */
  #required: Set<readonly string[]> | undefined = undefined

  /** Records the `properties` of a schema that applies. */
  declare(table: ObjectTable): void {
    this.tables.push(table)
    this.#withoutDefaults?.delete(table)
    this.closed = true
  }

  /** Records that an undeclared field was evaluated. */
  match(key: string): void {
    this.#matched ??= new Set()
    this.#matched.add(key)
  }

  /** Records the names that a schema requires. */
  require(names: readonly string[]): void {
    this.#required ??= new Set()
    this.#required.add(names)
  }

  /** Whether some schema that applies requires the field. */
  isRequired(key: string): boolean {
    if (this.#required === undefined) return false
    for (const names of this.#required) if (names.includes(key)) return true
    return false
  }

  /** Whether the defaults of a declaration count. */
  hasDefaults(table: ObjectTable): boolean {
    return this.#withoutDefaults?.has(table) !== true
  }

  /** Whether some schema evaluated the field. */
  isEvaluated(key: string): boolean {
    if (this.all || this.#matched?.has(key) === true) return true
    for (const table of this.tables) if (table.names.has(key)) return true
    return false
  }

  /** The declared names, in declared order. */
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

  /** Adds what another schema that applies too has learnt. */
  absorb(other: ObjectTrace): void {
    this.closed ||= other.closed
    this.#add(other, (table) => other.hasDefaults(table))
    this.joinChildren(other, absorb)
  }

  /** Adds what another variant has learnt that matches as well: only one of the two need apply. */
  addAlternative(other: ObjectTrace): void {
    this.keepTypes(other)
    this.closed &&= other.closed
    this.#add(other, () => false)
    this.joinChildren(other, addAlternative)
  }

  copy(): ObjectTrace {
    const copy = new ObjectTrace()
    copy.absorb(this)
    copy.shareChildren()
    return copy
  }

  #add(other: ObjectTrace, countsDefaults: (table: ObjectTable) => boolean): void {
    this.all ||= other.all
    this.uncertain ||= other.uncertain
    for (const table of other.tables) {
      if (countsDefaults(table)) this.#withoutDefaults?.delete(table)
      else if (!this.tables.includes(table)) {
        this.#withoutDefaults ??= new Set()
        this.#withoutDefaults.add(table)
      }
      if (!this.tables.includes(table)) this.tables.push(table)
    }
    for (const key of other.#matched ?? []) this.match(key)
    for (const names of other.#required ?? []) this.require(names)
  }
}

/** What is known about an array. */
export class ArrayTrace extends ContainerTrace<number> {
  /** So many items from the start were evaluated. */
  evaluated: number = 0
  /** Later items that were evaluated, by `contains`. */
  #matched: Set<number> | undefined = undefined

  /** Records that an item was evaluated apart from its place. */
  match(index: number): void {
    this.#matched ??= new Set()
    this.#matched.add(index)
  }

  /** Whether some schema evaluated the item. */
  isEvaluated(index: number): boolean {
    return index < this.evaluated || this.#matched?.has(index) === true
  }

  /** Adds what another schema that applies too has learnt. */
  absorb(other: ArrayTrace): void {
    this.#add(other)
    this.joinChildren(other, absorb)
  }

  /** Adds what another variant has learnt that matches as well. */
  addAlternative(other: ArrayTrace): void {
    this.keepTypes(other)
    this.#add(other)
    this.joinChildren(other, addAlternative)
  }

  copy(): ArrayTrace {
    const copy = new ArrayTrace()
    copy.absorb(this)
    copy.shareChildren()
    return copy
  }

  #add(other: ArrayTrace): void {
    this.uncertain ||= other.uncertain
    this.evaluated = Math.max(this.evaluated, other.evaluated)
    for (const index of other.#matched ?? []) this.match(index)
  }
}

/** Adds `from` to `into`, both traces of the same value. */
export function absorb(into: Trace, from: Trace): void {
  if (into instanceof ObjectTrace && from instanceof ObjectTrace) into.absorb(from)
  else if (into instanceof ArrayTrace && from instanceof ArrayTrace) into.absorb(from)
  else if (into instanceof ScalarTrace && from instanceof ScalarTrace) into.absorb(from)
}

/** Adds the variant `from` to the variant `into`, both traces of the same value. */
export function addAlternative(into: Trace, from: Trace): void {
  if (into instanceof ObjectTrace && from instanceof ObjectTrace) into.addAlternative(from)
  else if (into instanceof ArrayTrace && from instanceof ArrayTrace) into.addAlternative(from)
}
