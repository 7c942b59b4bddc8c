import type { Conversion, TypePath } from '../plan/plan.js'
import type { AnswerTransform } from './answer-transform.js'

/** A conversion of one definition that several transforms need: written once, as a function. */
export interface SharedConversion {
  readonly conversion: Conversion & { readonly kind: 'object' }
  readonly definition: string
  /** The transform whose types lead to it by the shortest way. */
  readonly transform: AnswerTransform
  readonly from: ReachedType
}

/** How an answer's type leads to the type that is converted. */
export interface ReachedType {
  readonly path: TypePath
  /** Null or undefined was taken out on the way. */
  readonly guarded: boolean
}

interface Occurrences {
  count: number
  shared?: SharedConversion
}

/** Tells conversions apart by what they do, not by where they stand. */
export function conversionKey(conversion: Conversion): string {
  return JSON.stringify(conversion)
}

/** The objects that stand in the transforms of an executor more than once, by {@link conversionKey}, in their order. */
export function sharedConversions(transforms: readonly AnswerTransform[]): ReadonlyMap<string, SharedConversion> {
  const found = new Map<string, Occurrences>()
  for (const transform of transforms) {
    const { verdict, generic } = transform
    // A checked result has no declared type, a generic answer none that can be written for sure.
    if (verdict.verdict === 'mapper' || verdict.verdict === 'checked' || generic) continue
    collect(verdict.plan, { path: [], guarded: false }, transform, found)
  }
  return new Map(
    [...found].flatMap(([key, { count, shared }]) =>
      count > 1 && shared !== undefined ? [[key, shared] as const] : [],
    ),
  )
}

/** `from` is absent where the type has no text, such as one alternative of a union. */
function collect(
  conversion: Conversion,
  from: ReachedType | undefined,
  transform: AnswerTransform,
  found: Map<string, Occurrences>,
): void {
  switch (conversion.kind) {
    case 'object': {
      if (conversion.part !== undefined && isKnown(conversion, conversion.part.definition, from, transform, found))
        return
      for (const field of conversion.fields) {
        if (field.from === undefined) continue
        collect(field.conversion, onward(from, { kind: 'key', name: field.from }), transform, found)
      }
      return
    }
    case 'array':
      collect(
        conversion.items,
        conversion.from === 'set' ? undefined : onward(from, { kind: 'item', of: 'array' }),
        transform,
        found,
      )
      return
    case 'record':
      collect(
        conversion.values,
        conversion.from === 'map' ? undefined : onward(from, { kind: 'item', of: 'record' }),
        transform,
        found,
      )
      return
    case 'nullable':
    case 'orNull':
      collect(conversion.inner, from && { ...from, guarded: true }, transform, found)
      return
    case 'switch':
    case 'byKind':
      for (const each of conversion.cases) collect(each.conversion, undefined, transform, found)
      return
    default:
      // A recursive conversion is a function already.
      return
  }
}

function onward(from: ReachedType | undefined, step: TypePath[number]): ReachedType | undefined {
  return from && { path: [...from.path, step], guarded: true }
}

function steps({ path, guarded }: ReachedType): number {
  return 2 * path.length + (guarded ? 1 : 0)
}

/** Counts an occurrence; what lies within a conversion is counted with its first one alone. */
function isKnown(
  conversion: Conversion & { readonly kind: 'object' },
  definition: string,
  from: ReachedType | undefined,
  transform: AnswerTransform,
  found: Map<string, Occurrences>,
): boolean {
  const key = conversionKey(conversion)
  const known = found.get(key)
  const occurrences = known ?? { count: 0 }
  found.set(key, occurrences)
  occurrences.count += 1
  const { shared } = occurrences
  if (from !== undefined && (shared === undefined || steps(from) < steps(shared.from))) {
    occurrences.shared = { conversion, definition, transform, from }
  }
  return known !== undefined
}
