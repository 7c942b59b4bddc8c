import type { Choices } from '../issues/choices.js'
import type { IssueFacts } from '../issues/facts.js'
import { IssueList } from '../issues/issue-list.js'
import type { NameList } from '../issues/nearest.js'
import { isContainer } from '../json/kind.js'
import { pointerOf, pointerSegment, type Segment } from '../json/pointer.js'
import { loose, strict } from '../words/mode.js'
import type { Check, Node } from './node.js'
import { Postponed } from './postponed.js'
import { ObjectTrace, type Trace } from './trace.js'
import { traceOfJoint } from './undeclared.js'

/** How many issues a run lists. */
const MAX_ISSUES = 100
/** How many issues of a union's nearest variant are listed. */
const MAX_NEAREST_ISSUES = 10
/** How many pairs of letters a run compares to find near names; then wrong names go without that advice. */
const MAX_COMPARED = 10_000_000

/** What a check said about one value. */
interface Verdict {
  readonly ok: boolean
  /** Of a valid container, where it was wanted; values without parts have none. */
  readonly trace: Trace | undefined
  /** Where and to whom the issues of an invalid value were reported. */
  readonly reported?: { readonly issues: IssueList; readonly path: string }
}

/** A field of the current value that an issue is about. */
interface ReportedField {
  readonly name: Segment
  readonly description?: string | undefined
}

/** One evaluation of one value: what was found so far and where evaluation stands. */
export class Run {
  /** Where issues go. */
  issues: IssueList = new IssueList(MAX_ISSUES)
  /** Where evaluation stands in the value. */
  readonly path: Segment[] = []
  /** Only the verdict is wanted: nothing is reported, and the first fault ends a check. */
  quiet: boolean = false
  /** The issues of a union's nearest variant are being looked for. */
  explaining: boolean = false
  /** What the author says about the place where evaluation stands. */
  about: string | undefined = undefined
  /** Whether the value holds parts that JSON cannot carry. */
  readonly faulty: boolean
  /** Whether unions prefer the variants that name the types of typed values; else those that match the wire form first. */
  readonly judgesTypes: boolean
  /** Whether undeclared fields are issues. */
  readonly rejectsUnknown: boolean
  /** Only issues are wanted: gates answer for what they accept, and what nobody asks for later is not learnt. */
  readonly onlyIssues: boolean
  /** Issues that come after all others: undeclared fields, where only issues are wanted. */
  readonly postponed: Postponed = new Postponed()
  /** How many schemas are being applied within each other. */
  nesting: number = 0
  /** How deep in the value evaluation was when it gave up; `undefined`: it did not. */
  exhaustedAt: number | undefined = undefined
  /** The schema resources that evaluation is within, for `$dynamicRef`. */
  readonly scope: string[] = []
  #near: Map<NameList, Map<string, string | undefined>> | undefined = undefined
  #compared = 0
  #verdicts: Map<Check, Map<unknown, Verdict>> | undefined = undefined

  constructor(options: {
    readonly faulty: boolean
    readonly rejectsUnknown: boolean
    readonly onlyIssues?: boolean
    readonly judgesTypes?: boolean
  }) {
    this.faulty = options.faulty
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

  /** Whether a gate says of a value that it has no faults, and, where undeclared fields are faults, none of them. */
  accepts({ gate }: Node, value: unknown): boolean {
    return this.onlyIssues && gate?.(value, this.rejectsUnknown ? strict : loose) === true
  }

  /** Whether there are so many faults already that nothing more is looked at. */
  get isOver(): boolean {
    return (this.issues.isOver && !this.quiet) || this.postponed.isOver
  }

  /** Evaluates a part of the current value; the trace is that of the whole. */
  descend<Key extends Segment>(node: Node, part: unknown, key: Key, whole: WholeTrace<Key> | undefined): boolean {
    if (this.isOver) return false
    if (this.accepts(node, part)) {
      // It has no faults, and other schemas that apply to it must not find anything undeclared in it.
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

  /** Whether undeclared fields are to be found while evaluation goes on, where it stands. */
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

  /** Evaluates without reporting. */
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

  /** What a check said about a value before, if that is enough now. */
  verdict(check: Check, value: unknown, isTraced: boolean): Verdict | undefined {
    const known = this.#verdicts?.get(check)?.get(value)
    if (known === undefined) return undefined
    if (known.ok) return isTraced && known.trace === undefined ? undefined : known
    if (this.quiet) return known
    const { reported } = known
    return reported?.issues === this.issues && reported.path === pointerOf(this.path) ? known : undefined
  }

  /** Remembers what a check says about a value. */
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
