/** A node with the nodes it leads to. */
export interface Linked<Self> {
  /** The subschemas. */
  readonly parts: readonly Self[]
  /** What its own references lead to, once for each reference. */
  readonly targets: readonly Self[]
  /** Whether it applies subschemas to the same value. */
  readonly hasInPlace: boolean
}

/**
 * The targets of references to which evaluation may come again for the same value: those that a cycle of references
 * leads back to, and those that lead on to others and that several references lead to.
 */
export function revisitedTargets<Node extends Linked<Node>>(root: Node): ReadonlySet<Node> {
  const revisited = new Set<Node>()
  const entered = new Set<Node>([root])
  const left = new Set<Node>()
  const stack = [{ node: root, ahead: targetsWithin(root) }]
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const next = top.ahead.pop()
    if (next === undefined) {
      left.add(top.node)
      stack.pop()
    } else if (!entered.has(next)) {
      entered.add(next)
      stack.push({ node: next, ahead: targetsWithin(next) })
    } else if (!left.has(next) || next.hasInPlace) {
      revisited.add(next)
    }
  }
  return revisited
}

/** What the references within a schema, at any depth, lead to. */
function targetsWithin<Node extends Linked<Node>>(node: Node): Node[] {
  const seen = new Set<Node>([node])
  for (const open of seen) for (const part of open.parts) seen.add(part)
  return [...seen].flatMap((part) => part.targets)
}
