import { type CodeRange, codeRanges, overlap, united } from './character-classes.js'
import type { PatternNode } from './pattern-syntax.js'

const mostSteps = 2000

const mostWork = 2_000_000

/**
 * Returns true if JavaScript's backtracking engine provably matches a pattern in linear time: in time proportional to
 * the length of the string. Returns `false` if no proof is found. Each alternative must satisfy one of two conditions:
 *
 * - The repetitions and choices of the alternative allow at most {@link mostSteps} steps from each start position.
 * - The alternative begins with `^`, and the next character decides every choice. Therefore, when the
 *   engine returns to an earlier choice, each other option fails at its first character.
 */
export function isLinearByBacktracking(pattern: PatternNode): boolean {
  const options = pattern.kind === 'choice' ? pattern.options : [pattern]
  return options.every(
    (option) =>
      stepsOf(withoutTail(option)).steps <= mostSteps || (isAnchored(option) && new ChoiceCheck().isDecided(option)),
  )
}

export function isAnchored(node: PatternNode): boolean {
  if (node.kind === 'assertion') return node.assertion === 'start'
  if (node.kind === 'sequence') return node.parts[0] !== undefined && isAnchored(node.parts[0])
  return node.kind === 'choice' && node.options.every(isAnchored)
}

/** Reduces a repetition at the end of a pattern to its minimum: `ab*` → `a`. A test of the shorter pattern has the same result. */
function withoutTail(node: PatternNode): PatternNode {
  if (node.kind === 'sequence') {
    const last = node.parts.at(-1)
    return last === undefined ? node : { ...node, parts: [...node.parts.slice(0, -1), withoutTail(last)] }
  }
  return node.kind === 'repeat' && node.body.kind === 'character' ? { ...node, most: node.least } : node
}

interface Steps {
  readonly ways: number
  readonly steps: number
}

function stepsOf(node: PatternNode): Steps {
  switch (node.kind) {
    case 'character':
    case 'assertion':
      return { ways: 1, steps: 1 }
    case 'look':
      return { ways: 1, steps: stepsOf(node.body).steps }
    case 'sequence':
      return node.parts.map(stepsOf).reduce(inSequence, { ways: 1, steps: 1 })
    case 'choice':
      return node.options
        .map(stepsOf)
        .reduce((all, one) => ({ ways: all.ways + one.ways, steps: all.steps + one.steps }))
    case 'repeat':
      return repeatedSteps(stepsOf(node.body), node.least, node.most)
  }
}

function inSequence(first: Steps, second: Steps): Steps {
  return { ways: first.ways * second.ways, steps: first.steps + first.ways * second.steps }
}

function repeatedSteps(body: Steps, least: number, most: number): Steps {
  if (most > mostSteps) return { ways: Number.POSITIVE_INFINITY, steps: Number.POSITIVE_INFINITY }
  let [ways, all] = [0, { ways: 1, steps: 1 }]
  for (let count = 0; count <= most; count++) {
    if (count >= least) ways += all.ways
    if (count < most) all = inSequence(all, body)
  }
  return { ways, steps: all.steps }
}

interface Next {
  readonly ranges: readonly CodeRange[]
  readonly canEnd: boolean
}

const atEnd: Next = { ranges: [], canEnd: true }
const nothing: Next = { ranges: [], canEnd: false }

/** Checks whether the next character of the text always decides which alternative or repetition of a pattern must match. */
class ChoiceCheck {
  #work = 0

  isDecided(node: PatternNode): boolean {
    return this.#decide(node, atEnd) !== undefined && !this.#isOver
  }

  get #isOver(): boolean {
    return this.#work > mostWork
  }

  #decide(node: PatternNode, follow: Next): Next | undefined {
    if (this.#isOver) return undefined
    switch (node.kind) {
      case 'character':
      case 'assertion':
        return this.#firstOf(node, follow)
      case 'look':
        return undefined
      case 'sequence':
        return node.parts.reduceRight<Next | undefined>((next, part) => next && this.#decide(part, next), follow)
      case 'choice':
        return this.#apart(...node.options.map((option) => this.#decide(option, follow)))
      case 'repeat':
        return this.#decideRepeat(node, follow)
    }
  }

  #decideRepeat(node: PatternNode & { readonly kind: 'repeat' }, follow: Next): Next | undefined {
    const { body, least, most } = node
    if (isNullable(body)) return undefined
    const again = this.#firstOf(body, nothing)
    if (least !== most && this.#apart(again, follow) === undefined) return undefined
    const inside = this.#decide(body, most === 1 ? follow : this.#join(again, follow))
    return inside === undefined ? undefined : this.#firstOf(node, follow)
  }

  #firstOf(node: PatternNode, follow: Next): Next {
    if (this.#isOver) return follow
    switch (node.kind) {
      case 'character':
        this.#work += node.source.length
        return { ranges: codeRanges(node.source), canEnd: false }
      case 'assertion':
        return node.assertion === 'end' ? { ranges: [], canEnd: follow.canEnd } : follow
      case 'look':
        return follow
      case 'sequence':
        return node.parts.reduceRight((next, part) => this.#firstOf(part, next), follow)
      case 'choice':
        return this.#join(...node.options.map((option) => this.#firstOf(option, follow)))
      case 'repeat': {
        const first = this.#firstOf(node.body, follow)
        return node.least > 0 ? first : this.#join(first, follow)
      }
    }
  }

  #join(...all: readonly Next[]): Next {
    const ranges = all.flatMap((each) => each.ranges)
    this.#work += ranges.length
    return { ranges: united(ranges), canEnd: all.some(({ canEnd }) => canEnd) }
  }

  #apart(...all: readonly (Next | undefined)[]): Next | undefined {
    const known = all.filter((each) => each !== undefined)
    if (known.length < all.length || known.filter(({ canEnd }) => canEnd).length > 1) return undefined
    return overlap(known.flatMap(({ ranges }) => ranges)) ? undefined : this.#join(...known)
  }
}

function isNullable(node: PatternNode): boolean {
  if (node.kind === 'sequence') return node.parts.every(isNullable)
  if (node.kind === 'choice') return node.options.some(isNullable)
  return node.kind === 'repeat' ? node.least === 0 || isNullable(node.body) : node.kind !== 'character'
}
