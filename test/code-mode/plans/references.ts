/** A reference to the result of an earlier call: `$var1.user.names[0]$`. */
export interface Reference {
  readonly label: string
  readonly path: readonly (string | number)[]
}

/** A string of a plan: plain text, one reference, a calculation, or text that contains references. */
export type PlanText =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'reference'; readonly reference: Reference }
  | { readonly kind: 'calculation' | 'text'; readonly parts: readonly (string | Reference)[] }

const referencePattern = /\$(var\d+)((?:\.[^$.[\]]+|\[\d+\])*)\$/g

/** Parses a string of a plan. */
export function planText(text: string): PlanText {
  const parts: (string | Reference)[] = []
  let end = 0
  for (const match of text.matchAll(referencePattern)) {
    if (match.index > end) parts.push(text.slice(end, match.index))
    parts.push({ label: match[1] ?? '', path: pathOf(match[2] ?? '') })
    end = match.index + match[0].length
  }
  if (end < text.length) parts.push(text.slice(end))
  const [only] = parts
  if (parts.length === 1 && typeof only === 'object') return { kind: 'reference', reference: only }
  if (parts.every((part) => typeof part === 'string')) return { kind: 'literal', text }
  const isCalculation = parts.every((part) => typeof part === 'object' || /^[\d\s.*+/-]+$/.test(part))
  return { kind: isCalculation ? 'calculation' : 'text', parts }
}

const pathOf = (text: string): readonly (string | number)[] =>
  [...text.matchAll(/\.([^.[]+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index))
