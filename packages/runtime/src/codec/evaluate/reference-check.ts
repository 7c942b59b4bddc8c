import { textKeyword } from './keywords.js'
import type { Check, Node } from './node.js'
import { SchemaError } from './schema-error.js'
import type { Site } from './site.js'

/** How often a dynamic reference may be followed within itself: more often than a value is deep. */
const longestChain = 500

/** Prepares `$ref` and `$dynamicRef`. */
export function prepareReferences(site: Site): readonly Check[] {
  return [staticCheck(site), dynamicCheck(site)].filter((check) => check !== undefined)
}

function staticCheck(site: Site): Check | undefined {
  const reference = textKeyword(site, '$ref')
  if (reference === undefined) return undefined
  const target = site.target(site.index.resolve(reference, site))
  return (value, run, trace) => target.check(value, run, trace)
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
  if (anchor === undefined || !reference.endsWith(`#${anchor}`)) {
    return (value, run, trace) => target.check(value, run, trace)
  }
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
