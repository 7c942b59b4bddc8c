import { byCodePoint } from '../../text/by-code-point.js'
import { nameHash } from './identifier-words.js'

/** How names become what they claim. */
export interface ClaimRules<Claim> {
  /** The stem of a name where nothing else wants it. */
  readonly stem: (name: string) => string
  /** True when a name is written like its stem already; it then goes first. */
  readonly exact: (name: string, stem: string) => boolean
  /** What a stem claims: all of it or nothing. */
  readonly derive: (stem: string) => Claim
  /** Stands between a stem and its hash. */
  readonly hashMark: '_' | '-'
  /** Two strings with the same key are the same claim. */
  readonly key: (text: string) => string
  /** The keys claimed in this scope so far; what is claimed here is added. */
  readonly taken: Set<string>
}

/**
 * Lets each name claim its strings in a shared scope; the result is in the order of `names`. Who comes first does not
 * depend on that order: names that fit their stem exactly, then the others, each by code points. Who finds one of its
 * strings taken gets a hash of its own name into its stem.
 */
export function claimAll<Claim extends { readonly [K in keyof Claim]: string }>(
  names: readonly string[],
  rules: ClaimRules<Claim>,
): readonly Claim[] {
  const turns = names
    .map((name, index) => ({ name, index, stem: rules.stem(name) }))
    .sort((a, b) => exactFirst(a, b, rules) || byCodePoint(a.name, b.name))
  const claims: Claim[] = []
  for (const { name, index, stem } of turns) claims[index] = claimOne(name, stem, rules)
  return claims
}

function claimOne<Claim extends { readonly [K in keyof Claim]: string }>(
  name: string,
  stem: string,
  rules: ClaimRules<Claim>,
): Claim {
  for (let attempt = 0; ; attempt += 1) {
    const claim = rules.derive(candidate(name, stem, rules.hashMark, attempt))
    const keys = Object.values<string>(claim).map(rules.key)
    if (keys.some((key) => rules.taken.has(key))) continue
    for (const key of keys) rules.taken.add(key)
    return claim
  }
}

/** The stem, then with a longer hash at each attempt, then (for equal names, which the design rules report) counted. */
function candidate(name: string, stem: string, mark: string, attempt: number): string {
  if (attempt === 0) return stem
  const length = Math.min(6 * attempt, 60)
  const counter = attempt > 10 ? `${mark}${attempt - 9}` : ''
  return `${stem}${mark}${nameHash(name, length)}${counter}`
}

function exactFirst<Claim>(
  a: { readonly name: string; readonly stem: string },
  b: { readonly name: string; readonly stem: string },
  rules: ClaimRules<Claim>,
): number {
  return Number(rules.exact(b.name, b.stem)) - Number(rules.exact(a.name, a.stem))
}
