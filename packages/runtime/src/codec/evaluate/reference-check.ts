import { isContainer } from '../json/kind.js'
import { textKeyword } from './keywords.js'
import type { Check, Node } from './node.js'
import type { Run } from './run.js'
import { SchemaError } from './schema-error.js'
import type { Site } from './site.js'
import { absorb, type Trace, traceFor } from './trace.js'

/** How often a dynamic reference may be followed within itself: more often than a value is deep. */
const longestChain = 500

/** Prepares `$ref` and `$dynamicRef`. */
export function prepareReferences(site: Site): readonly Check[] {
  return [staticCheck(site), dynamicCheck(site)].filter((check) => check !== undefined)
}

function staticCheck(site: Site): Check | undefined {
  const reference = textKeyword(site, '$ref')
  if (reference === undefined) return undefined
  return checkOf(site.target(site.index.resolve(reference, site)), site.index.dynamic)
}

/**
 * A `$dynamicRef` whose target is a `$dynamicAnchor` leads to the same anchor of the outermost resource that evaluation
 * is within; any other is a `$ref`.
 */
function dynamicCheck(site: Site): Check | undefined {
  const reference = textKeyword(site, '$dynamicRef')
  if (reference === undefined) return undefined
  const { index } = site
  const first = index.resolve(reference, site)
  const target = site.target(first)
  const anchor = index.dynamicAnchorOf(first)
  if (anchor === undefined || !reference.endsWith(`#${anchor}`)) return checkOf(target, true)
  const targets = new Map<string, Node>()
  for (const located of index.dynamicAnchors(anchor)) targets.set(located.base, site.target(located))
  let chained = 0
  return (value, run, trace) => {
    const resource = run.scope.find((base) => targets.has(base))
    const node = (resource === undefined ? undefined : targets.get(resource)) ?? target
    if (chained > longestChain) throw new SchemaError(site.pointer, '`$dynamicRef` leads back to itself.')
    chained++
    try {
      return node.check(value, run, trace)
    } finally {
      chained--
    }
  }
}

function checkOf(target: Node, isScoped: boolean): Check {
  // What a node says about a value may depend on the dynamic scope, if there is one: then nothing can be remembered.
  if (isScoped) return (value, run, trace) => target.check(value, run, trace)
  return (value, run, trace) =>
    target.isRevisited ? checkOnce(target, value, run, trace) : target.check(value, run, trace)
}

function checkOnce(target: Node, value: unknown, run: Run, trace: Trace | undefined): boolean {
  const known = run.verdict(target, value, trace !== undefined)
  if (known !== undefined) {
    if (trace !== undefined && known.trace !== undefined) absorb(trace, known.trace.copy())
    return known.ok
  }
  const learnt = trace === undefined || !isContainer(value) ? undefined : traceFor(value)
  const ok = target.check(value, run, learnt)
  run.remember(target, value, ok, learnt)
  if (trace !== undefined && learnt !== undefined) absorb(trace, learnt.copy())
  return ok
}
