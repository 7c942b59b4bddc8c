import { type CodeRange, codeRanges, overlap, type PatternNode } from './pattern-syntax.js'

/** Number of steps that the engine may take from one start of a match, where a pattern has no repetition without a limit. */
const mostSteps = 2000

/**
 * Whether the backtracking engine of JavaScript matches a pattern in time linear in the length of the text. `true` is
 * proven; `false` only says that there is no proof. Each alternative must be of one of two kinds:
 *
 * - It has a limit: its repetitions and choices allow at most {@link mostSteps} steps from each start.
 * - It begins with `^`, and the next character always decides which way to go on. So every way but one fails at once, and
 *   going back to an earlier choice finds nothing.
 */
export function isLinearByBacktracking(pattern: PatternNode): boolean {
  const options = pattern.kind === 'choice' ? pattern.options : [pattern]
  return options.every(
    (option) => stepsOf(withoutTail(option)).steps <= mostSteps || (isAnchored(option) && isDecided(option)),
  )
}

/** Whether a match of a pattern can only begin at the start of the text. */
export function isAnchored(node: PatternNode): boolean {
  if (node.kind === 'assertion') return node.assertion === 'start'
  if (node.kind === 'sequence') return node.parts[0] !== undefined && isAnchored(node.parts[0])
  return node.kind === 'choice' && node.options.every(isAnchored)
}

/** A repetition of one character at the end, with nothing behind it, ends the match once it has its least number. */
function withoutTail(node: PatternNode): PatternNode {
  if (node.kind === 'sequence') {
    const last = node.parts.at(-1)
    return last === undefined ? node : { ...node, parts: [...node.parts.slice(0, -1), withoutTail(last)] }
  }
  return node.kind === 'repeat' && node.body.kind === 'character' ? { ...node, most: node.least } : node
}

/** The number of ways through a part of a pattern, and of steps on all of them together. */
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

/** The characters with which a part of a pattern can go on, and whether it can end without one. */
interface Next {
  readonly ranges: readonly CodeRange[]
  readonly canEnd: boolean
}

const atEnd: Next = { ranges: [], canEnd: true }
const nothing: Next = { ranges: [], canEnd: false }

function isDecided(node: PatternNode): boolean {
  return decide(node, atEnd) !== undefined
}

/** What comes first in a part, where each choice in it is decided by the next character; else `undefined`. */
function decide(node: PatternNode, follow: Next): Next | undefined {
  switch (node.kind) {
    case 'character':
      return { ranges: codeRanges(node.source), canEnd: false }
    case 'assertion':
      return firstOf(node, follow)
    case 'look':
      return undefined
    case 'sequence':
      return node.parts.reduceRight<Next | undefined>((next, part) => next && decide(part, next), follow)
    case 'choice':
      return node.options.map((option) => decide(option, follow)).reduce((all, one) => all && one && apart(all, one))
    case 'repeat':
      return decideRepeat(node, follow)
  }
}

function decideRepeat(node: PatternNode & { readonly kind: 'repeat' }, follow: Next): Next | undefined {
  const { body, least, most } = node
  if (most === 0) return follow
  if (isNullable(body)) return undefined
  const again = firstOf(body, nothing)
  if (least !== most && apart(again, follow) === undefined) return undefined
  const inside = decide(body, most === 1 ? follow : join(again, follow))
  return inside === undefined ? undefined : firstOf(node, follow)
}

function firstOf(node: PatternNode, follow: Next): Next {
  switch (node.kind) {
    case 'character':
      return { ranges: codeRanges(node.source), canEnd: false }
    case 'assertion':
      return node.assertion === 'end' ? { ranges: [], canEnd: follow.canEnd } : follow
    case 'look':
      return follow
    case 'sequence':
      return node.parts.reduceRight((next, part) => firstOf(part, next), follow)
    case 'choice':
      return node.options.map((option) => firstOf(option, follow)).reduce(join)
    case 'repeat':
      if (node.most === 0) return follow
      return node.least > 0 ? firstOf(node.body, follow) : join(firstOf(node.body, follow), follow)
  }
}

function isNullable(node: PatternNode): boolean {
  if (node.kind === 'sequence') return node.parts.every(isNullable)
  if (node.kind === 'choice') return node.options.some(isNullable)
  return node.kind === 'repeat' ? node.least === 0 || isNullable(node.body) : node.kind !== 'character'
}

function join(a: Next, b: Next): Next {
  return { ranges: [...a.ranges, ...b.ranges], canEnd: a.canEnd || b.canEnd }
}

/** Both together; `undefined` where the next character does not tell one from the other. */
function apart(a: Next, b: Next): Next | undefined {
  return (a.canEnd && b.canEnd) || overlap(a.ranges, b.ranges) ? undefined : join(a, b)
}
